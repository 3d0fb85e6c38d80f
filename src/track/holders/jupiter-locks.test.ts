import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { escrowAccount } from "#demo/jupiter-lock.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VESTING_ESCROW } from "#src/venues/lockers/jupiter-lock.ts";
import { escrowUntil } from "#test/support/pools/lock-accounts.ts";
import {
  BASE,
  CREATOR,
  dated,
  ESCROW,
  NOW,
  poolHeldBy,
  SHARE_MINT,
  WALLET,
} from "#test/support/pools/locked-shares.ts";

/** 100 of 600 at once in an hour, then 50 each ten minutes. */
const VESTS = {
  ...{ mint: SHARE_MINT, recipient: WALLET, creator: CREATOR, base: BASE },
  ...{ cliffAt: NOW + 3_600n, cliffAmount: 100n, period: 600n, perPeriod: 50n, periods: 10n },
};

describe("shares in a Jupiter lock", () => {
  test("count for no owner until they open, and then for the recipient, as far as they are due", async () => {
    const { chain, ask } = poolHeldBy([
      [WALLET, 400n],
      [ESCROW, 600n],
    ]);
    chain.set(ESCROW, escrowAccount(escrowUntil(0n, VESTS)));
    const last = NOW + 3_600n + 6_000n;
    assert.partialDeepStrictEqual(await ask(), {
      owners: [{ owner: WALLET, standing: "wallet", shares: 400n }],
      locked: 0n,
      unlisted: 0n,
      locks: [
        {
          locker: "jupiter-lock",
          owner: WALLET,
          shares: 600n,
          terms: dated(NOW + 3_600n, last),
        },
      ],
    });
    assert.equal(chain.reads.length, 2);
    chain.nowMs += 1_000 * (3_600 + 1_250);
    const later = await ask();
    assert.partialDeepStrictEqual(later, { owners: [{ owner: WALLET, shares: 600n }] });
    assert.deepEqual(
      later.locks.map(({ shares, terms }) => [shares, terms]),
      [[400n, dated(NOW + 3_600n + 1_800n, last)]],
    );
    chain.nowMs += 1_000 * 6_000;
    assert.partialDeepStrictEqual(await ask(), { owners: [{ shares: 1_000n }], locks: [] });
  });

  test("are read again when a part opens, at most every five seconds", async () => {
    const { chain, ask } = poolHeldBy([[ESCROW, 1_000n]]);
    const fields = { ...VESTS, cliffAt: NOW + 8n, cliffAmount: 1_000n, perPeriod: 0n };
    chain.set(ESCROW, escrowAccount(escrowUntil(0n, fields)));
    const first = await ask();
    assert.deepEqual(first.owners, []);
    chain.nowMs += 7_900;
    assert.equal(await ask(), first);
    chain.nowMs += 100;
    assert.partialDeepStrictEqual(await ask(), { owners: [{ owner: WALLET, shares: 1_000n }] });
  });

  test("that can be cancelled count as withdrawable by its creator now, with the reason", async () => {
    for (const cancelMode of [1, 2, 3]) {
      const { chain, ask } = poolHeldBy([[ESCROW, 1_000n]]);
      const fields = { ...VESTS, cliffAt: NOW - 1n, cliffAmount: 300n, perPeriod: 70n };
      chain.set(ESCROW, escrowAccount(escrowUntil(0n, { ...fields, cancelMode })));
      const found = await ask();
      assert.deepEqual(
        found.owners.map(({ owner, shares }) => [owner, shares]),
        [
          [CREATOR, 700n],
          [WALLET, 300n],
        ],
      );
      assert.deepEqual(found.locks, [
        {
          locker: "jupiter-lock",
          owner: CREATOR,
          shares: 700n,
          terms: { kind: "unknown", reason: "revocable" },
        },
      ]);
    }
  });

  test("in an undecodable lock count for the program's address, with the reason", async () => {
    const sound = escrowAccount(escrowUntil(0n, VESTS));
    const broken: Account[] = [
      { ...sound, data: sound.data.slice(0, -1) },
      { ...sound, data: new Uint8Array(VESTING_ESCROW.length) },
      escrowAccount(escrowUntil(0n, { ...VESTS, mint: WSOL })),
      escrowAccount(escrowUntil(0n, { ...VESTS, claimed: 1n })),
      escrowAccount(escrowUntil(0n, { ...VESTS, period: 0n })),
      escrowAccount(escrowUntil(0n, { ...VESTS, cancelMode: 4 })),
      // The escrow's terms claim more than it holds.
      escrowAccount(escrowUntil(0n, { ...VESTS, cliffAmount: 1_000n })),
    ];
    for (const account of broken) {
      const { chain, ask } = poolHeldBy([
        [WALLET, 400n],
        [ESCROW, 600n],
      ]);
      chain.set(ESCROW, account);
      assert.partialDeepStrictEqual(await ask(), {
        owners: [{ owner: ESCROW, standing: "program", shares: 600n }, { owner: WALLET }],
        locked: 0n,
        locks: [{ owner: ESCROW, shares: 600n, terms: { kind: "unknown", reason: "undecodable" } }],
      });
    }
  });

  test("in an account that only resembles a lock count for the program's address, without a lock", async () => {
    const { chain, ask } = poolHeldBy([[ESCROW, 1_000n]]);
    const forged = { ...escrowAccount(escrowUntil(0n, VESTS)), owner: namedAddress("forger") };
    chain.set(ESCROW, forged);
    assert.partialDeepStrictEqual(await ask(), {
      owners: [{ owner: ESCROW, standing: "program" }],
      locks: [],
    });
  });

  test("beyond the amount in the lock's terms are not locked", async () => {
    const { chain, ask } = poolHeldBy([
      [ESCROW, 700n],
      [ESCROW, 300n],
    ]);
    chain.set(ESCROW, escrowAccount(escrowUntil(0n, VESTS)));
    assert.partialDeepStrictEqual(await ask(), {
      owners: [{ owner: ESCROW, standing: "program", shares: 400n }],
      locks: [{ shares: 600n }],
    });
  });

  test("that open after the year 9999 are locked for good", async () => {
    const { chain, ask } = poolHeldBy([[ESCROW, 1_000n]]);
    const never = { ...VESTS, cliffAt: 1n << 62n, cliffAmount: 1_000n, perPeriod: 0n };
    chain.set(ESCROW, escrowAccount(escrowUntil(0n, never)));
    assert.partialDeepStrictEqual(await ask(), { owners: [], locked: 1_000n, locks: [] });
  });
});
