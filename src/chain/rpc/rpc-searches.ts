import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { ChainLogger } from "../chain-logger.ts";
import type { NodeRefusal, SearchResult } from "../chain-source.ts";
import { SearchMemory } from "../search-memory.ts";
import type { CallPacer } from "./call-pacer.ts";
import { type Memories, refusalsOf, refusing } from "./endpoint-refusals.ts";
import type { JsonRpcCall, JsonRpcClient } from "./json-rpc-client.ts";
import {
  malformed,
  type ProgramAnswer,
  type ProgramPage,
  parseProgramAccounts,
  parseProgramPage,
} from "./rpc-answers.ts";
import { ByEndpoint, type Endpoint } from "./rpc-endpoint.ts";
import { RpcFailure } from "./rpc-failure.ts";
import type { Commitment } from "./rpc-reader.ts";
import { asRefused, isNotServed } from "./rpc-refusal.ts";

/** A node without an index scans every account of the program. */
const SEARCH_TIMEOUT_MS = 10_000;
const SEARCH_DEADLINE_MS = 20_000;
const SEARCH_LIMITS = {
  maxActive: 4,
  maxWaiting: 5_000,
  overloadedMessage: "Too many searches for pools are waiting; try again in a moment.",
};
const PAGE_ACCOUNTS = 1_000;
const MAX_PAGES = 50;
/** A search of several pages begins so often at most. */
const MAX_BEGINNINGS = 3;

/** "soon": an answer needs the search. */
type SearchUrgency = "soon" | "whenQuiet";

export type RpcSearchesOptions = {
  readonly client: JsonRpcClient;
  readonly commitment: Commitment;
  readonly pacers: Readonly<Record<SearchUrgency, CallPacer>>;
  readonly logger: ChainLogger | null;
};

/** What is known of one endpoint's pages. */
type Paging = {
  /** Null: not known yet. */
  hasPages: boolean | null;
  /** The first search, which shows whether it has pages; other searches wait for it. */
  trying: Promise<void> | null;
};

/** How one search is sent; `endpoint` is the one that its last call was sent to. */
type SearchCalls = Pick<
  JsonRpcCall,
  "timeoutMs" | "deadlineMs" | "pacer" | "except" | "onAttempt" | "onLeft"
> & {
  endpoint: Endpoint;
};

type PagedSearch = readonly [
  filter: ProgramFilter,
  config: Readonly<Record<string, unknown>>,
  calls: SearchCalls,
  signal: AbortSignal | undefined,
];

/** The endpoint that gave the first pages does not give the next one. */
class EndpointLeft extends Error {}

