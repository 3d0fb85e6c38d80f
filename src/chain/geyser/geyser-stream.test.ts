import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainLogger } from "../chain-logger.ts";
import { DEFAULT_LINK_TIMING } from "../link-timing.ts";
import { GeyserStream } from "./geyser-stream.ts";

const STEP_MS = 50;
const { firstWaitMs, longestWaitMs } = DEFAULT_LINK_TIMING;

/** A server that sends a slot at once and each 400 ms, and ends each stream after a given time. */
function briefServer(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const server = { livesMs: 0, openedAtMs: [] as number[], lostAtMs: [] as number[] };
  const lines: string[] = [];
  const add = (_: unknown, text?: unknown) => void lines.push(String(text));
  const logger: ChainLogger = { info: add, warn: add, error: add, debug: add };
  let slot = 1_000;
  const stream = new GeyserStream({
    open: async () => {
      server.openedAtMs.push(nowMs);
      return {
        listen: ({ onUpdate, onEnd }) => {
          const tell = () =>
            onUpdate({ slot: { slot: String(++slot), parent: String(slot - 1), status: 1 } });
          const slots = setInterval(tell, 400);
          setTimeout(tell, 1);
          setTimeout(() => {
            clearInterval(slots);
            onEnd("8 RESOURCE_EXHAUSTED: client lagged behind");
          }, server.livesMs + 2);
        },
        send: () => {},
        cancel: () => {},
      };
    },
    request: () => ({ accounts: {} }) as never,
    onUpdate: () => {},
    onSlot: () => {},
    isFarAhead: () => false,
    outcomes: null,
    onGap: () => {},
    onLost: () => void server.lostAtMs.push(nowMs),
    clock: { nowMs: () => nowMs },
    random: () => 0.5,
    logger,
    host: "a host",
    timing: DEFAULT_LINK_TIMING,
  });
  const pass = async (ms: number) => {
    for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
      nowMs += STEP_MS;
      t.mock.timers.tick(STEP_MS);
      await nextTurn();
    }
  };
  return { server, stream, lines, pass };
}

test("a server that ends each stream after one slot is asked with growing waits, and logged once", async (t) => {
  const { server, stream, lines, pass } = briefServer(t);
  stream.refresh(() => {});
  await pass(120_000);
  stream.close();
  const [last = 0, before = 0] = server.openedAtMs.toReversed();
  assert.ok(last - before >= longestWaitMs / 2, `${last - before} ms between the last openings`);
  assert.equal(lines.length, 1);
});

test("a stream that lived long is opened again after the first wait", async (t) => {
  const { server, stream, pass } = briefServer(t);
  stream.refresh(() => {});
  await pass(60_000);
  server.livesMs = 2 * longestWaitMs;
  const [losses, openings] = [server.lostAtMs.length, server.openedAtMs.length];
  // Enough for the wait in progress and one long life.
  await pass(4 * longestWaitMs);
  stream.close();
  const lostAtMs = server.lostAtMs.findLast((ms, index) => {
    const openedAtMs = server.openedAtMs[index] ?? 0;
    return ms - openedAtMs >= longestWaitMs;
  });
  assert.ok(lostAtMs !== undefined && server.lostAtMs.length > losses);
  const againAtMs = server.openedAtMs.find((ms) => ms > lostAtMs);
  assert.ok(server.openedAtMs.length > openings + 1 && againAtMs !== undefined);
  assert.ok(againAtMs - lostAtMs <= firstWaitMs + STEP_MS, `${againAtMs - lostAtMs} ms`);
});
