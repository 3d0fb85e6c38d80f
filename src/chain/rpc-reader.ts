import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type {
  AccountsRead,
  ChainHead,
  LargestAccounts,
  ObservedTransaction,
  SearchResult,
} from "./chain-source.ts";
import type { JsonRpcCall, JsonRpcClient } from "./json-rpc-client.ts";
import { createRequestLimiter } from "./request-limiter.ts";
import {
  type AccountsAnswer,
  garbage,
  parseClock,
  parseLargestAccounts,
  parseMultipleAccounts,
  parseProgramAccounts,
} from "./rpc-answers.ts";
import { RpcFailure } from "./rpc-failure.ts";
import { parseTransaction } from "./rpc-transaction.ts";

/** What a node takes in one getMultipleAccounts. */
const BATCH = 100;
const READ_TIMEOUT_MS = 8_000;
/** Providers scan every account of the program for these. */
const SEARCH_TIMEOUT_MS = 25_000;
const LIMITS = { maxActive: 12, maxWaiting: 2_000 };
/** Reads made again because the node answered from an older slot than one already seen. */
const STALE_RETRIES = 3;

export type Commitment = "processed" | "confirmed" | "finalized";

export type RpcReaderOptions = {
  readonly client: JsonRpcClient;
  readonly commitment: Commitment;
  readonly nowMs: NowMs;
  /** Before a batch that came from an older slot is asked for again. */
  readonly staleWaitMs: number;
};

/** The reads of a ChainSource, over JSON-RPC. */
export type RpcReader = {
  readonly readAccounts: (
    addresses: readonly Address[],
    signal?: AbortSignal,
  ) => Promise<AccountsRead>;
  readonly readAccountStarts: (
    addresses: readonly Address[],
    bytes: number,
    signal?: AbortSignal,
  ) => Promise<AccountsRead>;
  readonly searchAccounts: (filter: ProgramFilter, signal?: AbortSignal) => Promise<SearchResult>;
  readonly findLargestAccounts: (mint: Address, signal?: AbortSignal) => Promise<LargestAccounts>;
  readonly readHead: (signal?: AbortSignal) => Promise<ChainHead>;
  readonly readTransaction: (
    signature: string,
    signal?: AbortSignal,
  ) => Promise<ObservedTransaction | null>;
};

/** Accounts of one request; `bytes`: how much of each, null: all. */
type Batch = { readonly addresses: readonly Address[]; readonly bytes: number | null };

