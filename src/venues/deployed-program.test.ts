import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { programAccounts } from "#demo/program-accounts.ts";
import { address } from "#src/units/address.ts";
import {
  LOADER_V1,
  LOADER_V2,
  LOADER_V3,
  LOADER_V4,
  SYSTEM_PROGRAM,
} from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodeProgram, PROGRAM_HEAD_BYTES, programDataAddress } from "./deployed-program.ts";

const PUMPSWAP = address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA");
const DEPLOYED_SLOT = 431_172_301n;

const account = (owner: Account["owner"], data: Uint8Array): Account => ({
  owner,
  lamports: 1n,
  data,
  slot: 0n,
});

/** The program's account and its ProgramData, cut as they are read. */
function deployed(change: { readonly authority?: number; readonly state?: number } = {}) {
  const accounts = programAccounts(PUMPSWAP, DEPLOYED_SLOT);
  const program = accounts.get(PUMPSWAP) ?? null;
  const whole = accounts.get(programDataAddress(PUMPSWAP)) ?? null;
  assert.ok(program !== null && whole !== null);
  const data = whole.data.slice(0, PROGRAM_HEAD_BYTES);
  data[0] = change.state ?? 3;
  data[12] = change.authority ?? 1;
  return { program, programData: { ...whole, data } };
}

/** The header of loader v4: slot, authority, status. */
function v4(status: bigint): Account {
  const data = new Uint8Array(48);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, DEPLOYED_SLOT, true);
  view.setBigUint64(40, status, true);
  return account(LOADER_V4, data);
}

/** As mainnet's Program accounts name them. */
const PROGRAM_DATA_OF = [
  ["whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc", "CtXfPzz36dH5Ws4UYKZvrQ1Xqzn42ecDW6y8NKuiN8nD"],
  ["675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8", "A7ZG7ByDi8DpzT9Ab7CiXhvgYTJQmaDPJkMDoPitaCQV"],
  ["6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P", "B5MvUwXdiW1NMM6QFFD3ssPKBujD4zMohncbM73Z2BQu"],
] as const;

test("the ProgramData address is the one in mainnet's program accounts", () => {
  for (const [programId, programData] of PROGRAM_DATA_OF)
    assert.equal(programDataAddress(address(programId)), programData);
});

test("an upgradeable program gives its deployed slot, and whether it can still be replaced", () => {
  const { program, programData } = deployed();
  assert.deepEqual(decodeProgram(PUMPSWAP, program, programData), {
    kind: "deployed",
    slot: DEPLOYED_SLOT,
    isUpgradeable: true,
  });
  const final = deployed({ authority: 0 });
  assert.deepEqual(decodeProgram(PUMPSWAP, final.program, final.programData), {
    kind: "deployed",
    slot: DEPLOYED_SLOT,
    isUpgradeable: false,
  });
});

test("a program of loader v4 gives its slot in its own account; a retracted one has no code", () => {
  const read = (status: bigint) => decodeProgram(PUMPSWAP, v4(status), null);
  assert.deepEqual(read(1n), { kind: "deployed", slot: DEPLOYED_SLOT, isUpgradeable: true });
  assert.deepEqual(read(2n), { kind: "deployed", slot: DEPLOYED_SLOT, isUpgradeable: false });
  assert.deepEqual(read(0n), { kind: "unknown", reason: "no-code" });
  assert.deepEqual(read(3n), { kind: "unknown", reason: "bytes-unreadable" });
});

test("a loader without upgrades gives immutable, not slot 0", () => {
  for (const loader of [LOADER_V1, LOADER_V2]) {
    const code = account(loader, new Uint8Array(PROGRAM_HEAD_BYTES).fill(0x7f));
    assert.deepEqual(decodeProgram(PUMPSWAP, code, null), { kind: "immutable" });
  }
});

test("unreadable accounts give unknown, with the reason", () => {
  const { program, programData } = deployed();
  const unknown = (reason: string) => ({ kind: "unknown", reason });
  const read = (own: Account | null, data: Account | null) => decodeProgram(PUMPSWAP, own, data);
  assert.deepEqual(read(null, programData), unknown("no-such-account"));
  assert.deepEqual(read(program, null), unknown("no-code"));
  assert.deepEqual(read(program, account(SYSTEM_PROGRAM, new Uint8Array())), unknown("no-code"));
  assert.deepEqual(read(account(SYSTEM_PROGRAM, program.data), null), unknown("loader-unknown"));
  assert.deepEqual(read(program, deployed({ state: 1 }).programData), unknown("bytes-unreadable"));
  const elsewhere = { ...program, data: program.data.with(9, 0) };
  assert.deepEqual(read(elsewhere, programData), unknown("bytes-unreadable"));
});

test("no bytes make it throw", () => {
  const { program } = deployed();
  const owner = fc.constantFrom(LOADER_V3, LOADER_V4);
  const bytes = fc.uint8Array({ maxLength: PROGRAM_HEAD_BYTES });
  fc.assert(
    fc.property(owner, bytes, bytes, (loader, own, data) => {
      decodeProgram(PUMPSWAP, account(loader, own), account(LOADER_V3, data));
      decodeProgram(PUMPSWAP, program, account(LOADER_V3, data));
    }),
  );
});
