import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { AccountVersions } from "./account-versions.ts";

const MEBIBYTE = 1024 * 1024;

function updates(versions: AccountVersions, { count, bytes }: { count: number; bytes: number }) {
  for (let slot = 1; slot <= count; slot++) {
    const data = new Uint8Array(bytes).fill(slot);
    const account = { owner: WSOL, lamports: 1n, data, slot: BigInt(slot) };
    versions.add({ address: WSOL, account, slot: BigInt(slot) });
  }
}

test("a small account's versions of the last hundred slots are kept apart", () => {
  const versions = new AccountVersions();
  updates(versions, { count: 150, bytes: 8 });
  for (const slot of [60n, 100n, 151n])
    assert.equal(versions.before(slot).get(WSOL)?.data[0], Number(slot) - 1);
  assert.equal(versions.before(40n).get(WSOL), undefined);
});

test("of a very large account only the newest versions are held", () => {
  const versions = new AccountVersions();
  updates(versions, { count: 20, bytes: MEBIBYTE });
  assert.equal(versions.before(21n).get(WSOL)?.data[0], 20);
  assert.equal(versions.before(20n).get(WSOL)?.data[0], 19);
  assert.equal(versions.before(19n).get(WSOL), undefined);
});

test("a quiet account that is read again drops its old versions", () => {
  const versions = new AccountVersions();
  updates(versions, { count: 10, bytes: 8 });
  const data = new Uint8Array(8).fill(10);
  const account = { owner: WSOL, lamports: 1n, data, slot: 500n };
  versions.add({ address: WSOL, account, slot: 500n });
  assert.equal(versions.before(5n).get(WSOL), undefined);
  assert.equal(versions.before(501n).get(WSOL)?.data[0], 10);
});