/** Searches by getProgramAccounts, in a queue for each urgency: slow searches delay neither reads nor urgent ones. */
export class RpcSearches {
  readonly #options: RpcSearchesOptions;
  readonly #queues = {
    soon: new TaskQueue(SEARCH_LIMITS),
    whenQuiet: new TaskQueue(SEARCH_LIMITS),
  };
  readonly #memories: Memories;
  readonly #paging = new ByEndpoint<Paging>(() => ({ hasPages: null, trying: null }));

  constructor(options: RpcSearchesOptions) {
    this.#options = options;
    const { logger } = options;
    this.#memories = new ByEndpoint(() => new SearchMemory("getProgramAccounts", logger));
  }

  /** What no endpoint that answers searches now. */
  refusals(): readonly NodeRefusal[] {
    return refusalsOf(this.#options.client, this.#memories);
  }

  /**
   * At an endpoint that does not refuse it, if one answers.
   *
   * @throws AppError chain_unavailable if the node can't be reached; overloaded; the signal's reason
   */
  async search(
    urgency: SearchUrgency,
    filter: ProgramFilter,
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    const { programId } = filter;
    const pacer = this.#options.pacers[urgency];
    return await this.#queues[urgency].run(async () => {
      for (;;) {
        const calls = this.#callsFor(programId, pacer);
        const refusal = this.#memories.of(calls.endpoint).refusalOf(programId);
        if (refusal !== null) return { kind: "refused", reason: refusal };
        try {
          const answer = await this.#searchOnce(filter, calls, signal);
          this.#memories.of(calls.endpoint).succeeded(programId);
          return { kind: "found", ...answer };
        } catch (error) {
          if (!(error instanceof RpcFailure)) throw error;
          this.#memories.of(calls.endpoint).failed(programId, error);
          // The refusal is remembered: the next turn asks another endpoint, or ends.
          if (!isNotServed(error)) return asRefused(error);
        }
      }
    }, signal);
  }

  #callsFor(programId: Address, pacer: CallPacer): SearchCalls {
    const except = refusing(this.#memories, programId);
    const calls: SearchCalls = {
      timeoutMs: SEARCH_TIMEOUT_MS,
      deadlineMs: SEARCH_DEADLINE_MS,
      pacer,
      except,
      onAttempt: (endpoint) => {
        calls.endpoint = endpoint;
      },
      onLeft: (endpoint, error) => {
        // The last failure is recorded by `search`; this one only if another endpoint is left to ask.
        if (this.#options.client.inUse(except) !== endpoint)
          this.#memories.of(endpoint).failed(programId, error);
      },
      endpoint: this.#options.client.inUse(except),
    };
    return calls;
  }

  async #searchOnce(
    filter: ProgramFilter,
    calls: SearchCalls,
    signal: AbortSignal | undefined,
  ): Promise<ProgramAnswer> {
    const { client, commitment } = this.#options;
    const config = {
      encoding: "base64",
      commitment,
      withContext: true,
      filters: filtersOf(filter),
    };
    const learned = this.#paging.of(calls.endpoint);
    if (learned.hasPages === null && learned.trying !== null) await learned.trying;
    if (learned.hasPages !== false) {
      const tried = Promise.withResolvers<void>();
      if (learned.hasPages === null) learned.trying = tried.promise;
      try {
        const answer = await this.#searchPages(filter, config, calls, signal);
        this.#paging.of(calls.endpoint).hasPages = true;
        return answer;
      } catch (error) {
        const paging = this.#paging.of(calls.endpoint);
        if (paging.hasPages === true || !isNotServed(error)) throw error;
        paging.hasPages = false;
      } finally {
        if (learned.trying === tried.promise) learned.trying = null;
        tried.resolve();
      }
    }
    const request = { method: "getProgramAccounts", params: [filter.programId, config], ...calls };
    return await client.call(request, (result) => parseProgramAccounts(result, filter), signal);
  }

  /**
   * getProgramAccountsV2, which some providers serve for a tenth of the price. All pages are of one endpoint: a search
   * that moves to another one begins again.
   */
  async #searchPages(...search: PagedSearch): Promise<ProgramAnswer> {
    for (let begun = 0; begun < MAX_BEGINNINGS; begun++) {
      try {
        return await this.#searchPagesAtOne(...search);
      } catch (error) {
        if (!(error instanceof EndpointLeft)) throw error;
      }
    }
    throw malformed("a search has moved to another endpoint too often");
  }

  /** @throws EndpointLeft if the next page would be asked of another endpoint than the one that gave its key */
  async #searchPagesAtOne(...search: PagedSearch): Promise<ProgramAnswer> {
    const [filter, config, calls, signal] = search;
    let endpoint: Endpoint | null = null;
    const onAttempt = (sentTo: Endpoint): void => {
      if (endpoint !== null && sentTo !== endpoint) {
        // It may answer again soon, and fail at the next page as before.
        calls.except?.add(endpoint);
        throw new EndpointLeft();
      }
      calls.onAttempt?.(sentTo);
    };
    const accounts = new Map<Address, Account>();
    let slot: bigint | null = null;
    let key: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const paging = { limit: PAGE_ACCOUNTS, ...(key === null ? {} : { paginationKey: key }) };
      const params = [filter.programId, { ...config, ...paging }];
      const request = { method: "getProgramAccountsV2", params, ...calls, onAttempt };
      const parse = (result: unknown, answering: Endpoint): ProgramPage => {
        const page = parseProgramPage(result, filter);
        endpoint = answering;
        return page;
      };
      const found: ProgramPage = await this.#options.client.call(request, parse, signal);
      for (const [address, account] of found.accounts) accounts.set(address, account);
      if (slot === null || found.slot < slot) slot = found.slot;
      key = found.nextKey;
      if (key === null) return { slot, accounts };
    }
    throw malformed("a search has too many pages");
  }
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
