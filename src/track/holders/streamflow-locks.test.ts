import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ByteWriter } from "#demo/byte-writer.ts";
import * as streamflow from "#src/venues/lockers/streamflow.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { contractAccount } from "#test/support/pools/lock-accounts.ts";
import {
  CREATOR,
  dated,
  NOW,
  neverAnswered,
  poolHeldBy,
  SHARE_MINT,
  WALLET,
} from "#test/support/pools/locked-shares.ts";

describe("shares in a Streamflow contract", () => {
  const METADATA = namedAddress("metadata");
  const TOKENS = streamflow.escrowTokensOf(METADATA);
  const CONTRACT = {
    ...{ metadata: METADATA, mint: SHARE_MINT, sender: CREATOR, recipient: WALLET },
    ...{ cliffAt: NOW - 50n, cliffAmount: 100n, period: 100n, perPeriod: 300n },
    ...{ deposited: 990n, withdrawn: 40n, endsAt: NOW + 250n },
  };

  function heldByContract(change: (writer: ByteWriter) => unknown = () => null) {
    // 50 are fees, which the program pays to others.
    const { chain, ask } = poolHeldBy([[TOKENS, 1_000n, TOKENS]]);
    const account = contractAccount(CONTRACT);
    change(new ByteWriter(account.data));
    chain.set(METADATA, account);
    return { chain, ask };
  }

  test("are found by one search, and open by the contract's terms", async () => {
    const { chain, ask } = heldByContract();
    const found = await ask();
    assert.equal(chain.searches.length, 1);
    assert.deepEqual(
      found.owners.map(({ owner, standing, shares }) => [owner, standing, shares]),
      [
        [WALLET, "wallet", 60n],
        [TOKENS, "program", 50n],
      ],
    );
    assert.deepEqual(found.locks, [
      {
        locker: "streamflow",
        owner: WALLET,
        shares: 890n,
        terms: dated(NOW + 50n, NOW + 250n),
      },
    ]);
    chain.nowMs += 250_000;
    assert.partialDeepStrictEqual(await ask(), { owners: [{ owner: WALLET, shares: 950n }] });
  });

  test("count for the sender now if the contract can be cancelled or changed, or was paused", async () => {
    for (const change of [
      (writer: ByteWriter) => writer.u8(streamflow.CONTRACT.cancelableBySender, 1),
      (writer: ByteWriter) => writer.u8(streamflow.CONTRACT.cancelableByRecipient, 1),
      (writer: ByteWriter) => writer.u8(streamflow.CONTRACT.canUpdateRate, 1),
      (writer: ByteWriter) => writer.u64(streamflow.CONTRACT.pauseCumulative, 1n),
      (writer: ByteWriter) => writer.address(streamflow.CONTRACT.feePartner, CREATOR),
      (writer: ByteWriter) => writer.u64(streamflow.CONTRACT.cancelRequestTime, 1n),
    ]) {
      const found = await heldByContract(change).ask();
      assert.partialDeepStrictEqual(found, {
        owners: [{ owner: CREATOR, shares: 890n }, { owner: WALLET }, { owner: TOKENS }],
        locks: [{ owner: CREATOR, terms: { kind: "unknown", reason: "revocable" } }],
      });
    }
  });

  test("count for the program's address if the contract is closed, forged or about other tokens", async () => {
    const other = namedAddress("other");
    for (const change of [
      (writer: ByteWriter) => writer.u8(streamflow.CONTRACT.closed, 1),
      (writer: ByteWriter) => writer.u64(streamflow.CONTRACT.canceledAt, 1n),
      (writer: ByteWriter) => writer.address(streamflow.CONTRACT.oldMetadata, other),
      (writer: ByteWriter) => writer.address(streamflow.CONTRACT.mint, other),
      (writer: ByteWriter) => writer.u64(streamflow.CONTRACT.amountWithdrawn, 700n),
    ]) {
      assert.partialDeepStrictEqual(await heldByContract(change).ask(), {
        owners: [{ owner: TOKENS, standing: "program", shares: 1_000n }],
        locks: [{ terms: { kind: "unknown", reason: "undecodable" } }],
      });
    }
  });

  test("whose search the node refuses change nothing else", async () => {
    const { chain, ask } = heldByContract();
    chain.refusedPrograms.add(streamflow.PROGRAM_ID);
    assert.partialDeepStrictEqual(await ask(), {
      owners: [{ owner: TOKENS, standing: "program", shares: 1_000n }],
      locks: [{ locker: "streamflow", terms: { kind: "unknown", reason: "not-read" } }],
    });
  });

  test("that are not found within three seconds leave the pool known", async (t) => {
    t.mock.timers.enable();
    const tokens = [1, 2, 3, 4].map((each) =>
      streamflow.escrowTokensOf(namedAddress(`metadata ${each}`)),
    );
    const { chain, ask } = poolHeldBy(tokens.map((each) => [each, 250n, each]));
    const matches = ({ programId }: ProgramFilter) => programId === streamflow.PROGRAM_ID;
    const underWay = neverAnswered(chain, { count: 4, matches });
    const asked = ask();
    await underWay;
    t.mock.timers.tick(3_000);
    const { owners, locks } = await asked;
    assert.equal(owners.length, 4);
    const reason = { kind: "unknown", reason: "not-read" } as const;
    for (const { shares, terms } of locks) assert.deepEqual([shares, terms], [250n, reason]);
    assert.equal(locks.length, 4);
  });
});
