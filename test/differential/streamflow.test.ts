import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { address } from "#src/units/address.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import type { LockTerms } from "#src/venues/lockers/lock-terms.ts";
import { CONTRACT, decodeContract, PROGRAM_ID } from "#src/venues/lockers/streamflow.ts";
import { isConsistent, openedBy, stillLocked } from "#src/venues/shared/vesting.ts";

/** Written by `tools/streamflow-vectors` with the official SDK: bytes, and what can be claimed at these times. */
type Generated = {
  readonly metadata: string;
  readonly account: string;
  readonly claims: readonly (readonly [at: number, available: string])[];
};

type Decoded = Pick<Generated, "claims"> & {
  readonly reader: ByteReader;
  readonly terms: LockTerms | null;
};

const VECTORS = new URL("../../src/venues/lockers/vectors/streamflow.jsonl.gz", import.meta.url);

let contracts: readonly Decoded[] = [];

before(() => {
  const lines = gunzipSync(readFileSync(VECTORS)).toString("utf8").trimEnd().split("\n");
  contracts = lines.map((line) => {
    const { metadata, account, claims }: Generated = JSON.parse(line);
    const data = new Uint8Array(CONTRACT.length);
    data.set(Buffer.from(account, "hex"));
    const reader = new ByteReader(data);
    const held = { owner: PROGRAM_ID, lamports: 1n, data, slot: 0n };
    const tokens = reader.address(CONTRACT.escrowTokens);
    return { claims, reader, terms: decodeContract(address(metadata), held, tokens) };
  });
});

function clockAt(at: number) {
  return { slot: 0n, unixTimestamp: BigInt(at), epoch: 0n };
}

test("thousands of generated contracts have a lock, unless they are closed or cancelled", () => {
  assert.equal(contracts.length, 3_000);
  for (const { reader, terms } of contracts) {
    const hasEnded = reader.bool(CONTRACT.closed) || reader.u64(CONTRACT.canceledAt) !== 0n;
    assert.equal(terms === null, hasEnded);
  }
});

test("a binding lock pays at each time what Streamflow's SDK says can be claimed", () => {
  let [compared, partly] = [0, 0];
  for (const { claims, terms } of contracts) {
    if (terms === null || terms.revocableTo !== null) continue;
    for (const [at, available] of claims) {
      const clock = clockAt(at);
      assert.ok(isConsistent(terms.vesting, clock));
      const due: bigint = openedBy(terms.vesting, clock) - terms.vesting.released;
      assert.equal(due, BigInt(available));
      compared++;
      if (due > 0n && stillLocked(terms.vesting, clock) !== null) partly++;
    }
  }
  assert.ok(compared > 4_000 && partly > 500, `${partly} of ${compared} partly open`);
});

test("a binding lock whose dates have passed lets the SDK claim all of it, and not all before", () => {
  let waiting = 0;
  for (const { claims, terms } of contracts) {
    if (terms === null || terms.revocableTo !== null) continue;
    const { total, released } = terms.vesting;
    for (const [at, available] of claims) {
      const locked = stillLocked(terms.vesting, clockAt(at));
      assert.equal(locked === null, BigInt(available) === total - released);
      if (locked === null) continue;
      assert.ok(locked.next.at > BigInt(at) && locked.next.at <= locked.last.at);
      waiting++;
    }
  }
  assert.ok(waiting > 1_000, `${waiting}`);
});

test("a contract that is paused, was paused, can be cancelled or has another rate never binds", () => {
  const kinds = [
    (reader: ByteReader) => reader.u64(CONTRACT.currentPauseStart) !== 0n,
    (reader: ByteReader) => reader.u64(CONTRACT.pauseCumulative) !== 0n,
    (reader: ByteReader) => reader.bool(CONTRACT.cancelableBySender),
    (reader: ByteReader) => reader.bool(CONTRACT.cancelableByRecipient),
    (reader: ByteReader) => reader.u64(CONTRACT.lastRateChangeTime) !== 0n,
  ];
  for (const isOfKind of kinds) {
    const found = contracts.filter(({ reader, terms }) => terms !== null && isOfKind(reader));
    assert.ok(found.length > 200, `${found.length}`);
    for (const { reader, terms } of found) {
      assert.equal(terms?.revocableTo, reader.address(CONTRACT.sender));
    }
  }
});
