import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { ChainLogger } from "../chain-logger.ts";
import type {
  AccountSlices,
  AccountStarts,
  BackgroundReads,
  ChainSource,
  LargestAccounts,
  NodeRefusal,
  ObservedTransaction,
  TransactionSource,
} from "../chain-source.ts";
import { SearchMemory } from "../search-memory.ts";
import { CallPacer } from "./call-pacer.ts";
import { refusalsOf, refusing } from "./endpoint-refusals.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import { RpcAccountReader } from "./rpc-account-reads.ts";
import {
  malformed,
  parseClock,
  parseLargestAccounts,
  parseNewestSignature,
} from "./rpc-answers.ts";
import { ByEndpoint, type Endpoint } from "./rpc-endpoint.ts";
import { RpcFailure } from "./rpc-failure.ts";
import { type CallLane, LaneCaller, laneOf } from "./rpc-lanes.ts";
import { asRefused, asUnavailable, isInvalidParams, isNotServed } from "./rpc-refusal.ts";
import { RpcSearches } from "./rpc-searches.ts";
import { parseTransaction } from "./rpc-transaction.ts";

const READ_LIMITS = {
  maxActive: 12,
  maxWaiting: 2_000,
  overloadedMessage: "Too many reads of the chain are waiting; try again in a moment.",
};
/** Between two searches before a rate is learned. */
const SEARCH_INTERVAL_MS = 60;
/** Between two calls that no answer waits for, before a rate is learned. */
const LATER_INTERVAL_MS = 200;
/** How long a read that no answer needs waits to share a call; not at a near node, whose calls cost nothing. */
const PATIENCE_MS = 800;
export type Commitment = "processed" | "confirmed" | "finalized";

export type RpcReaderOptions = {
  readonly client: JsonRpcClient;
  readonly commitment: Commitment;
  /** The wait before a batch whose reply came from an older slot is read again. */
  readonly staleWaitMs: number;
  readonly logger: ChainLogger | null;
  /** False for a node in this process: searches are not spaced before it refuses one. */
  readonly isPaced: boolean;
  /** Once it aborts, waiting reads end. */
  readonly closed?: AbortSignal;
};

/** The reads of a ChainSource over JSON-RPC. */
export type RpcReader = Pick<
  ChainSource,
  "readAccounts" | "searchAccounts" | "findLargestAccounts" | "readClock"
> &
  Required<Pick<ChainSource, "readLastMention">> &
  Pick<ChainSource, "accountsPerCall" | "readPatiently" | "searchSoon" | "searchPauseMs"> &
  AccountStarts &
  AccountSlices &
  Pick<TransactionSource, "readTransaction"> & {
    readonly background: BackgroundReads;
    /** What the node refuses now. */
    readonly refusals: () => readonly NodeRefusal[];
    /** Whether the node's slots went back, so that its replies are not used. */
    readonly isBack: () => boolean;
    /** Whether the chain can't have reached a slot, as far as replies have shown. */
    readonly isFarAhead: (slot: bigint) => boolean;
  };

