import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldWriter } from "#demo/field-writer.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import { pumpSwapSwaps } from "./events.ts";

type Fees = { readonly lp: bigint; readonly protocol: bigint; readonly creator: bigint };

/** A SellEvent of 449 bytes. */
function sellEvent({ lp, protocol, creator }: Fees, transferFee = 0n): Uint8Array {
  const writer = new FieldWriter().raw(discriminator("3e2f370aa503dc2a")).i64(1_790_000_000n);
  writer.u64(100n, 0n, 0n, 0n, 5_000n, 6_000n, 1_000n, 0n, lp, 0n, protocol, 0n, 900n);
  for (const field of [30, 31, 32, 33, 34, 35]) writer.address(testAddress(field));
  writer.address(SYSTEM_PROGRAM).u64(0n, creator, 0n, 0n, 0n, 0n);
  writer.u64(0n, 0n).bool(false).u64(1n, 0n, 0n, 0n, transferFee);
  return writer.bytes();
}

function read(event: Uint8Array, instructionNames: readonly string[]) {
  const [swap] = pumpSwapSwaps.read({
    logged: [event],
    rayLogs: [],
    instructionNames,
    calls: null,
  });
  return swap;
}

test("the fees of a hop of multi_hop_swap say where it is in the chain", () => {
  const hop = (fees: Fees) => {
    const swap = read(sellEvent(fees), ["MultiHopSwap"]);
    return swap?.kind === "reported" ? (swap.place ?? null) : swap;
  };
  assert.deepEqual(hop({ lp: 2n, protocol: 0n, creator: 3n }), { isFirst: true, isLast: false });
  assert.deepEqual(hop({ lp: 0n, protocol: 9n, creator: 0n }), { isFirst: false, isLast: true });
  assert.deepEqual(hop({ lp: 0n, protocol: 0n, creator: 0n }), { isFirst: false, isLast: false });
  assert.equal(hop({ lp: 2n, protocol: 9n, creator: 3n }), null);
});

test("without multi_hop_swap in the transaction a sale is a single one, whatever fees it paid", () => {
  const swap = read(sellEvent({ lp: 2n, protocol: 0n, creator: 0n }), ["Sell"]);
  assert.equal(swap?.kind, "reported");
  assert.equal(swap?.kind === "reported" && swap.place, undefined);
  assert.equal(swap?.kind === "reported" && swap.trader, testAddress(31));
});

test("a sale whose quote took a transfer fee is skipped: its terms were never recorded", () => {
  const swap = read(sellEvent({ lp: 2n, protocol: 9n, creator: 3n }, 7n), ["SellV2"]);
  assert.equal(swap?.kind === "skipped" && swap.reason, "other-terms");
});
