import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CLOCK, dlmmAccounts, MINT_X, MINT_Y, PAIR } from "#test/support/dlmm-pool.ts";
import type { AccountSet } from "../account-set.ts";
import { meteoraDlmm } from "./adapter.ts";
import { BIN_ARRAY, LB_PAIR } from "./layout.ts";

const ACCOUNTS = [
  ...dlmmAccounts({
    bins: Array.from({ length: 300 }, (_, place) => ({ id: place - 150, x: 900n, y: 900n })),
  }),
];

/** Asks a venue everything; whatever the bytes say, each answer comes without an exception. */
function askEverything(accounts: AccountSet): string {
  meteoraDlmm.accountsNeeded(PAIR, accounts);
  meteoraDlmm.outline(PAIR, accounts);
  const found = meteoraDlmm.decode(PAIR, accounts);
  if (found.kind === "unusable") return found.reason;
  for (const inputMint of [MINT_X, MINT_Y, found.state.mintX, found.state.mintY]) {
    meteoraDlmm.status(found.state, CLOCK);
    meteoraDlmm.cautions(found.state);
    meteoraDlmm.spotPrice(found.state, inputMint);
    meteoraDlmm.reachable(found.state, inputMint, 1_000);
    meteoraDlmm.feePpm(found.state, inputMint, CLOCK);
    for (const amountIn of [1n, 10n ** 6n, (1n << 64n) - 1n]) {
      meteoraDlmm.quoteExactIn(found.state, { inputMint, amountIn, clock: CLOCK });
    }
  }
  return "pool";
}

test("any bytes in any account give a pool or a reason", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: ACCOUNTS.length - 1 }),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 40 }),
      fc.oneof(fc.constant(0), fc.integer({ min: -200, max: 200 })),
      (place, flips, grow) => {
        const accounts = new Map(ACCOUNTS);
        const [at, account] = ACCOUNTS[place] ?? [];
        if (at === undefined || account === undefined || account === null) return;
        const data = new Uint8Array(Math.max(account.data.length + grow, 0));
        data.set(account.data.subarray(0, data.length));
        for (const [offset, value] of flips) data[offset % (data.length || 1)] = value;
        accounts.set(at, { ...account, data });
        assert.match(askEverything(accounts), /^[a-z-]+$/);
      },
    ),
    { numRuns: 200 },
  );
});

test("hostile numbers in the pair's fields give a pool or a reason", () => {
  const [, pair] = ACCOUNTS.find(([at]) => at === PAIR) ?? [];
  assert.ok(pair);
  const offsets = Object.values(LB_PAIR).filter((offset) => typeof offset === "number");
  for (const offset of offsets) {
    for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
      const data = pair.data.slice();
      data.fill(byte, offset, offset + 8);
      askEverything(new Map(ACCOUNTS).set(PAIR, { ...pair, data }));
    }
  }
});

test("bins full of the largest numbers overflow into a reason", () => {
  const accounts = new Map(ACCOUNTS);
  for (const [at, account] of ACCOUNTS) {
    if (account?.data.length !== BIN_ARRAY.length) continue;
    const data = account.data.slice();
    data.fill(0xff, BIN_ARRAY.bins);
    accounts.set(at, { ...account, data });
  }
  assert.equal(askEverything(accounts), "pool");
});
