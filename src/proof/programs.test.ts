import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountSlices } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { deployedAccounts } from "#test/support/chain/program-accounts.ts";
import { Programs } from "./programs.ts";

const { programId: PROGRAM_ID } = pumpCurve;
const CODE = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 1);
const [FIRST_SLOT, NEXT_SLOT] = [100n, 200n];

/** A chain with one program, and a VM that takes every program; the test may hold both back. */
function opened({ isReadHeld }: { readonly isReadHeld: boolean }) {
  let accounts: ReadonlyMap<Address, Omit<Account, "slot"> | null> = new Map();
  const deploy = (slot: bigint): void => {
    accounts = deployedAccounts(PROGRAM_ID, { slot, code: CODE });
  };
  deploy(FIRST_SLOT);
  let gate: Promise<void> = Promise.resolve();
  const chain: AccountSlices = {
    readAccountSlice: async (address, { offset, length }) => {
      const found = accounts.get(address);
      if (isReadHeld) await gate;
      if (found === undefined || found === null) return null;
      return { ...found, slot: 1n, data: found.data.slice(offset, offset + length) };
    },
  };
  const programs = new Programs({
    ...{ chain, files: null, clock: { nowMs: () => 1_000 } },
    vm: { load: () => gate },
    signal: new AbortController().signal,
    onFailure: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
  });
  const slotOf = async (): Promise<bigint | string | null> => {
    const outcome = await programs.load(PROGRAM_ID);
    return outcome.kind === "loaded" ? outcome.program.deployedSlot : outcome.reason;
  };
  /** Holds back what is read, or loaded, from now on until the returned function is called. */
  const hold = () => {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    return () => {
      gate = Promise.resolve();
      held.resolve();
    };
  };
  return { programs, slotOf, deploy, hold };
}

for (const isFirst of [true, false]) {
  for (const slot of [NEXT_SLOT, null]) {
    const during = isFirst ? "the first load" : "a later check";
    const named = slot === null ? "without its slot" : "with its slot";
    test(`a deployment that is seen ${named} during ${during} is loaded next`, async () => {
      const { programs, slotOf, deploy, hold } = opened({ isReadHeld: !isFirst });
      if (!isFirst) {
        assert.equal(await slotOf(), FIRST_SLOT);
        programs.recheck(PROGRAM_ID);
      }
      const release = hold();
      const loading = slotOf();
      // What is held back was read before the deployment.
      await new Promise((resolve) => setImmediate(resolve));
      deploy(NEXT_SLOT);
      programs.recheck(PROGRAM_ID, slot);
      release();
      await loading;
      assert.equal(await slotOf(), NEXT_SLOT);
    });
  }
}
