import { type Address, addressFromBytes } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../../account-set.ts";
import { ByteReader } from "../../byte-reader.ts";
import { loaded } from "../own-account.ts";
import { decodable } from "../refusals.ts";
import type { TransferFee, TransferFeeSchedule } from "./transfer-fee.ts";

const BASE_LENGTH = 82;
const ACCOUNT_TYPE = 165;
const MINT_TYPE = 1;
const EXTENSIONS = 166;

const WHOLE_BPS = 10_000;

const EXTENSION = {
  transferFeeConfig: 1,
  defaultAccountState: 6,
  nonTransferable: 9,
  permanentDelegate: 12,
  transferHook: 14,
  tokenMetadata: 19,
  pausable: 26,
} as const;

/** What a mint account says about its token (method.md section 4 names which of it is a hazard). */
export type Mint = {
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority: Address | null;
  readonly freezeAuthority: Address | null;
  readonly transferFee: TransferFeeSchedule | null;
  /** Who may change the transfer fee; null if there is none or no authority. */
  readonly transferFeeAuthority: Address | null;
  /** The program that a transfer calls; null if there is no hook or it names none. */
  readonly transferHook: Address | null;
  /** Who may set the transfer hook; null if there is no authority. */
  readonly transferHookAuthority: Address | null;
  readonly permanentDelegate: Address | null;
  readonly isNonTransferable: boolean;
  readonly startsFrozen: boolean;
  /** Null where the mint can't be paused. */
  readonly pausable: { readonly isPaused: boolean; readonly authority: Address | null } | null;
  readonly metadata: { readonly name: string; readonly symbol: string } | null;
};

/**
 * An SPL Token or Token-2022 mint with the extensions that affect selling, or null where the
 * account is none or its extensions can't be read.
 *
 * @see https://github.com/solana-program/token-2022 (state.rs, extension/)
 */
export function decodeMint(account: Account | null | undefined): Mint | null {
  if (account === null || account === undefined) return null;
  if (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM) return null;
  const { data } = account;
  const isPlain = data.length === BASE_LENGTH;
  const isExtended =
    account.owner === TOKEN_2022_PROGRAM &&
    data.length > ACCOUNT_TYPE &&
    data[ACCOUNT_TYPE] === MINT_TYPE;
  if (!isPlain && !isExtended) return null;
  const reader = new ByteReader(data);
  if (reader.u8(45) !== 1) return null;
  const extensions = isExtended ? readExtensions(data) : new Map<number, Uint8Array>();
  if (extensions === null) return null;
  const extensionReader = (type: number, length: number): ByteReader | null | undefined => {
    const body = extensions.get(type);
    if (body === undefined) return undefined;
    return body.length >= length ? new ByteReader(body) : null;
  };

  const feeConfig = extensionReader(EXTENSION.transferFeeConfig, 108);
  const fee = feeConfig && transferFeeOf(feeConfig);
  const hook = extensionReader(EXTENSION.transferHook, 64);
  const delegate = extensionReader(EXTENSION.permanentDelegate, 32);
  const initial = extensionReader(EXTENSION.defaultAccountState, 1);
  const pausable = extensionReader(EXTENSION.pausable, 33);
  if (fee === null || hook === null || delegate === null || initial === null || pausable === null) {
    return null;
  }
  return {
    supply: reader.u64(36),
    decimals: reader.u8(44),
    mintAuthority: reader.u32(0) === 0 ? null : reader.address(4),
    freezeAuthority: reader.u32(46) === 0 ? null : reader.address(50),
    transferFee: fee?.schedule ?? null,
    transferFeeAuthority: fee?.authority ?? null,
    transferHookAuthority: hook === undefined ? null : optionalAddress(hook, 0),
    transferHook: hook === undefined ? null : optionalAddress(hook, 32),
    permanentDelegate: delegate === undefined ? null : optionalAddress(delegate, 0),
    isNonTransferable: extensions.has(EXTENSION.nonTransferable),
    startsFrozen: initial?.u8(0) === 2,
    pausable:
      pausable === undefined
        ? null
        : { isPaused: pausable.bool(32), authority: optionalAddress(pausable, 0) },
    metadata: readMetadata(extensions.get(EXTENSION.tokenMetadata)),
  };
}

/** @throws UnusableError where the mint is missing or undecodable */
export function loadedMint(known: AccountSet, address: Address): Mint {
  return decodable(decodeMint(loaded(known, address, "mint")), `${address} is not a mint`);
}

/** Whether the token program refuses every transfer: the mint is paused, or its tokens can't be transferred. */
export function isStopped({ isNonTransferable, pausable }: Mint): boolean {
  return isNonTransferable || pausable?.isPaused === true;
}

function readExtensions(data: Uint8Array): Map<number, Uint8Array> | null {
  const found = new Map<number, Uint8Array>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = EXTENSIONS;
  while (offset + 4 <= data.length) {
    const type = view.getUint16(offset, true);
    if (type === 0) break;
    const end = offset + 4 + view.getUint16(offset + 2, true);
    if (end > data.length) return null;
    found.set(type, data.subarray(offset + 4, end));
    offset = end;
  }
  return found;
}

type TransferFeeConfig = {
  readonly schedule: TransferFeeSchedule;
  readonly authority: Address | null;
};

/** Null where a rate is above the whole amount, which the program never writes. */
function transferFeeOf(config: ByteReader): TransferFeeConfig | null {
  const schedule = { older: readFee(config, 72), newer: readFee(config, 90) };
  const isPossible = Math.max(schedule.older.feeBps, schedule.newer.feeBps) <= WHOLE_BPS;
  return isPossible ? { schedule, authority: optionalAddress(config, 0) } : null;
}

function readFee(reader: ByteReader, offset: number): TransferFee {
  return {
    epoch: reader.u64(offset),
    maximum: reader.u64(offset + 8),
    feeBps: reader.u16(offset + 16),
  };
}

function optionalAddress(reader: ByteReader, offset: number): Address | null {
  const found = reader.address(offset);
  return found === addressFromBytes(new Uint8Array(32)) ? null : found;
}

/** Token-2022 metadata: authority, mint, then name, symbol, uri as u32 length and UTF-8 bytes. */
function readMetadata(body: Uint8Array | undefined): Mint["metadata"] {
  if (body === undefined || body.length < 72) return null;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const texts: string[] = [];
  let offset = 64;
  for (let field = 0; field < 2; field++) {
    if (offset + 4 > body.length) return null;
    const end = offset + 4 + view.getUint32(offset, true);
    if (end > body.length) return null;
    texts.push(new TextDecoder().decode(body.subarray(offset + 4, end)));
    offset = end;
  }
  const [name = "", symbol = ""] = texts;
  return { name, symbol };
}
