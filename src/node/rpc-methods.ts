import { type Address, addressFromBytes } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { decodeTokenAccount } from "#src/venues/shared/token/token-account.ts";
import { accountText } from "./account-json.ts";
import type { Ledger } from "./ledger.ts";
import { invalidParams, RpcError } from "./rpc-error.ts";
import {
  accountConfigParam,
  addressParam,
  configParam,
  filterParam,
  numberParam,
} from "./rpc-params.ts";
import { searchKeyOfRequest } from "./search-key.ts";
import { SLOT_MS, SLOTS_PER_EPOCH } from "./slot-clock.ts";
import { signatureEntryText, transactionText } from "./transaction-json.ts";

/** From parameters to the `result` as JSON text. @throws RpcError */
export type RpcMethod = (ledger: Ledger, params: readonly unknown[]) => string;

const MAX_ADDRESSES = 100;
/** The number of holders that a node lists for a mint. */
const MAX_LARGEST = 20;
const MAX_SIGNATURES = 1_000;

/** The methods over HTTP, with the answers of a real node. */
export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  ["getAccountInfo", getAccountInfo],
  ["getMultipleAccounts", getMultipleAccounts],
  ["getProgramAccounts", getProgramAccounts],
  ["getTokenLargestAccounts", getTokenLargestAccounts],
  ["getSlot", (ledger, [config]) => checkedSlot(ledger, config)],
  ["getBlockHeight", (ledger, [config]) => checkedSlot(ledger, config)],
  ["getBlockTime", getBlockTime],
  ["getEpochInfo", getEpochInfo],
  ["getHealth", () => `"ok"`],
  ["getVersion", () => `{"solana-core":"3.0.0","feature-set":0}`],
  ["getGenesisHash", () => `"${addressFromBytes(new Uint8Array(32).fill(7))}"`],
  ["getTransaction", getTransaction],
  ["getSignaturesForAddress", getSignaturesForAddress],
]);

/** `{"context":...,"value":...}` around a value's JSON text. */
export function withContext(slot: bigint, value: string): string {
  return `{"context":{"slot":${slot}},"value":${value}}`;
}

function getAccountInfo(ledger: Ledger, [pubkey, options]: readonly unknown[]): string {
  const address = addressParam(pubkey);
  const config = accountConfigParam(options);
  checkMinContextSlot(ledger, config.minContextSlot);
  const account = ledger.get(address);
  const text = account === null ? "null" : accountText(account, config.encoding, config.dataSlice);
  return withContext(ledger.clock.slot, text);
}

function getMultipleAccounts(ledger: Ledger, [pubkeys, options]: readonly unknown[]): string {
  if (!Array.isArray(pubkeys)) {
    throw invalidParams("`params` should have at least 1 argument(s)");
  }
  if (pubkeys.length > MAX_ADDRESSES) {
    throw invalidParams(`Too many inputs provided; max ${MAX_ADDRESSES}`);
  }
  const config = accountConfigParam(options);
  checkMinContextSlot(ledger, config.minContextSlot);
  const texts = pubkeys.map(addressParam).map((address) => {
    const account = ledger.get(address);
    // Unlike getAccountInfo, this method's default encoding is base64.
    return account === null
      ? "null"
      : accountText(account, config.encoding ?? "base64", config.dataSlice);
  });
  return withContext(ledger.clock.slot, `[${texts.join(",")}]`);
}

function getProgramAccounts(ledger: Ledger, [program, options]: readonly unknown[]): string {
  const programId = addressParam(program);
  const config = accountConfigParam(options);
  const { filters, withContext: wantsContext } = configParam(options);
  const matches = filterParam(filters);
  if (ledger.refusedSearches.has(searchKeyOfRequest(programId, filters))) {
    throw new RpcError(
      -32010,
      `${programId} excluded from account secondary indexes; this RPC method unavailable for key`,
    );
  }
  checkMinContextSlot(ledger, config.minContextSlot);
  const texts: string[] = [];
  for (const address of ledger.ownedBy(programId)) {
    const account = ledger.get(address);
    if (account === null || !matches(account)) continue;
    const text = accountText(account, config.encoding, config.dataSlice);
    texts.push(`{"pubkey":"${address}","account":${text}}`);
  }
  const list = `[${texts.join(",")}]`;
  return wantsContext === true ? withContext(ledger.clock.slot, list) : list;
}

