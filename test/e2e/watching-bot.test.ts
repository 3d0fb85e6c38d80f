import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { type Address, address } from "#src/units/address.ts";
import { type DemoNode, startDemoNode } from "#test/support/chain/demo-node.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { demoMint } from "#test/support/processes/dashboard.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { type Subscriber, subscribe } from "#test/support/processes/subscriber.ts";
import { createExitability } from "../../clients/typescript/src/exitability.ts";

const BOT = "examples/watch-ten-tokens.ts";
const RUG = address(demoMint("Rug"));
const BUCK = address(demoMint("Buck"));
const HEALTHY = ["Steady", "Three", "Quiet", "Range", "Bins", "Dynamic", "Sea", "Drain"];
const TEN: readonly Address[] = [RUG, BUCK, ...HEALTHY.map((word) => address(demoMint(word)))];
/** The searches of ten tokens, one after the other at the pace of an unknown provider. */
const FOUND_WITHIN_MS = 30_000;
const ALL_BUT_A_SLIVER_BPS = 9_950;

type Stage = Subscriber & {
  readonly node: DemoNode;
  readonly url: string;
};

async function setStage(t: TestContext): Promise<Stage> {
  const node = await startDemoNode(t);
  const place = sqlitePlace(t);
  const service = await startTestService(t, place, { ACCOUNTS_DIR: "", ...node.environment });
  const subscriber = await subscribe(service, place, "bo@example.com");
  return { ...subscriber, node, url: service.url };
}

test("the bot of 30 lines names the token whose liquidity leaves, and no healthy one", async (t) => {
  assert.ok(readFileSync(BOT, "utf8").trimEnd().split("\n").length <= 30);
  const { node, url, apiKey } = await setStage(t);
  const exits = createExitability({ baseUrl: url, apiKey });
  // Over RPC a token whose pools have to be searched is unknown until they are found.
  const items = await eventually(
    "an exit from each of the ten tokens",
    async () => {
      const { items } = await exits.batch(TEN);
      return items.every(({ exitability }) => exitability?.state === "ok") ? items : null;
    },
    FOUND_WITHIN_MS,
  );
  for (const { token_id, exitability } of items) {
    const slippagePct = exitability?.slippage.all["5"] ?? null;
    assert.ok(slippagePct !== null && slippagePct < 10, `${token_id} is healthy: ${slippagePct}`);
  }
  const bot = startBot(t, { EXITABILITY_URL: url, EXITABILITY_API_KEY: apiKey });

  await t.test("a withdrawal is reported, with what is left of the exit", async () => {
    assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: ALL_BUT_A_SLIVER_BPS }));
    const line = await bot.nextLine();
    const [, lost] = line.match(/^(?:.*): they would lose (\d+(?:\.\d+)?) %$/) ?? [];
    assert.equal(line, `${RUG}: 5 SOL can no longer leave below 10 %: they would lose ${lost} %`);
    assert.ok(Number(lost) >= 10);
  });

  await t.test("unknown is reported as unknown, not as unsellable", async () => {
    assert.ok(node.market.script(BUCK, { kind: "pause", isPaused: true }));
    const why = "Every pool of the token is paused or not open yet.";
    assert.equal(await bot.nextLine(), `${BUCK}: whether 5 SOL can leave is unknown: ${why}`);
  });

  await t.test("a recovery is reported, and nothing else", async () => {
    assert.ok(node.market.script(BUCK, { kind: "pause", isPaused: false }));
    const line = await bot.nextLine();
    assert.match(line, new RegExp(`^${BUCK}: 5 SOL can again leave below 10 %: `));
    assert.equal(bot.lines.length, 3);
    assert.deepEqual(bot.complaints, []);
  });
});

test("a stream continues after a lost connection, and sends each missed change once", async (t) => {
  const { node, url, apiKey } = await setStage(t);
  const proxy = await startCuttingProxy(t, url);
  const retry = { baseDelayMs: 50 };
  const quiet = address(demoMint("Quiet"));
  const exits = createExitability({ baseUrl: proxy.url, apiKey, retry });
  const events = exits.stream([quiet, RUG], { threshold: 50, signal: t.signal });
  const first = new Set<string>();
  while (first.size < 2) {
    const { value } = await events.next();
    assert.ok(value?.type === "exitability");
    first.add(value.exitability.token_id);
  }
  proxy.cut();
  assert.equal((await events.next()).value?.type, "interrupted");
  assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: ALL_BUT_A_SLIVER_BPS }));
  assert.equal((await events.next()).value?.type, "interrupted", "it is still cut");
  proxy.mend();
  for await (const event of events) {
    if (event.type === "interrupted") continue;
    assert.ok(event.type === "exitability");
    assert.equal(event.exitability.token_id, RUG, "an unchanged token is not sent again");
    if ((event.exitability.slippage.all["5"] ?? 100) >= 10) break;
  }
});

test("the bot ends with one sentence, not a stack, if the service refuses it", async (t) => {
  const { url } = await setStage(t);
  const bot = startBot(t, { EXITABILITY_URL: url, EXITABILITY_API_KEY: "exi_wrong" });
  assert.equal(await bot.exitCode, 1);
  assert.deepEqual(bot.complaints, [
    "unauthorized: This is not an API key of this service: it is mistyped or cut off.",
  ]);
});

/** The real file in a process of its own. */
function startBot(t: TestContext, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [BOT, ...TEN], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  closeAfter(t, () => child.kill());
  const lines: string[] = [];
  const complaints: string[] = [];
  const reader = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const coming = on(reader, "line", { close: ["close"], signal: t.signal });
  return {
    lines,
    complaints,
    /** Resolves when the process and its output have ended. */
    exitCode: once(child, "close").then(([code]) => code as number | null),
    /** The next line that it prints; fails where it ends without one. */
    async nextLine(): Promise<string> {
      const { value, done } = await coming.next();
      assert.ok(done !== true, complaints.join("\n"));
      return String((value as readonly unknown[])[0]);
    },
  };
}
