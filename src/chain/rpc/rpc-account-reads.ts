import { chunksOf } from "#src/platform/chunks.ts";
import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ChainLogger } from "../chain-logger.ts";
import type { AccountSlice, AccountsRead } from "../chain-source.ts";
import { SlotGuard } from "../slot-guard.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import { ReadMerger } from "./read-merger.ts";
import { malformed, parseMultipleAccounts } from "./rpc-answers.ts";
import { ByEndpoint, type Endpoint } from "./rpc-endpoint.ts";
import { isRateLimit, RpcFailure } from "./rpc-failure.ts";
import { type CallLane, type LaneCaller, READ_DEADLINE_MS } from "./rpc-lanes.ts";
import type { Commitment } from "./rpc-reader.ts";
import { asUnavailable, isInvalidParams } from "./rpc-refusal.ts";

/** The most accounts that a node accepts in one getMultipleAccounts, unless it says otherwise. */
const BATCH = 100;
/** Repeated reads after a reply from an older slot than the newest seen. */
const STALE_RETRIES = 3;

export type AccountReaderOptions = {
  readonly client: JsonRpcClient;
  readonly caller: LaneCaller;
  readonly commitment: Commitment;
  /** The wait before a batch whose reply came from an older slot is read again. */
  readonly staleWaitMs: number;
  readonly logger: ChainLogger | null;
  readonly closed: AbortSignal | undefined;
};

/** Accounts of one request. */
type Batch = {
  readonly lane: CallLane;
  readonly addresses: readonly Address[];
  /** How many bytes of each account; null: all. */
  readonly bytes: number | null;
  /** All accounts belong to one read: if the node accepts fewer, they are read in several calls. */
  readonly isOneRead: boolean;
  /** The turn of its first call has come, and the sender repeats a call refused for its rate. */
  readonly isPacedByCaller?: boolean;
  /** The endpoints that answered are added. */
  readonly answeredBy: Set<Endpoint>;
};

/**
 * Account reads by getMultipleAccounts. Learns how many accounts the node accepts in a call, and reads again
 * what came from an older slot: nodes behind a load balancer may be at different ones.
 */
export class RpcAccountReader {
  readonly #options: AccountReaderOptions;
  readonly #slots: SlotGuard;
  /** By the bytes of each account; null: all. */
  readonly #mergers = new Map<CallLane, Map<number | null, ReadMerger>>();
  readonly #learned = new ByEndpoint(() => ({ batchSize: BATCH }));

  constructor(options: AccountReaderOptions) {
    this.#options = options;
    this.#slots = new SlotGuard(options.logger);
  }

  /** Whether the node's slots went back, so that its replies are not used. */
  get isBack(): boolean {
    return this.#slots.isBack;
  }

  /** See `SlotGuard`. */
  isFarAhead(slot: bigint): boolean {
    return this.#slots.isFarAhead(slot);
  }

  /** Maximum number of accounts that the endpoint in use accepts in a call, as far as known. */
  get accountsPerCall(): number {
    return this.#learned.of(this.#options.client.inUse()).batchSize;
  }

  /** @throws AppError chain_unavailable or overloaded; the signal's reason */
  async read(
    lane: CallLane,
    {
      addresses,
      bytes,
      patienceMs = 0,
    }: Pick<Batch, "addresses" | "bytes"> & { readonly patienceMs?: number },
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const merger = this.#mergerOf(lane, bytes);
    const batches = chunksOf([...new Set(addresses)], this.accountsPerCall);
    const answers = await Promise.all(
      batches.map((batch) => merger.read(batch, signal, patienceMs)),
    ).catch(asUnavailable);
    const read = merged(answers) ?? { slot: this.#slots.newest, accounts: new Map() };
    if (bytes === null) return read;
    const starts = [...read.accounts].map(([at, whole]) => [at, cut(whole, bytes)] as const);
    return { slot: read.slot, accounts: new Map(starts) };
  }

  /** Beside the merged reads: one account, whose reply may be the largest of all. Fails as `read` does. */
  async readSlice(
    lane: CallLane,
    { address, slice }: { readonly address: Address; readonly slice: AccountSlice },
    signal?: AbortSignal,
  ): Promise<Account | null> {
    const { caller, commitment } = this.#options;
    const params = [[address], { encoding: "base64", commitment, dataSlice: slice }];
    const request = { method: "getMultipleAccounts", params };
    const parse = (result: unknown) => parseMultipleAccounts(result, [address]);
    const { accounts } = await caller.ask(lane, request, parse, signal).catch(asUnavailable);
    const account = accounts.get(address);
    if (account === undefined) return asUnavailable(malformed("an account was left out"));
    // A node that ignores the slice sends all of it.
    if (account === null || account.data.length <= slice.length) return account;
    return { ...account, data: account.data.slice(slice.offset, slice.offset + slice.length) };
  }

  #mergerOf(lane: CallLane, bytes: number | null): ReadMerger {
    const byBytes = this.#mergers.get(lane) ?? new Map<number | null, ReadMerger>();
    this.#mergers.set(lane, byBytes);
    const merger = byBytes.get(bytes) ?? this.#newMerger(lane, bytes);
    byBytes.set(bytes, merger);
    return merger;
  }

