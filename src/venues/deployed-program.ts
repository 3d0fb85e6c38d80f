import type { Address } from "#src/units/address.ts";
import { LOADER_V1, LOADER_V2, LOADER_V3, LOADER_V4 } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "./account-set.ts";
import { ByteReader } from "./byte-reader.ts";

/** The state of a program's code, from the program's own accounts. */
export type ProgramState =
  | {
      readonly kind: "deployed";
      /** The slot in which its code was last deployed, replaced or extended; it runs from the next one on. */
      readonly slot: bigint;
      /** Whether the code can still be replaced. */
      readonly isUpgradeable: boolean;
    }
  /** Under a loader that cannot replace code, and stores no slot. */
  | { readonly kind: "immutable" }
  | { readonly kind: "unknown"; readonly reason: UnknownProgram };

export type UnknownProgram =
  /** Not read from a node yet. */
  | "not-read"
  | "no-such-account"
  /** Its code was closed or retracted: it can't run. */
  | "no-code"
  | "loader-unknown"
  | "bytes-unreadable";

/** A Program account of loader v3: state (u32), address of its ProgramData. */
const V3_PROGRAM = 2;
const PROGRAM_DATA_AT = 4;
/** A ProgramData account of loader v3: state (u32), slot (u64), authority (option, 32 bytes), code. */
const V3_PROGRAM_DATA = 3;
const V3_SLOT_AT = 4;
const V3_AUTHORITY_AT = 12;
/** A program's account of loader v4: slot (u64), authority (32 bytes), status (u64), code. */
const V4_SLOT_AT = 0;
const V4_STATUS_AT = 40;
const V4_RETRACTED = 0n;
const V4_FINALIZED = 2n;

/** The first bytes of each account, which contain the deployment slot. */
export const PROGRAM_HEAD_BYTES = 48;

/** The account in which loader v3 stores a program's code. */
export function programDataAddress(programId: Address): Address {
  return findProgramAddress([{ address: programId }], LOADER_V3);
}

/**
 * Decodes the first `PROGRAM_HEAD_BYTES` of a program's account and of its ProgramData; null: the
 * account does not exist. Invalid bytes give "unknown", never a slot.
 *
 * @see UpgradeableLoaderState in solana-loader-v3-interface, and LoaderV4State in solana-loader-v4-interface
 */
export function decodeProgram(
  programId: Address,
  program: Account | null,
  programData: Account | null,
): ProgramState {
  if (program === null) return unknown("no-such-account");
  switch (program.owner) {
    case LOADER_V1:
    case LOADER_V2:
      return { kind: "immutable" };
    case LOADER_V3:
      return decodeV3(programId, new ByteReader(program.data), programData);
    case LOADER_V4:
      return decodeV4(new ByteReader(program.data));
    default:
      return unknown("loader-unknown");
  }
}

function decodeV3(
  programId: Address,
  program: ByteReader,
  programData: Account | null,
): ProgramState {
  if (program.length < PROGRAM_DATA_AT + 32 || program.u32(0) !== V3_PROGRAM) {
    return unknown("bytes-unreadable");
  }
  if (program.address(PROGRAM_DATA_AT) !== programDataAddress(programId)) {
    return unknown("bytes-unreadable");
  }
  if (programData === null || programData.owner !== LOADER_V3) return unknown("no-code");
  const data = new ByteReader(programData.data);
  if (data.length <= V3_AUTHORITY_AT || data.u32(0) !== V3_PROGRAM_DATA) {
    return unknown("bytes-unreadable");
  }
  return {
    kind: "deployed",
    slot: data.u64(V3_SLOT_AT),
    isUpgradeable: data.bool(V3_AUTHORITY_AT),
  };
}

function decodeV4(program: ByteReader): ProgramState {
  if (program.length < V4_STATUS_AT + 8) return unknown("bytes-unreadable");
  const status = program.u64(V4_STATUS_AT);
  if (status === V4_RETRACTED) return unknown("no-code");
  if (status > V4_FINALIZED) return unknown("bytes-unreadable");
  const isUpgradeable = status !== V4_FINALIZED;
  return { kind: "deployed", slot: program.u64(V4_SLOT_AT), isUpgradeable };
}

function unknown(reason: UnknownProgram): ProgramState {
  return { kind: "unknown", reason };
}
