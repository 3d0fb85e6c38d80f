// node examples/watch-ten-tokens.ts MINT...: reports when 5 SOL of a token can no longer be sold with less than 10 % slippage.
import type { Exitability } from "../clients/typescript/src/api-types.ts"; // "exitability-client/api-types"
import { createExitability, ExitabilityError } from "../clients/typescript/src/exitability.ts"; // "exitability-client"

const { EXITABILITY_URL, EXITABILITY_API_KEY: apiKey } = process.env;
const baseUrl = EXITABILITY_URL ?? "http://127.0.0.1:8080";
const lastWord = new Map<string, string>();
process.once("uncaughtException", (error) => {
  console.error(error instanceof ExitabilityError ? `${error.code}: ${error.message}` : error);
  process.exit(1);
});
const exits = createExitability({ baseUrl, apiKey, language: "en" });
for await (const event of exits.stream(process.argv.slice(2, 12), { threshold: 0 })) {
  if (event.type === "exitability") say(event.exitability.token_id, ...judge(event.exitability));
  else if (event.type === "unavailable")
    say(event.outcome.token_id, "unknown", event.outcome.message);
  else console.error(`Not connected, so nothing is known: ${event.error.message}`);
}
function judge({ state, slippage, aviso }: Exitability): [word: string, why: string | null] {
  const slippagePct = slippage.all["5"];
  if (state === "bloqueado_dato") return ["unknown", aviso];
  if (slippagePct === null) return ["no longer", "no price takes them whole"];
  return [slippagePct < 10 ? "again" : "no longer", `they would lose ${slippagePct} %`];
}
function say(mint: string, word: string, why: string | null) {
  if (word === (lastWord.get(mint) ?? "again")) return;
  lastWord.set(mint, word);
  if (word === "unknown") console.log(`${mint}: whether 5 SOL can leave is unknown: ${why}`);
  else console.log(`${mint}: 5 SOL can ${word} leave below 10 %: ${why}`);
}
