import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldWriter } from "#demo/field-writer.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
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

/** A BuyEvent of today by the instruction of that name. */
function buyEvent(name: string, { lp, protocol, creator }: Fees, transferFee = 0n): Uint8Array {
  const writer = new FieldWriter().raw(discriminator("67f4521f2cf57777")).i64(1_790_000_000n);
  writer.u64(100n, 0n, 0n, 0n, 5_000n, 6_000n, 1_000n, 0n, lp, 0n, protocol, 0n, 900n);
  for (const field of [30, 31, 32, 33, 34, 35]) writer.address(testAddress(field));
  writer.address(SYSTEM_PROGRAM).u64(0n, creator).bool(true).u64(0n, 0n, 0n, 0n, 0n);
  writer.u32(name.length).raw(new TextEncoder().encode(name)).u64(0n, 0n, 0n, 0n);
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

const ALL_FEES = { lp: 2n, protocol: 9n, creator: 3n };
const NO_FEES = { lp: 0n, protocol: 0n, creator: 0n };

test("a purchase that names its output reports what was charged in all", () => {
  const terms = (name: string) => {
    const swap = read(buyEvent(name, ALL_FEES), []);
    if (swap?.kind !== "reported") return swap;
    return [swap.amountIn, swap.amountOut, swap.isExactOut ?? false];
  };
  assert.deepEqual(terms("buy"), [900n, 100n, true]);
  assert.deepEqual(terms("buy_v2"), [900n, 100n, true]);
  assert.deepEqual(terms("buy_exact_quote_in"), [1_000n, 100n, false]);
  assert.deepEqual(terms("buy_exact_quote_in_v2"), [1_000n, 100n, false]);
  assert.deepEqual(terms("multi_hop_swap"), [1_000n, 100n, false]);
});

test("a purchase by an unknown instruction, or with a transfer fee, is skipped", () => {
  const reason = (event: Uint8Array) => {
    const swap = read(event, []);
    return swap?.kind === "skipped" && swap.reason;
  };
  assert.equal(reason(buyEvent("buy_v9", ALL_FEES)), "other-terms");
  assert.equal(reason(buyEvent("buy", ALL_FEES, 7n)), "other-terms");
});

test("a purchase without fees is a boost's only in a transaction that boosts", () => {
  const place = (fees: Fees, instruction: string) => {
    const swap = read(buyEvent("buy_exact_quote_in", fees), [instruction]);
    return swap?.kind === "reported" ? (swap.place ?? null) : swap;
  };
  assert.deepEqual(place(NO_FEES, "BoostBuyAndBurn"), { isFirst: false, isLast: false });
  assert.equal(place(NO_FEES, "BuyExactQuoteIn"), null);
  assert.equal(place(ALL_FEES, "BoostBuyAndBurn"), null);
});
