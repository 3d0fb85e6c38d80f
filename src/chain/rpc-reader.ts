import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { TaskQueue, type TaskQueueOptions } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { CallPacer } from "./call-pacer.ts";
import type { ChainLogger } from "./chain-logger.ts";
import type {
  AccountSlice,
  AccountSlices,
  AccountsRead,
  BackgroundReads,
  ChainHead,
  LargestAccounts,
  ObservedTransaction,
  SearchResult,
} from "./chain-source.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { JsonRpcCall, JsonRpcClient } from "./json-rpc-client.ts";
import { ReadMerger } from "./read-merger.ts";
import {
  type AccountsAnswer,
  malformed,
  type ProgramAnswer,
  type ProgramPage,
  parseClock,
  parseLargestAccounts,
  parseMultipleAccounts,
  parseNewestSignature,
  parseProgramAccounts,
  parseProgramPage,
} from "./rpc-answers.ts";
import { isNodeFailure, isRateLimit, RpcFailure } from "./rpc-failure.ts";
import { parseTransaction } from "./rpc-transaction.ts";
import { SearchMemory } from "./search-memory.ts";
import { SlotGuard } from "./slot-guard.ts";

/** The most accounts that a node accepts in one getMultipleAccounts, unless it says otherwise. */
const BATCH = 100;
const READ_TIMEOUT_MS = 4_000;
/** A read that is refused because of its rate is repeated within this time. */
const READ_DEADLINE_MS = 7_000;
/** A node without an index scans every account of the program. */
const SEARCH_TIMEOUT_MS = 10_000;
const SEARCH_DEADLINE_MS = 20_000;
const READ_LIMITS = {
  maxActive: 12,
  maxWaiting: 2_000,
  overloadedMessage: "Too many reads of the chain are waiting; try again in a moment.",
};
const SEARCH_LIMITS = {
  maxActive: 4,
  maxWaiting: 5_000,
  overloadedMessage: "Too many searches for pools are waiting; try again in a moment.",
};
/** Between two searches before a rate is learned. */
const SEARCH_INTERVAL_MS = 60;
/** Between two calls that no answer waits for, before a rate is learned. */
const LATER_INTERVAL_MS = 200;
/** Repeated reads after a reply from an older slot than the newest seen. */
const STALE_RETRIES = 3;
const PAGE_ACCOUNTS = 1_000;
const MAX_PAGES = 50;

export type Commitment = "processed" | "confirmed" | "finalized";

export type RpcReaderOptions = {
  readonly client: JsonRpcClient;
  readonly commitment: Commitment;
  readonly clock: WallClock;
  /** The wait before a batch whose reply came from an older slot is read again. */
  readonly staleWaitMs: number;
  readonly logger: ChainLogger | null;
  /** False for a node in this process: searches are not spaced before it refuses one. */
  readonly isPaced: boolean;
  /** Once it aborts, waiting reads end. */
  readonly closed?: AbortSignal;
};

/** The reads of a ChainSource over JSON-RPC. */
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
  readonly readAccountSlice: AccountSlices["readAccountSlice"];
  readonly searchAccounts: (filter: ProgramFilter, signal?: AbortSignal) => Promise<SearchResult>;
  readonly findLargestAccounts: (mint: Address, signal?: AbortSignal) => Promise<LargestAccounts>;
  readonly readHead: (signal?: AbortSignal) => Promise<ChainHead>;
  readonly readTransaction: (
    signature: string,
    signal?: AbortSignal,
  ) => Promise<ObservedTransaction | null>;
  readonly readLastMention: (
    address: Address,
    signal?: AbortSignal,
  ) => Promise<ObservedTransaction | null>;
  readonly background: BackgroundReads;
  /** What the node refuses to search. */
  readonly refusedSearches: SearchMemory["list"];
  /** Whether the node's slots went back, so that its replies are not used. */
  readonly isBack: () => boolean;
};

/** Calls of one urgency. */
type CallLane = {
  readonly limits: TaskQueueOptions;
  readonly queue: TaskQueue;
  readonly pacer: CallPacer;
  /** By the bytes of each account; null: all. */
  readonly mergers: Map<number | null, ReadMerger>;
};

