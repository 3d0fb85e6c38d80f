import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import { CLOCK, dlmmAccounts, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import type { Account } from "../account-set.ts";
import { meteoraDlmm } from "./adapter.ts";
import { BIN_ARRAY, LB_PAIR } from "./layout.ts";

const ACCOUNTS = existing(
  dlmmAccounts({
    bins: Array.from({ length: 300 }, (_, place) => ({ id: place - 150, x: 900n, y: 900n })),
  }),
);

function existing(accounts: ReadonlyMap<Address, Account | null>): Map<Address, Account> {
  const found = new Map<Address, Account>();
  for (const [at, account] of accounts) if (account !== null) found.set(at, account);
  return found;
}

test("any bytes in any account give a pool or a reason", () => {
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 12 }), (mutations) => {
      assertSurvives(meteoraDlmm, PAIR, mutated(ACCOUNTS, mutations), CLOCK);
    }),
    { numRuns: 200 },
  );
});

test("hostile numbers in the pair's fields give a pool or a reason", () => {
  const pair = ACCOUNTS.get(PAIR);
  assert.ok(pair);
  const offsets = Object.values(LB_PAIR).filter((offset) => typeof offset === "number");
  for (const offset of offsets) {
    for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
      const data = pair.data.slice();
      data.fill(byte, offset, offset + 8);
      assertSurvives(meteoraDlmm, PAIR, new Map(ACCOUNTS).set(PAIR, { ...pair, data }), CLOCK);
    }
  }
});

test("bins full of the largest numbers overflow into a reason", () => {
  const accounts = new Map(ACCOUNTS);
  for (const [at, account] of ACCOUNTS) {
    if (account.data.length !== BIN_ARRAY.length) continue;
    const data = account.data.slice();
    data.fill(0xff, BIN_ARRAY.bins);
    accounts.set(at, { ...account, data });
  }
  assertSurvives(meteoraDlmm, PAIR, accounts, CLOCK);
});