  #newMerger(lane: CallLane, bytes: number | null): ReadMerger {
    const { pacer, limits } = lane;
    const { client, closed } = this.#options;
    return new ReadMerger({
      ...limits,
      turn: () => pacer.turn(closed),
      send: (call, signal) =>
        this.#readBatch({ ...call, lane, bytes, isPacedByCaller: true }, signal),
      repeats: (error, waitedMs) => {
        if (!(error instanceof RpcFailure) || !isRateLimit(error)) return false;
        if (waitedMs + pacer.pausedForMs <= READ_DEADLINE_MS) return true;
        client.gaveUp(error, "getMultipleAccounts");
        return false;
      },
      batchSize: () => this.accountsPerCall,
    });
  }

  async #readBatch(
    batch: Omit<Batch, "answeredBy">,
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const { client, staleWaitMs } = this.#options;
    const slots = this.#slots;
    for (let retries = 0; ; retries++) {
      const floor = slots.newest;
      const isPacedByCaller = batch.isPacedByCaller === true && retries === 0;
      const answeredBy = new Set<Endpoint>();
      const answer = await this.#readOnce({ ...batch, isPacedByCaller, answeredBy }, signal);
      const verdict = slots.judge(answer.slot);
      // Not the endpoint in use: other reads may have left the one that answered.
      if (verdict !== "plausible") answeredBy.forEach(client.avoid);
      else if (slots.isLate(answer.slot)) answeredBy.forEach(client.preferOther);
      if (verdict === "plausible" && (answer.slot >= floor || retries >= STALE_RETRIES)) {
        // The node stays behind, or the newest slot was wrong: accept what it returns now.
        slots.accept(answer.slot >= floor ? maxBigint(slots.newest, answer.slot) : answer.slot);
        return answer;
      }
      if (verdict !== "plausible" && retries >= STALE_RETRIES) {
        throw malformed(`slot ${answer.slot} where ${floor} was reached before`);
      }
      await new Promise((resolve) => setTimeout(resolve, staleWaitMs));
    }
  }

  async #readOnce(
    { lane, addresses: batch, bytes, isOneRead, isPacedByCaller = false, answeredBy }: Batch,
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const { caller, commitment } = this.#options;
    if (isOneRead && batch.length > this.accountsPerCall) {
      return this.#readParts({ lane, addresses: batch, bytes, answeredBy }, signal);
    }
    const slice = bytes === null ? {} : { dataSlice: { offset: 0, length: bytes } };
    const params = [batch, { encoding: "base64", commitment, ...slice }];
    let sentTo = this.#options.client.inUse();
    const onAttempt = (endpoint: Endpoint): void => {
      sentTo = endpoint;
    };
    const request = { method: "getMultipleAccounts", params, isPacedByCaller, onAttempt };
    const parse = (result: unknown, endpoint: Endpoint): AccountsRead => {
      answeredBy.add(endpoint);
      return parseMultipleAccounts(result, batch);
    };
    try {
      return await caller.ask(lane, request, parse, signal);
    } catch (error) {
      if (!isTooManyAccounts(error) || batch.length === 1) throw error;
      this.#halve(sentTo, batch.length);
      // Dividing the call could give a read two slots: the reads are merged again instead.
      if (!isOneRead) throw error;
      return this.#readParts({ lane, addresses: batch, bytes, answeredBy }, signal);
    }
  }

  async #readParts(
    { lane, addresses, bytes, answeredBy }: Omit<Batch, "isOneRead" | "isPacedByCaller">,
    signal: AbortSignal | undefined,
  ): Promise<AccountsRead> {
    const parts = chunksOf(addresses, this.accountsPerCall);
    const answers = await Promise.all(
      parts.map((part) =>
        this.#readOnce({ lane, addresses: part, bytes, isOneRead: true, answeredBy }, signal),
      ),
    );
    return merged(answers) ?? { slot: this.#slots.newest, accounts: new Map() };
  }

  #halve(endpoint: Endpoint, refused: number): void {
    const learned = this.#learned.of(endpoint);
    // Another call has learned a smaller size meanwhile: try that first.
    if (refused > learned.batchSize) return;
    const allowed = Math.ceil(refused / 2);
    const text =
      "the node refuses this many accounts in one read; smaller reads are sent from now on";
    this.#options.logger?.warn({ refused, next: allowed }, text);
    learned.batchSize = allowed;
  }
}

/** The replies as one, at the lowest of their slots; null: there are none. */
function merged(answers: readonly AccountsRead[]): AccountsRead | null {
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
  return isInvalidParams(error);
}

/** A node may ignore the slice. Copies, so that the bytes beyond it are not kept alive. */
function cut(account: Account | null, bytes: number): Account | null {
  if (account === null || account.data.length <= bytes) return account;
  return { ...account, data: account.data.slice(0, bytes) };
}
