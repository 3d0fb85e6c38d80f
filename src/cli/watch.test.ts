import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { Tracker } from "#src/track/tracker.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { UsageError } from "./output.ts";
import { watch } from "./watch.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;

function begin() {
  const chain = new ScriptedChain();
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  const stop = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const lines: string[] = [];
  const write = (text: string) => {
    lines.push(text);
    begun.resolve();
  };
  const deps = {
    open: async () => ({ tracker, close: () => tracker.close() }),
    stopped: stop.promise,
  };
  return { chain, tracker, stop, begun: begun.promise, lines, write, deps };
}

test("a watch prints the token, each change, and the alert", async () => {
  const { chain, tracker, stop, begun, lines, write, deps } = begin();
  const pool = placeToken(chain, MINT, 80);
  const watching = watch([MINT], { out: write, err: write }, deps);
  await begun;
  for (let step = 0; step < 30; step++) {
    chain.advance(5);
    tracker.tick();
    await tracker.idle();
  }
  setReserves(chain, pool, { base: BASE / 10n, quote: 8n * SOL });
  tracker.tick();
  stop.resolve();
  assert.equal(await watching, 0);
  const text = lines.join("\n");
  assert.match(text, /exit capacity C10/);
  assert.match(text, /^\d\d:\d\d:\d\d +80\.00 .* \?$/m);
  assert.match(text, /^\d\d:\d\d:\d\d +8\.00 .* ALERT$/m);
  assert.match(text, /ALERT at slot \d+: \w+, withdrawn, C10 /);
});

test("every line of a watch fits into 80 columns", async () => {
  const { chain, stop, begun, lines, write, deps } = begin();
  placeToken(chain, MINT, 1_000_000);
  const watching = watch([MINT], { out: write, err: write }, deps);
  await begun;
  stop.resolve();
  await watching;
  const wide = lines
    .join("\n")
    .split("\n")
    .filter((line) => line.length > 80);
  assert.deepEqual(wide, []);
});

test("with --json each line is an answer of the service", async () => {
  const { chain, stop, begun, lines, write, deps } = begin();
  placeToken(chain, MINT, 80);
  const watching = watch([MINT, "--json"], { out: write, err: write }, deps);
  await begun;
  stop.resolve();
  await watching;
  assert.equal(JSON.parse(lines[0] ?? "").depth_sol, 80);
});

test("a token without pools ends the watch with exit code 1", async () => {
  const { write, deps, lines } = begin();
  assert.equal(await watch([MINT], { out: write, err: write }, deps), 1);
  assert.match(lines.join("\n"), /no pool or curve/);
});

test("a watch names one mint", async () => {
  const { write, deps } = begin();
  const output = { out: write, err: write };
  await assert.rejects(watch([], output, deps), UsageError);
  await assert.rejects(watch(["nonsense"], output, deps), UsageError);
});
