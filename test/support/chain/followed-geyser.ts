import type { TestContext } from "node:test";
import { createGeyserSource } from "#src/chain/geyser/geyser-source.ts";
import type { Commitment } from "#src/chain/rpc/rpc-reader.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import type { Address } from "#src/units/address.ts";
import { closeAfter } from "../ending.ts";
import type { EventLog } from "../event-log.ts";
import { testAccount, testAddress } from "../pools/test-accounts.ts";
import { FakeGeyser } from "./fake-geyser.ts";
import type { FollowEvent } from "./follow-all.ts";

/** A gRPC source over a fake server and a local node, both of one ledger. */

export const PROGRAM = testAddress(1);
export const POOL = testAddress(2);
export const OTHER_POOL = testAddress(3);
export const START = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
export const TIMING = { silentAfterMs: 500, firstWaitMs: 5, longestWaitMs: 40, settleMs: 1 };
export const PULSE_MS = 10;

export async function startChain(
  t: TestContext,
  {
    commitment = "confirmed",
    slotsAPulse = 1n,
    longestWaitMs = TIMING.longestWaitMs,
  }: {
    readonly commitment?: Commitment;
    readonly slotsAPulse?: bigint;
    readonly longestWaitMs?: number;
  } = {},
) {
  const ledger = new Ledger(START);
  const node = createLocalNode({ ledger });
  const geyser = new FakeGeyser(ledger);
  await geyser.open();
  const timing = { clock: { nowMs: () => performance.now() }, random: () => 0.5 };
  const reads = createRpcSource({ ...(await node.listen()), ...timing, origin: "live" });
  const warnings: string[] = [];
  const log = (context: unknown, text?: unknown) => {
    warnings.push(`${text} ${JSON.stringify(context)}`);
  };
  const logger = { warn: log, error: log, info: () => {}, debug: () => {} };
  const options = {
    url: geyser.url,
    token: "a-token",
    reads,
    ...timing,
    timing: { ...TIMING, longestWaitMs },
    logger,
    commitment,
  };
  const source = await createGeyserSource(options);
  const pulse = setInterval(
    () => ledger.advance({ ...ledger.clock, slot: ledger.clock.slot + slotsAPulse }),
    PULSE_MS,
  );
  closeAfter(t, async () => {
    clearInterval(pulse);
    await source.close();
    await reads.close();
    geyser.close();
    await node.close();
  });
  const set = (address: Address, byte: number) =>
    ledger.apply(new Map([[address, testAccount(PROGRAM, [byte])]]));
  return { ledger, geyser, source, set, warnings };
}

export function someTransaction(slot: bigint) {
  return {
    signature: "5".repeat(87),
    slot,
    unixTimestamp: START.unixTimestamp,
    feePayer: testAddress(50),
    logs: ["Program log: swapped"],
    instruction: { programId: PROGRAM, accounts: [POOL], data: Uint8Array.of(1, 2) },
    inner: [{ programId: PROGRAM, accounts: [], data: Uint8Array.of(3) }],
    tokenAmounts: new Map([
      [testAddress(51), { mint: testAddress(52), before: 7n, after: 2n ** 64n - 1n }],
      [testAddress(53), { mint: testAddress(52), before: null, after: 0n }],
    ]),
  };
}

/** Whether the source claims to deliver every change. */
export function isWholeNow(log: EventLog<FollowEvent>): boolean {
  const last = log.events.findLast((told) => told.kind === "whole");
  return last?.kind === "whole" && last.isWhole;
}