export function createRpcReader(options: RpcReaderOptions): RpcReader {
  const { client, commitment, nowMs, staleWaitMs } = options;
  const limiter = createRequestLimiter(LIMITS);
  /** Behind a balancer stand nodes of different age; none should answer from before this slot. */
  let newestSlot = 0n;

  function ask<Result>(
    request: JsonRpcCall,
    parse: (result: unknown) => Result,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return limiter.run(() => client.call(request, parse, signal), signal);
  }

  function readOnce({ addresses: batch, bytes }: Batch, signal: AbortSignal | undefined) {
    const slice = bytes === null ? {} : { dataSlice: { offset: 0, length: bytes } };
    const params = [batch, { encoding: "base64", commitment, ...slice }];
    const request = { method: "getMultipleAccounts", params, timeoutMs: READ_TIMEOUT_MS };
    return ask(request, (result) => parseMultipleAccounts(result, batch), signal);
  }

  async function readBatch(batch: Batch, signal: AbortSignal | undefined): Promise<AccountsAnswer> {
    for (let retries = 0; ; retries++) {
      const floor = newestSlot;
      const answer = await readOnce(batch, signal);
      if (answer.slot >= floor || retries >= STALE_RETRIES) {
        // A node that stays behind, or a slot that was a lie: what it says now is all there is.
        newestSlot = answer.slot >= floor ? maxSlot(newestSlot, answer.slot) : answer.slot;
        return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, staleWaitMs));
    }
  }

  function readAccounts(
    addresses: readonly Address[],
    signal?: AbortSignal,
  ): Promise<AccountsRead> {
    return readAll(addresses, null, signal);
  }

  async function readAccountStarts(
    addresses: readonly Address[],
    bytes: number,
    signal?: AbortSignal,
  ): Promise<AccountsRead> {
    const { slot, accounts } = await readAll(addresses, bytes, signal);
    return { slot, accounts: new Map([...accounts].map(([at, whole]) => [at, cut(whole, bytes)])) };
  }

  async function readAll(
    addresses: readonly Address[],
    bytes: number | null,
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const wanted = [...new Set(addresses)];
    const batches: Batch[] = [];
    for (let start = 0; start < wanted.length; start += BATCH) {
      batches.push({ addresses: wanted.slice(start, start + BATCH), bytes });
    }
    const answers = await Promise.all(batches.map((batch) => readBatch(batch, signal))).catch(
      asUnavailable,
    );
    const accounts = new Map<Address, Account | null>();
    let slot: bigint | null = null;
    for (const answer of answers) {
      for (const [address, account] of answer.accounts) accounts.set(address, account);
      if (slot === null || answer.slot < slot) slot = answer.slot;
    }
    return { slot: slot ?? newestSlot, accounts };
  }

  async function searchAccounts(
    filter: ProgramFilter,
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    const config = {
      encoding: "base64",
      commitment,
      withContext: true,
      filters: filtersOf(filter),
    };
    const params = [filter.programId, config];
    const request = { method: "getProgramAccounts", params, timeoutMs: SEARCH_TIMEOUT_MS };
    try {
      const answer = await ask(request, (result) => parseProgramAccounts(result, filter), signal);
      return { kind: "found", ...answer };
    } catch (error) {
      return asRefused(error);
    }
  }

  async function findLargestAccounts(
    mint: Address,
    signal?: AbortSignal,
  ): Promise<LargestAccounts> {
    // The method knows no commitment below confirmed.
    const config = { commitment: commitment === "processed" ? "confirmed" : commitment };
    const params = [mint, config];
    const request = { method: "getTokenLargestAccounts", params, timeoutMs: READ_TIMEOUT_MS };
    try {
      return { kind: "found", addresses: await ask(request, parseLargestAccounts, signal) };
    } catch (error) {
      return asRefused(error);
    }
  }

  async function readHead(signal?: AbortSignal): Promise<ChainHead> {
    const { accounts } = await readAccounts([CLOCK_SYSVAR], signal);
    const account = accounts.get(CLOCK_SYSVAR);
    const clock = account === null || account === undefined ? null : parseClock(account.data);
    if (clock === null) return asUnavailable(garbage("no Clock sysvar"));
    return { clock, receivedAtMs: nowMs() };
  }

  async function readTransaction(
    signature: string,
    signal?: AbortSignal,
  ): Promise<ObservedTransaction | null> {
    const config = {
      encoding: "json",
      commitment: commitment === "processed" ? "confirmed" : commitment,
      maxSupportedTransactionVersion: 0,
    };
    const params = [signature, config];
    const request = { method: "getTransaction", params, timeoutMs: READ_TIMEOUT_MS };
    return ask(request, (result) => parseTransaction(result, signature), signal).catch(
      asUnavailable,
    );
  }

  return {
    readAccounts,
    readAccountStarts,
    searchAccounts,
    findLargestAccounts,
    readHead,
    readTransaction,
  };
}

/** The filter as getProgramAccounts and programSubscribe take it. */
export function filtersOf(filter: ProgramFilter): readonly unknown[] {
  const size = filter.dataSize === null ? [] : [{ dataSize: filter.dataSize }];
  const memcmp = filter.memcmp.map(({ offset, bytes }) => ({
    memcmp:
      typeof bytes === "string"
        ? { offset, bytes, encoding: "base58" }
        : { offset, bytes: Buffer.from(bytes).toString("base64"), encoding: "base64" },
  }));
  return [...size, ...memcmp];
}

/** A node may take a slice for a hint: a copy, so that what it sent beyond is not kept alive. */
function cut(account: Account | null, bytes: number): Account | null {
  if (account === null || account.data.length <= bytes) return account;
  return { ...account, data: account.data.slice(0, bytes) };
}

function maxSlot(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * Without a node there is no answer at all; with one that won't, only this search is lost.
 *
 * @throws AppError("chain_unavailable") where the node can't be reached; what is no failed call as it is
 */
function asRefused(error: unknown): { readonly kind: "refused"; readonly reason: string } {
  if (error instanceof RpcFailure && error.failure.kind !== "unreachable") {
    return { kind: "refused", reason: error.message };
  }
  return asUnavailable(error);
}

/** @throws AppError("chain_unavailable") for a failed call; anything else as it is */
function asUnavailable(error: unknown): never {
  if (!(error instanceof RpcFailure)) throw error;
  throw new AppError("chain_unavailable", {
    publicMessage: "The chain can't be reached right now; try again in a few seconds.",
    context: { reason: error.message },
    retryable: true,
    cause: error,
  });
}
