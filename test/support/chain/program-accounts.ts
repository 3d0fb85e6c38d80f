import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { LOADER_V3 } from "#src/units/known-addresses.ts";
import { programDataAddress } from "#src/venues/deployed-program.ts";

const HEAD_BYTES = 45;

/** The two accounts of a program of the upgradeable loader, with this code. */
export function deployedAccounts(
  programId: Address,
  { slot, code }: { readonly slot: bigint; readonly code: Uint8Array },
): AccountChanges {
  const dataAddress = programDataAddress(programId);
  const program = new Uint8Array(36);
  new DataView(program.buffer).setUint32(0, 2, true);
  program.set(bytesOf(dataAddress), 4);
  const data = new Uint8Array(HEAD_BYTES + code.length);
  const view = new DataView(data.buffer);
  view.setUint32(0, 3, true);
  view.setBigUint64(4, slot, true);
  data[12] = 1;
  data.set(code, HEAD_BYTES);
  const account = { owner: LOADER_V3, lamports: 1_141_440n, slot };
  return new Map([
    [programId, { ...account, data: program }],
    [dataAddress, { ...account, data }],
  ]);
}