export function createRpcReader(options: RpcReaderOptions): RpcReader {
  const { client, commitment, staleWaitMs, logger, isPaced, closed } = options;
  const readPacer = new CallPacer({
    firstIntervalMs: 0,
    longestIntervalMs: 500,
    isBurst: true,
  });
  const lesserPacer = (firstIntervalMs: number): CallPacer =>
    new CallPacer({
      firstIntervalMs: isPaced ? firstIntervalMs : 0,
      longestIntervalMs: 2_000,
      yieldsTo: readPacer,
    });
  const searchPacer = lesserPacer(SEARCH_INTERVAL_MS);
  const soonPacer = new CallPacer({
    firstIntervalMs: isPaced ? SEARCH_INTERVAL_MS : 0,
    longestIntervalMs: 500,
    sharesWith: readPacer,
  });
  const searches = new RpcSearches({
    ...{ client, commitment, logger },
    pacers: { whenQuiet: searchPacer, soon: soonPacer },
  });
  const first = laneOf(READ_LIMITS, readPacer);
  /** Of what no answer waits for. */
  const later = laneOf({ ...READ_LIMITS, maxActive: 4 }, lesserPacer(LATER_INTERVAL_MS));
  const holders = new ByEndpoint(() => new SearchMemory("getTokenLargestAccounts", logger));
  const caller = new LaneCaller(client);
  const accounts = new RpcAccountReader({
    client,
    caller,
    commitment,
    staleWaitMs,
    logger,
    closed,
  });
  /** Transactions and holders are not served below confirmed. */
  const atLeastConfirmed = commitment === "processed" ? "confirmed" : commitment;

  const readIn =
    (lane: CallLane): ChainSource["readAccounts"] =>
    (addresses, signal) =>
      accounts.read(lane, { addresses, bytes: null }, signal);

  async function largestAccounts(
    lane: CallLane,
    mint: Address,
    signal: AbortSignal | undefined,
  ): Promise<LargestAccounts> {
    const params = [mint, { commitment: atLeastConfirmed }];
    const except = refusing(holders, SYSTEM_PROGRAM);
    for (;;) {
      let endpoint = client.inUse(except);
      const refusal = holders.of(endpoint).refusalOf(SYSTEM_PROGRAM);
      if (refusal !== null) return { kind: "refused", reason: refusal };
      const onAttempt = (sentTo: Endpoint): void => {
        endpoint = sentTo;
      };
      const others = except.size === 0 ? {} : { except };
      const request = { method: "getTokenLargestAccounts", params, onAttempt, ...others };
      try {
        const addresses = await caller.ask(lane, request, parseLargestAccounts, signal);
        return { kind: "found", addresses };
      } catch (error) {
        const isServed = !(error instanceof RpcFailure) || !isNotServed(error);
        // Invalid parameters are of this mint alone.
        if (isServed || isInvalidParams(error)) return asRefused(error);
        holders.of(endpoint).failed(SYSTEM_PROGRAM, error);
        // No other endpoint answers: the question has come back to one that refuses it.
        if (except.has(endpoint)) return asRefused(error);
        except.add(endpoint);
      }
    }
  }

  async function readClock(signal?: AbortSignal): Promise<Clock> {
    const { accounts: read } = await readIn(first)([CLOCK_SYSVAR], signal);
    const account = read.get(CLOCK_SYSVAR);
    const clock = account === null || account === undefined ? null : parseClock(account.data);
    if (clock === null) return asUnavailable(malformed("no Clock sysvar"));
    return clock;
  }

  async function transaction(
    lane: CallLane,
    signature: string,
    signal: AbortSignal | undefined,
  ): Promise<ObservedTransaction | null> {
    const config = {
      encoding: "json",
      commitment: atLeastConfirmed,
      // Version 1 has no look-up tables: its reply is parsed as that of a legacy transaction.
      maxSupportedTransactionVersion: 1,
    };
    const request = { method: "getTransaction", params: [signature, config] };
    const parse = (result: unknown) => parseTransaction(result, signature);
    return caller.ask(lane, request, parse, signal).catch(asUnavailable);
  }

  async function lastMention(
    lane: CallLane,
    address: Address,
    signal: AbortSignal | undefined,
  ): Promise<ObservedTransaction | null> {
    const config = { limit: 1, commitment: atLeastConfirmed };
    const request = { method: "getSignaturesForAddress", params: [address, config] };
    const signature = await caller
      .ask(lane, request, parseNewestSignature, signal)
      .catch(asUnavailable);
    return signature === null ? null : await transaction(lane, signature, signal);
  }

  return {
    readAccounts: readIn(first),
    accountsPerCall: () => accounts.accountsPerCall,
    readPatiently: (addresses, signal) => {
      const patienceMs = isPaced && !readPacer.isNear ? PATIENCE_MS : 0;
      return accounts.read(first, { addresses, bytes: null, patienceMs }, signal);
    },
    readAccountStarts: (addresses, bytes, signal) =>
      accounts.read(first, { addresses, bytes }, signal),
    readAccountSlice: (address, slice, signal) =>
      accounts.readSlice(first, { address, slice }, signal),
    searchAccounts: (filter, signal) => searches.search("whenQuiet", filter, signal),
    searchSoon: (filter, signal) => searches.search("soon", filter, signal),
    searchPauseMs: () => searchPacer.intervalMs,
    findLargestAccounts: (mint, signal) => largestAccounts(first, mint, signal),
    readClock,
    readTransaction: (signature, signal) => transaction(first, signature, signal),
    readLastMention: (address, signal) => lastMention(first, address, signal),
    background: {
      readAccounts: readIn(later),
      findLargestAccounts: (mint, signal) => largestAccounts(later, mint, signal),
      readLastMention: (address, signal) => lastMention(later, address, signal),
    },
    refusals: () => [
      ...searches.refusals(),
      ...refusalsOf(client, holders).map((refusal) => ({ ...refusal, programId: null })),
    ],
    isBack: () => accounts.isBack,
    isFarAhead: (slot) => accounts.isFarAhead(slot),
  };
}