function laneOf(limits: TaskQueueOptions, pacer: CallPacer): CallLane {
  return { limits, queue: new TaskQueue(limits), pacer, mergers: new Map() };
}

/** Accounts of one request. */
type Batch = {
  readonly lane: CallLane;
  readonly addresses: readonly Address[];
  /** How many bytes of each account; null: all. */
  readonly bytes: number | null;
  /** The turn of its first call has come, and the sender repeats a call refused for its rate. */
  readonly isPacedByCaller?: boolean;
};

export function createRpcReader(options: RpcReaderOptions): RpcReader {
  const { client, commitment, staleWaitMs, logger, isPaced } = options;
  const searches = new TaskQueue(SEARCH_LIMITS);
  const breaker = new CircuitBreaker();
  const readPacer = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500 });
  const lesserPacer = (firstIntervalMs: number): CallPacer =>
    new CallPacer({
      firstIntervalMs: isPaced ? firstIntervalMs : 0,
      longestIntervalMs: 2_000,
      yieldsTo: readPacer,
    });
  const searchPacer = lesserPacer(SEARCH_INTERVAL_MS);
  const first = laneOf(READ_LIMITS, readPacer);
  /** Of what no answer waits for. */
  const later = laneOf({ ...READ_LIMITS, maxActive: 4 }, lesserPacer(LATER_INTERVAL_MS));
  const memory = new SearchMemory(logger);
  const holders = new SearchMemory(null);
  /** Nodes behind a load balancer may be at different slots; replies from before the newest are read again. */
  const slots = new SlotGuard(logger);
  let batchSize = BATCH;
  /** Null: not known yet. */
  let hasSearchV2: boolean | null = null;

  function mergerOf(lane: CallLane, bytes: number | null): ReadMerger {
    const merger = lane.mergers.get(bytes) ?? newMerger(lane, bytes);
    lane.mergers.set(bytes, merger);
    return merger;
  }

  function newMerger(lane: CallLane, bytes: number | null): ReadMerger {
    const { pacer, limits } = lane;
    return new ReadMerger({
      ...limits,
      turn: () => pacer.turn(options.closed),
      send: (addresses, signal) =>
        readBatch({ lane, addresses, bytes, isPacedByCaller: true }, signal),
      repeats: (error, waitedMs) => {
        if (!(error instanceof RpcFailure) || !isRateLimit(error)) return false;
        if (waitedMs + pacer.pausedForMs <= READ_DEADLINE_MS) return true;
        client.gaveUp(error, "getMultipleAccounts");
        return false;
      },
      batchSize: () => batchSize,
    });
  }

  /** A read: fails at once while the node does not answer. */
  async function ask<Result>(
    { queue, pacer }: CallLane,
    request: Omit<JsonRpcCall, "timeoutMs">,
    parse: (result: unknown) => Result,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const call = {
      timeoutMs: READ_TIMEOUT_MS,
      deadlineMs: READ_DEADLINE_MS,
      pacer,
      ...request,
    };
    return queue.run(async () => {
      if (!breaker.admits()) throw new RpcFailure({ kind: "unreachable" });
      try {
        const result = await client.call(call, parse, signal);
        breaker.succeeded();
        return result;
      } catch (error) {
        if (!(error instanceof RpcFailure)) breaker.abandoned();
        else if (isNodeFailure(error)) breaker.failed();
        else breaker.succeeded();
        throw error;
      }
    }, signal);
  }

  async function readOnce(
    { lane, addresses: batch, bytes, isPacedByCaller = false }: Batch,
    signal: AbortSignal | undefined,
  ): Promise<AccountsAnswer> {
    if (batch.length > batchSize) return readParts({ lane, addresses: batch, bytes }, signal);
    const slice = bytes === null ? {} : { dataSlice: { offset: 0, length: bytes } };
    const params = [batch, { encoding: "base64", commitment, ...slice }];
    const request = { method: "getMultipleAccounts", params, isPacedByCaller };
    try {
      return await ask(lane, request, (result) => parseMultipleAccounts(result, batch), signal);
    } catch (error) {
      if (!isTooManyAccounts(error) || batch.length === 1) throw error;
      const allowed = Math.min(batchSize, Math.ceil(batch.length / 2));
      if (allowed < batchSize) {
        const text =
          "the node refuses as many accounts in one read; smaller reads are sent from now on";
        logger?.warn({ refused: batch.length, next: allowed }, text);
      }
      batchSize = allowed;
      return readParts({ lane, addresses: batch, bytes }, signal);
    }
  }

  async function readParts(
    { lane, addresses, bytes }: Batch,
    signal: AbortSignal | undefined,
  ): Promise<AccountsAnswer> {
    const parts = batchesOf(addresses, batchSize);
    const answers = await Promise.all(
      parts.map((part) => readOnce({ lane, addresses: part, bytes }, signal)),
    );
    return merged(answers) ?? { slot: slots.newest, accounts: new Map() };
  }

  async function readBatch(batch: Batch, signal: AbortSignal | undefined): Promise<AccountsAnswer> {
    for (let retries = 0; ; retries++) {
      const floor = slots.newest;
      const isPacedByCaller = batch.isPacedByCaller === true && retries === 0;
      const answer = await readOnce({ ...batch, isPacedByCaller }, signal);
      const verdict = slots.judge(answer.slot);
      if (verdict === "plausible" && (answer.slot >= floor || retries >= STALE_RETRIES)) {
        // The node stays behind, or the newest slot was wrong: accept what it returns now.
        slots.accept(answer.slot >= floor ? maxSlot(slots.newest, answer.slot) : answer.slot);
        return answer;
      }
      if (verdict !== "plausible") client.avoidEndpoint();
      if (verdict !== "plausible" && retries >= STALE_RETRIES) {
        throw malformed(`slot ${answer.slot} where ${floor} was reached before`);
      }
      await new Promise((resolve) => setTimeout(resolve, staleWaitMs));
    }
  }

  function readAccounts(
    addresses: readonly Address[],
    signal?: AbortSignal,
  ): Promise<AccountsRead> {
    return readAll(first, { addresses, bytes: null }, signal);
  }

  async function readAccountStarts(
    addresses: readonly Address[],
    bytes: number,
    signal?: AbortSignal,
  ): Promise<AccountsRead> {
    const { slot, accounts } = await readAll(first, { addresses, bytes }, signal);
    return { slot, accounts: new Map([...accounts].map(([at, whole]) => [at, cut(whole, bytes)])) };
  }

  /** Beside the merged reads: one account, whose reply may be the largest of all. */
  async function readAccountSlice(
    address: Address,
    slice: AccountSlice,
    signal?: AbortSignal,
  ): Promise<Account | null> {
    const params = [[address], { encoding: "base64", commitment, dataSlice: slice }];
    const request = { method: "getMultipleAccounts", params };
    const parse = (result: unknown) => parseMultipleAccounts(result, [address]);
    const { accounts } = await ask(first, request, parse, signal).catch(asUnavailable);
    const account = accounts.get(address);
    if (account === undefined) return asUnavailable(malformed("an account was left out"));
    // A node that ignores the slice sends all of it.
    if (account === null || account.data.length <= slice.length) return account;
    return { ...account, data: account.data.slice(slice.offset, slice.offset + slice.length) };
  }

  async function readAll(
    lane: CallLane,
    { addresses, bytes }: Pick<Batch, "addresses" | "bytes">,
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const merger = mergerOf(lane, bytes);
    const answers = await Promise.all(
      batchesOf([...new Set(addresses)], batchSize).map((batch) => merger.read(batch, signal)),
    ).catch(asUnavailable);
    return merged(answers) ?? { slot: slots.newest, accounts: new Map() };
  }

  /** In a queue of its own, so that slow searches never delay a read. */
  async function searchAccounts(
    filter: ProgramFilter,
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    const { programId } = filter;
    try {
      return await searches.run(async () => {
        const refusal = memory.refusalOf(programId);
        if (refusal !== null) return { kind: "refused", reason: refusal };
        const answer = await searchOnce(filter, signal);
        memory.succeeded(programId);
        return { kind: "found", ...answer };
      }, signal);
    } catch (error) {
      if (error instanceof RpcFailure) memory.failed(programId, error);
      return asRefused(error);
    }
  }

  async function searchOnce(
    filter: ProgramFilter,
    signal: AbortSignal | undefined,
  ): Promise<ProgramAnswer> {
    const config = {
      encoding: "base64",
      commitment,
      withContext: true,
      filters: filtersOf(filter),
    };
    const limits = {
      timeoutMs: SEARCH_TIMEOUT_MS,
      deadlineMs: SEARCH_DEADLINE_MS,
      repeatsTimeouts: false,
      pacer: searchPacer,
    };
    if (hasSearchV2 !== false) {
      try {
        const answer = await searchPages(filter, config, limits, signal);
        hasSearchV2 = true;
        return answer;
      } catch (error) {
        if (hasSearchV2 === true || !isNotServed(error)) throw error;
        hasSearchV2 = false;
      }
    }
    const request = { method: "getProgramAccounts", params: [filter.programId, config], ...limits };
    return await client.call(request, (result) => parseProgramAccounts(result, filter), signal);
  }

  /** getProgramAccountsV2, which some providers serve for a tenth of the price. */
  async function searchPages(
    filter: ProgramFilter,
    config: Readonly<Record<string, unknown>>,
    limits: Pick<JsonRpcCall, "timeoutMs" | "deadlineMs" | "repeatsTimeouts" | "pacer">,
    signal: AbortSignal | undefined,
  ): Promise<ProgramAnswer> {
    const accounts = new Map<Address, Account>();
    let slot: bigint | null = null;
    let key: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const paging = { limit: PAGE_ACCOUNTS, ...(key === null ? {} : { paginationKey: key }) };
      const params = [filter.programId, { ...config, ...paging }];
      const request = { method: "getProgramAccountsV2", params, ...limits };
      const found: ProgramPage = await client.call(
        request,
        (result) => parseProgramPage(result, filter),
        signal,
      );
      for (const [address, account] of found.accounts) accounts.set(address, account);
      if (slot === null || found.slot < slot) slot = found.slot;
      key = found.nextKey;
      if (key === null) return { slot, accounts };
    }
    throw malformed("a search has too many pages");
  }

  async function largestAccounts(
    lane: CallLane,
    mint: Address,
    signal: AbortSignal | undefined,
  ): Promise<LargestAccounts> {
    // The method accepts no commitment below confirmed.
    const config = { commitment: commitment === "processed" ? "confirmed" : commitment };
    const params = [mint, config];
    const request = { method: "getTokenLargestAccounts", params };
    const refusal = holders.refusalOf(SYSTEM_PROGRAM);
    if (refusal !== null) return { kind: "refused", reason: refusal };
    try {
      return { kind: "found", addresses: await ask(lane, request, parseLargestAccounts, signal) };
    } catch (error) {
      if (error instanceof RpcFailure && isNotServed(error)) holders.failed(SYSTEM_PROGRAM, error);
      return asRefused(error);
    }
  }

  async function readHead(signal?: AbortSignal): Promise<ChainHead> {
    const { accounts } = await readAccounts([CLOCK_SYSVAR], signal);
    const account = accounts.get(CLOCK_SYSVAR);
    const clock = account === null || account === undefined ? null : parseClock(account.data);
    if (clock === null) return asUnavailable(malformed("no Clock sysvar"));
    return { clock, receivedAtMs: options.clock.nowMs() };
  }

  async function transaction(
    lane: CallLane,
    signature: string,
    signal: AbortSignal | undefined,
  ): Promise<ObservedTransaction | null> {
    const config = {
      encoding: "json",
      commitment: commitment === "processed" ? "confirmed" : commitment,
      // Version 1 has no look-up tables: its reply is parsed as that of a legacy transaction.
      maxSupportedTransactionVersion: 1,
    };
    const params = [signature, config];
    const request = { method: "getTransaction", params };
    return ask(lane, request, (result) => parseTransaction(result, signature), signal).catch(
      asUnavailable,
    );
  }

  async function lastMention(
    lane: CallLane,
    address: Address,
    signal: AbortSignal | undefined,
  ): Promise<ObservedTransaction | null> {
    const config = { limit: 1, commitment: commitment === "processed" ? "confirmed" : commitment };
    const request = { method: "getSignaturesForAddress", params: [address, config] };
    const signature = await ask(lane, request, parseNewestSignature, signal).catch(asUnavailable);
    return signature === null ? null : await transaction(lane, signature, signal);
  }

  return {
    readAccounts,
    readAccountStarts,
    readAccountSlice,
    searchAccounts,
    findLargestAccounts: (mint, signal) => largestAccounts(first, mint, signal),
    readHead,
    readTransaction: (signature, signal) => transaction(first, signature, signal),
    readLastMention: (address, signal) => lastMention(first, address, signal),
    background: {
      readAccounts: (addresses, signal) => readAll(later, { addresses, bytes: null }, signal),
      findLargestAccounts: (mint, signal) => largestAccounts(later, mint, signal),
      readLastMention: (address, signal) => lastMention(later, address, signal),
    },
    refusedSearches: () => memory.list(),
    isBack: () => slots.isBack,
  };
}

