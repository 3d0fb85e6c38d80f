import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { LOADER_V3, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { ByteWriter } from "./byte-writer.ts";

const PROGRAM_BYTES = 36;
const PROGRAM_DATA_HEAD_BYTES = 45;
/** Size of the code account. A real program has megabytes; this is enough to detect that its code is read. */
const CODE_BYTES = 4_096;
const LAMPORTS = 1_141_440n;

/** The demo market's programs were deployed before its first slot, whenever it is started. */
export const DEMO_DEPLOYED_SLOT = 310_000_000n;

/** The two accounts of a program of the upgradeable loader, deployed in that slot. */
export function programAccounts(programId: Address, deployedSlot: bigint): AccountChanges {
  const programData = findProgramAddress([{ address: programId }], LOADER_V3);
  const program = new ByteWriter(new Uint8Array(PROGRAM_BYTES)).u32(0, 2).address(4, programData);
  const data = new ByteWriter(new Uint8Array(PROGRAM_DATA_HEAD_BYTES + CODE_BYTES).fill(0xc0))
    .u32(0, 3)
    .u64(4, deployedSlot)
    .u8(12, 1)
    .address(13, SYSTEM_PROGRAM);
  const account = { owner: LOADER_V3, lamports: LAMPORTS, slot: deployedSlot };
  return new Map([
    [programId, { ...account, data: program.bytes }],
    [programData, { ...account, data: data.bytes }],
  ]);
}
