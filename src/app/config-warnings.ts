import type { Config } from "./config.ts";
import { CONFIG_VARIABLES } from "./config-variables.ts";

const KNOWN = CONFIG_VARIABLES.map(([name]) => name);
/** Only our variables have names of these groups. */
const OUR_GROUPS = /^(?:SOLANA|GEYSER|WEBHOOK|TELEGRAM|VAPID|EXITABILITY)_/;
/** Read by the client and the agent tools, not by the service. */
const READ_ELSEWHERE = new Set([
  "EXITABILITY_API_KEY",
  "EXITABILITY_ACCESS_TOKEN",
  "EXITABILITY_URL",
]);

/** What an operator probably did not intend, in sentences that name the variable; never a value that may be secret. */
export function configWarnings(
  environment: Readonly<Record<string, string | undefined>>,
  {
    chain,
    publicUrl,
    foreignIdentity,
    webhookAllow,
  }: Pick<Config, "chain" | "publicUrl" | "foreignIdentity" | "webhookAllow">,
): readonly string[] {
  const warnings: string[] = [];
  for (const name of Object.keys(environment)) {
    if (KNOWN.includes(name) || READ_ELSEWHERE.has(name)) continue;
    const similar = KNOWN.find((known) => isSimilar(name, known));
    if (similar !== undefined) warnings.push(`${name} is not read: did you mean ${similar}?`);
    else if (OUR_GROUPS.test(name)) warnings.push(`${name} is not read: no variable has this name`);
  }
  if (chain.kind === "demo" && publicUrl.startsWith("https:"))
    warnings.push(
      "PUBLIC_URL is a public address, and the prices are those of the demo market: set SOLANA_RPC_URL",
    );
  if (new URL(publicUrl).port === "0")
    warnings.push(
      "PORT=0 takes any free port, and links and texts have port 0, where nothing listens: set PORT, or PUBLIC_URL",
    );
  if (["0.0.0.0", "[::]"].includes(new URL(publicUrl).hostname))
    warnings.push(
      "HOST is every address of this machine, and links and texts have it, where no other machine arrives; pages that another machine opens can't sign in: set PUBLIC_URL",
    );
  if (foreignIdentity?.jwksUrl.startsWith("http:") && !isLoopback(foreignIdentity.jwksUrl))
    warnings.push(
      "AUTH_JWKS_URL is read over plain http: a network in between can replace the keys and sign in as anyone; use https",
    );
  if (webhookAllow.length > 0)
    warnings.push(
      `WEBHOOK_ALLOW lets webhooks reach these private addresses: ${webhookAllow.join(", ")}`,
    );
  return warnings;
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** The same letters, one a whole part of the other, or a spelling one letter away. */
function isSimilar(name: string, known: string): boolean {
  const [ours, theirs] = [known, name].map((each) => each.replaceAll("_", "").toUpperCase());
  if (ours === undefined || theirs === undefined || theirs.length < 7) return false;
  return ours === theirs || `${theirs}URL` === ours || isOneEditAway(ours, theirs);
}

function isOneEditAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (text: string, skip: number): string => text.slice(start + skip);
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
}
