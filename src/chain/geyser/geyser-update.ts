import type { SubscribeUpdate } from "@triton-one/yellowstone-grpc";
import { addressFromBytes } from "#src/units/address.ts";
import type { AccountUpdate } from "../chain-source.ts";
import { UndecodedTransaction } from "../undecoded-transaction.ts";
import { ACCOUNTS_FILTER } from "./geyser-request.ts";
import { ProtoFields } from "./proto-fields.ts";

/** An update of a stream, as far as it is used. */
export type GeyserUpdate = Pick<SubscribeUpdate, "slot" | "ping" | "pong"> & {
  readonly account?: StreamedAccount;
  readonly transaction?: UndecodedTransaction;
};

/** An update of an account, and which kinds of filters it passed. */
export type StreamedAccount = {
  /** Null: malformed. */
  readonly update: AccountUpdate | null;
  readonly passesAccounts: boolean;
  readonly passesPrograms: boolean;
};

/** Fields in geyser.proto: of SubscribeUpdate, of the SubscribeUpdateAccount in it, and of the account in that. */
const UPDATE = { filters: 1, account: 2, transaction: 4 } as const;
const ACCOUNT_UPDATE = { account: 1, slot: 2 } as const;
const ACCOUNT = { pubkey: 1, lamports: 2, owner: 3, data: 6 } as const;
const ADDRESS_BYTES = 32;
const MOST_COPIED_SINGLY = 512;
const ACCOUNTS_PREFIX = Buffer.from(ACCOUNTS_FILTER);

/**
 * Reads the updates of streams. Accounts, of which thousands come in a second, are read here, without objects in
 * between: the package's decoder takes 3 kB for each. It decodes everything else, a transaction when it is read.
 */
export class GeyserUpdateReader {
  readonly #decode: (bytes: Uint8Array) => SubscribeUpdate;
  readonly #update = new ProtoFields();
  readonly #accountUpdate = new ProtoFields();
  readonly #account = new ProtoFields();
  /** Thousands of kept updates are of one slot: they share its number. */
  #slot = 0n;

  constructor(decode: (bytes: Uint8Array) => SubscribeUpdate) {
    this.#decode = decode;
  }

  /**
   * The update at [start, end) of the bytes. An account shares nothing with them.
   *
   * @throws RangeError where they are not a protobuf message
   */
  read(bytes: Buffer, start: number, end: number): GeyserUpdate {
    const fields = this.#update;
    let passesAccounts = false;
    let passesPrograms = false;
    let update: AccountUpdate | null | undefined;
    fields.enter(bytes, start, end);
    while (fields.next()) {
      if (fields.field === UPDATE.transaction) {
        const own = bytes.subarray(start, end);
        return { transaction: new UndecodedTransaction(own, this.#decode) };
      }
      if (fields.field === UPDATE.account) {
        update = this.#readAccount(bytes, fields.start, fields.end);
      } else if (fields.field === UPDATE.filters) {
        if (isAccountsFilter(bytes, fields.start, fields.end)) passesAccounts = true;
        else passesPrograms = true;
      }
    }
    if (update !== undefined) return { account: { update, passesAccounts, passesPrograms } };
    const { slot, ping, pong } = this.#decode(bytes.subarray(start, end));
    return { slot, ping, pong };
  }

  #readAccount(bytes: Buffer, start: number, end: number): AccountUpdate | null {
    const fields = this.#accountUpdate;
    let slot = 0n;
    let accountStart = 0;
    let accountEnd = 0;
    fields.enter(bytes, start, end);
    while (fields.next()) {
      if (fields.field === ACCOUNT_UPDATE.slot) slot = fields.u64;
      else if (fields.field === ACCOUNT_UPDATE.account) {
        accountStart = fields.start;
        accountEnd = fields.end;
      }
    }
    if (slot !== this.#slot) this.#slot = slot;
    return this.#readState(bytes, accountStart, accountEnd, this.#slot);
  }

  #readState(bytes: Buffer, start: number, end: number, slot: bigint): AccountUpdate | null {
    const fields = this.#account;
    let pubkey = -1;
    let ownerStart = -1;
    let lamports = 0n;
    let dataStart = 0;
    let dataEnd = 0;
    fields.enter(bytes, start, end);
    while (fields.next()) {
      switch (fields.field) {
        case ACCOUNT.pubkey:
          pubkey = addressPlace(fields);
          break;
        case ACCOUNT.lamports:
          lamports = fields.u64;
          break;
        case ACCOUNT.owner:
          ownerStart = addressPlace(fields);
          break;
        case ACCOUNT.data:
          dataStart = fields.start;
          dataEnd = fields.end;
          break;
        default:
      }
    }
    if (pubkey < 0 || ownerStart < 0) return null;
    const address = addressFromBytes(bytes, pubkey);
    if (lamports === 0n) return { address, account: null, slot };
    const owner = addressFromBytes(bytes, ownerStart);
    const data = ownBytes(bytes, dataStart, dataEnd);
    return { address, account: { owner, lamports, data, slot }, slot };
  }
}

/** A few hundred bytes are copied one by one: to copy them at once takes another object, a view of them. */
function ownBytes(bytes: Buffer, start: number, end: number): Uint8Array {
  const own = new Uint8Array(end - start);
  if (own.length > MOST_COPIED_SINGLY) own.set(bytes.subarray(start, end));
  else for (let index = 0; index < own.length; index++) own[index] = bytes[start + index] ?? 0;
  return own;
}

/** Where the address begins that the last field is; -1: it is none. */
function addressPlace({ start, end }: ProtoFields): number {
  return end - start === ADDRESS_BYTES ? start : -1;
}

/** Whether the name of a filter at [start, end) is that of one for single accounts. */
function isAccountsFilter(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < ACCOUNTS_PREFIX.length) return false;
  for (let index = 0; index < ACCOUNTS_PREFIX.length; index++)
    if (bytes[start + index] !== ACCOUNTS_PREFIX[index]) return false;
  return true;
}