function batchesOf(addresses: readonly Address[], size: number): readonly (readonly Address[])[] {
  const batches: (readonly Address[])[] = [];
  for (let start = 0; start < addresses.length; start += size) {
    batches.push(addresses.slice(start, start + size));
  }
  return batches;
}

/** The replies as one, at the lowest of their slots; null: there are none. */
function merged(answers: readonly AccountsAnswer[]): AccountsAnswer | null {
  const [first, ...others] = answers;
  if (first === undefined || others.length === 0) return first ?? null;
  const accounts = new Map<Address, Account | null>();
  let { slot } = first;
  for (const answer of answers) {
    for (const [address, account] of answer.accounts) accounts.set(address, account);
    if (answer.slot < slot) slot = answer.slot;
  }
  return { slot, accounts };
}

/** Whether the node refused the number of accounts in one call. */
function isTooManyAccounts(error: unknown): boolean {
  if (!(error instanceof RpcFailure)) return false;
  const { failure } = error;
  if (failure.kind === "http") return failure.status === 413;
  return failure.kind === "rpc-error" && failure.code === -32602;
}

/** Whether the node does not serve the method at all, or not with these parameters. */
function isNotServed(error: unknown): boolean {
  if (!(error instanceof RpcFailure) || isRateLimit(error)) return false;
  const { failure } = error;
  if (failure.kind === "rpc-error") return true;
  return failure.kind === "http" && failure.status >= 400 && failure.status < 500;
}

/** The filter in the form of getProgramAccounts and programSubscribe. */
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

/** A node may ignore the slice. Copies, so that the bytes beyond it are not kept alive. */
function cut(account: Account | null, bytes: number): Account | null {
  if (account === null || account.data.length <= bytes) return account;
  return { ...account, data: account.data.slice(0, bytes) };
}

function maxSlot(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * A node that can't be reached fails the caller; one that refuses fails this search alone.
 *
 * @throws AppError("chain_unavailable") if the node can't be reached; errors other than RpcFailure unchanged
 */
function asRefused(error: unknown): { readonly kind: "refused"; readonly reason: string } {
  if (error instanceof RpcFailure && error.failure.kind !== "unreachable") {
    return { kind: "refused", reason: error.message };
  }
  return asUnavailable(error);
}

/** @throws AppError("chain_unavailable") for an RpcFailure; other errors unchanged */
function asUnavailable(error: unknown): never {
  if (!(error instanceof RpcFailure)) throw error;
  throw new AppError("chain_unavailable", {
    publicMessage: "Chain data is temporarily unavailable; try again in a few seconds.",
    context: { reason: error.message },
    retryable: true,
    isLoggedAtSource: true,
    cause: error,
  });
}
