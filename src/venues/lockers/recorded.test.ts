import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";
import { meteoraDammV2 } from "../meteora-damm-v2/adapter.ts";
import { PROGRAM_ID as DAMM_V2, POOL } from "../meteora-damm-v2/layout.ts";
import { isConsistent, openedBy, stillLocked, type Vesting } from "../shared/vesting.ts";
import { decodeEscrow, PROGRAM_ID as JUPITER_LOCK } from "./jupiter-lock.ts";

type Claim = { readonly escrow: string; readonly at: string; readonly claimed: string };
type Refresh = {
  readonly position: string;
  readonly vesting: string | null;
  readonly countsSlots: boolean;
  readonly at: string;
  readonly unlocked: string;
};

/** Written by `tools/record-lock-vectors.ts` from the compiled programs. */
function recorded<Line>(name: string): readonly Line[] {
  return JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8"));
}

function accountOf(owner: typeof DAMM_V2, hex: string) {
  return { owner, lamports: 1n, data: Uint8Array.from(Buffer.from(hex, "hex")), slot: 0n };
}

const clockAt = (at: bigint, countsSlots = false) => ({
  slot: countsSlots ? at : 0n,
  unixTimestamp: countsSlots ? 0n : at,
  epoch: 0n,
});

test("Jupiter Lock's compiled program pays the amount that is due by its escrows' terms", () => {
  const claims = recorded<Claim>("jupiter-lock");
  for (const { escrow, at, claimed } of claims) {
    const terms = decodeEscrow(accountOf(JUPITER_LOCK, escrow));
    assert.ok(terms);
    const { vesting, revocableTo } = terms;
    assert.equal(revocableTo, null);
    assert.ok(isConsistent(vesting, clockAt(BigInt(at))));
    assert.equal(openedBy(vesting, clockAt(BigInt(at))) - vesting.released, BigInt(claimed));
  }
  const paid = claims.filter(({ claimed }) => claimed !== "0");
  assert.ok(paid.length > 20 && paid.length < claims.length, `${paid.length} of ${claims.length}`);
});

test("DAMM v2's compiled program releases the liquidity that is due by the vestings of a position", () => {
  const refreshes = recorded<Refresh>("meteora-damm-v2");
  let partly = 0;
  for (const { position, vesting, countsSlots, at, unlocked } of refreshes) {
    const { pool, accounts } = dammV2Fixture(dammV2State());
    const account = accounts.get(pool);
    assert.ok(account);
    account.data[POOL.activationType] = countsSlots ? 0 : 1;
    const shares = meteoraDammV2.shares(pool, accounts);
    assert.ok(shares?.kind === "positions");
    const share = shares.decode(accountOf(DAMM_V2, position));
    assert.ok(share);
    const elsewhere =
      vesting === null
        ? null
        : shares.accountsOf(share).vestingAccounts.decode(accountOf(DAMM_V2, vesting));
    assert.equal(elsewhere === null, vesting === null);
    const clock = clockAt(BigInt(at), countsSlots);
    const all = [share.ownVesting, elsewhere].filter((each): each is Vesting => each !== null);
    assert.ok(all.every((each) => isConsistent(each, clock)));
    const counted = all.reduce((sum, each) => sum + each.total - each.released, 0n);
    assert.equal(counted, share.vesting);
    const due = all.reduce((sum, each) => sum + openedBy(each, clock) - each.released, 0n);
    assert.equal(share.unlocked + due, BigInt(unlocked));
    if (due > 0n && all.some((each) => stillLocked(each, clock) !== null)) partly++;
  }
  assert.ok(partly > 10, `${partly} of ${refreshes.length}`);
});