/** The balance of a token account, with the decimals of its mint. */
function getTokenLargestAccounts(ledger: Ledger, [pubkey, options]: readonly unknown[]): string {
  const mint = addressParam(pubkey);
  checkMinContextSlot(ledger, accountConfigParam(options).minContextSlot);
  const decoded = decodeMint(ledger.get(mint));
  if (decoded === null) throw invalidParams("Invalid param: not a Token mint");
  if (ledger.isRecorded) {
    // A recording holds only some accounts: an empty list would be wrong.
    throw new RpcError(-32601, "the holders of a mint were not recorded");
  }
  const program = ledger.get(mint)?.owner ?? TOKEN_PROGRAM;
  const held: { readonly address: Address; readonly amount: bigint }[] = [];
  for (const address of ledger.ownedBy(program)) {
    const token = decodeTokenAccount(ledger.get(address));
    if (token?.mint === mint) held.push({ address, amount: token.amount });
  }
  const texts = held
    .toSorted((a, b) => compareBigints(b.amount, a.amount))
    .slice(0, MAX_LARGEST)
    .map(({ address, amount }) => {
      const uiAmountString = decimalText(amount, decoded.decimals);
      return JSON.stringify({
        address,
        amount: String(amount),
        decimals: decoded.decimals,
        uiAmount: Number(uiAmountString),
        uiAmountString,
      });
    });
  return withContext(ledger.clock.slot, `[${texts.join(",")}]`);
}

/** Whole tokens in decimal digits, without trailing zeros. */
function decimalText(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

function checkedSlot(ledger: Ledger, config: unknown): string {
  checkMinContextSlot(ledger, accountConfigParam(config).minContextSlot);
  return `${ledger.clock.slot}`;
}

function getBlockTime(ledger: Ledger, [asked]: readonly unknown[]): string {
  const slot = BigInt(numberParam(asked));
  const behind = ledger.clock.slot - slot;
  if (behind < 0n) throw new RpcError(-32004, `Block not available for slot ${slot}`);
  return `${ledger.clock.unixTimestamp - (behind * BigInt(SLOT_MS)) / 1000n}`;
}

function getEpochInfo({ clock }: Ledger): string {
  return JSON.stringify({
    absoluteSlot: toNumber(clock.slot),
    blockHeight: toNumber(clock.slot),
    epoch: toNumber(clock.epoch),
    slotIndex: toNumber(clock.slot % SLOTS_PER_EPOCH),
    slotsInEpoch: toNumber(SLOTS_PER_EPOCH),
    transactionCount: null,
  });
}

function getTransaction(ledger: Ledger, [signature, options]: readonly unknown[]): string {
  if (typeof signature !== "string") throw invalidParams("Invalid param: WrongSize");
  const encoding = typeof options === "string" ? options : configParam(options)["encoding"];
  if (encoding !== undefined && encoding !== "json") {
    throw invalidParams("this local node prints transactions in encoding `json` only");
  }
  const found = ledger.transaction(signature);
  return found === null ? "null" : transactionText(found);
}

function getSignaturesForAddress(ledger: Ledger, [pubkey, options]: readonly unknown[]): string {
  const address = addressParam(pubkey);
  const { limit, before, until } = configParam(options);
  const most = limit === undefined ? MAX_SIGNATURES : numberParam(limit);
  if (most < 1 || most > MAX_SIGNATURES) {
    throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
  }
  const newestFirst = [...ledger.transactions()].reverse();
  const start =
    before === undefined ? 0 : newestFirst.findIndex((found) => found.signature === before) + 1;
  const texts: string[] = [];
  for (const transaction of newestFirst.slice(start)) {
    if (transaction.signature === until || texts.length >= most) break;
    if (mentions(transaction, address)) texts.push(signatureEntryText(transaction));
  }
  return `[${texts.join(",")}]`;
}

/** Whether a transaction names an address anywhere. */
export function mentions(
  transaction: Parameters<typeof transactionText>[0],
  address: Address,
): boolean {
  return (
    transaction.feePayer === address ||
    [transaction.instruction, ...transaction.inner].some(
      ({ programId, accounts }) => programId === address || accounts.includes(address),
    )
  );
}

function checkMinContextSlot(ledger: Ledger, minContextSlot: number | null): void {
  if (minContextSlot === null || ledger.clock.slot >= BigInt(minContextSlot)) return;
  throw new RpcError(
    -32016,
    "Minimum context slot has not been reached",
    `{"contextSlot":${ledger.clock.slot}}`,
  );
}
