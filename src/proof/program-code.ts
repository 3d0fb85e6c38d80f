import { createHash } from "node:crypto";
import type { AccountSlices } from "#src/chain/chain-source.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import { LOADER_V3, LOADER_V4 } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import {
  decodeProgram,
  PROGRAM_HEAD_BYTES,
  programDataAddress,
} from "#src/venues/deployed-program.ts";

/** One reply of a mebibyte; a provider that refuses it is asked for less. */
const FIRST_SLICE_BYTES = 1024 * 1024;
const SMALLEST_SLICE_BYTES = 64 * 1024;
/** The largest program that the loaders accept. */
const MAX_CODE_BYTES = 10 * 1024 * 1024 + PROGRAM_HEAD_BYTES;
/** A ProgramData account of loader v3: 45 bytes, then the code. */
const V3_CODE_AT = 45;
const V4_CODE_AT = 48;

/** A program's code as it is deployed. */
export type ProgramCode = {
  readonly programId: Address;
  readonly loader: Address;
  /** The slot in which it was deployed; null: its loader stores none. */
  readonly deployedSlot: bigint | null;
  /** SHA-256 of the code without the zeros at its end, in hex. */
  readonly hash: string;
  readonly code: Uint8Array;
};

export type CodeRead =
  | { readonly kind: "read"; readonly program: ProgramCode }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Where a program's code is, and since which slot. */
export type CodePlace = {
  readonly loader: Address;
  readonly deployedSlot: bigint | null;
  readonly address: Address;
  readonly codeAt: number;
};

/** Reads the head of a program's accounts. Fails as the reads of a ChainSource do. */
export async function findCode(
  chain: AccountSlices,
  programId: Address,
  signal?: AbortSignal,
): Promise<CodePlace | { readonly kind: "unreadable"; readonly reason: string }> {
  const head = { offset: 0, length: PROGRAM_HEAD_BYTES };
  const dataAddress = programDataAddress(programId);
  const [program, data] = await Promise.all([
    chain.readAccountSlice(programId, head, signal),
    chain.readAccountSlice(dataAddress, head, signal),
  ]);
  const state = decodeProgram(programId, program, data);
  if (program === null || state.kind === "unknown") {
    const reason = state.kind === "unknown" ? state.reason : "no-such-account";
    return { kind: "unreadable", reason: `its code can't be read: ${reason}` };
  }
  const deployedSlot = state.kind === "deployed" ? state.slot : null;
  const loader = program.owner;
  if (loader === LOADER_V3) {
    return { loader, deployedSlot, address: dataAddress, codeAt: V3_CODE_AT };
  }
  const codeAt = loader === LOADER_V4 ? V4_CODE_AT : 0;
  return { loader, deployedSlot, address: programId, codeAt };
}

/**
 * Reads a program's whole code in parts. A deployment in between would mix two builds, so the head is
 * read again at the end; then the caller has to start over. Fails as the reads of a ChainSource do.
 */
export async function readCode(
  chain: AccountSlices,
  programId: Address,
  signal?: AbortSignal,
): Promise<CodeRead> {
  const place = await findCode(chain, programId, signal);
  if ("kind" in place) return place;
  const whole = await readWhole(chain, place.address, signal);
  if (whole === null) return { kind: "unreadable", reason: "its code is larger than a program's" };
  const after = await findCode(chain, programId, signal);
  if ("kind" in after || after.deployedSlot !== place.deployedSlot) {
    return { kind: "unreadable", reason: "it was deployed again while it was read" };
  }
  const code = whole.subarray(place.codeAt);
  const { loader, deployedSlot } = place;
  const program = { programId, loader, deployedSlot, hash: hashOf(code), code };
  return { kind: "read", program };
}

/** Null if the account is larger than a program can be, or is gone. */
async function readWhole(
  chain: AccountSlices,
  address: Address,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = FIRST_SLICE_BYTES;
  let offset = 0;
  while (offset <= MAX_CODE_BYTES) {
    const part = await readSlice(chain, address, { offset, length }, signal);
    if (part === "refused") {
      length /= 2;
      continue;
    }
    if (part === null) return null;
    parts.push(part.data);
    offset += part.data.length;
    if (part.data.length < length) return Buffer.concat(parts);
  }
  return null;
}

/** "refused": a smaller slice may be answered. */
async function readSlice(
  chain: AccountSlices,
  address: Address,
  slice: { readonly offset: number; readonly length: number },
  signal: AbortSignal | undefined,
): Promise<Account | null | "refused"> {
  try {
    return await chain.readAccountSlice(address, slice, signal);
  } catch (cause) {
    const mayBeSmaller = slice.length > SMALLEST_SLICE_BYTES;
    if (mayBeSmaller && cause instanceof AppError && cause.code === "chain_unavailable") {
      return "refused";
    }
    throw cause;
  }
}

/** As the chain's verification tools compute it: accounts are often longer than the code. */
export function hashOf(code: Uint8Array): string {
  let end = code.length;
  while (end > 0 && code[end - 1] === 0) end--;
  return createHash("sha256").update(code.subarray(0, end)).digest("hex");
}
