import type {
  ClientDuplexStream,
  SubscribeRequest,
  SubscribeUpdate,
} from "@triton-one/yellowstone-grpc";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { type ChainLogger, hostOf } from "./chain-logger.ts";
import type {
  AccountUpdate,
  ChainSource,
  FollowEvents,
  Following,
  Subscription,
  TransactionEvents,
  TransactionSource,
} from "./chain-source.ts";
import { chunksOf, FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { GeyserPlacement } from "./geyser-placement.ts";
import {
  ACCOUNTS_FILTER,
  type GeyserWants,
  type ProgramsFilter,
  subscribeRequest,
} from "./geyser-request.ts";
import { GeyserStream } from "./geyser-stream.ts";
import { accountUpdateOf, transactionOf } from "./geyser-updates.ts";
import { matchesFilter } from "./rpc-answers.ts";
import type { Commitment } from "./rpc-reader.ts";
import { DEFAULT_LINK_TIMING, type LinkTiming } from "./subscription-link.ts";

export type GeyserOptions = {
  readonly url: string;
  /** Sent as x-token; null: none. */
  readonly token: string | null;
  /** Serves reads and searches, which a stream does not offer. */
  readonly reads: ChainSource & TransactionSource;
  readonly clock: WallClock;
  readonly random: () => number;
  readonly logger?: ChainLogger;
  readonly commitment?: Commitment;
  readonly timing?: LinkTiming;
};

/** The gRPC client can't be loaded: its native part exists for a few platforms only. */
export class GeyserUnavailable extends Error {
  constructor(cause: unknown) {
    super(
      `there is no gRPC client for ${process.platform}-${process.arch}: unset GEYSER_URL, then SOLANA_WS_URL is used`,
      { cause },
    );
    this.name = "GeyserUnavailable";
  }
}

const CONNECT_TIMEOUT_MS = 8_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Each request contains every address: the more there are, the longer changes are gathered. */
const GATHER_MS_PER_ADDRESS = 0.02;

/** After so many losses in a row without a slot, accounts are followed over the node's WebSocket. */
const LOSSES_TO_FALL_BACK = 3;

type AccountFollower = {
  readonly addresses: Set<Address>;
  readonly events: FollowEvents;
  /** Over the WebSocket: what no gRPC stream follows. */
  elsewhere: { readonly following: Following; readonly addresses: Set<Address> } | null;
};
type ProgramFollower = {
  readonly filter: ProgramFilter;
  readonly onUpdate: (update: AccountUpdate) => void;
};
type TransactionFollower = {
  readonly addresses: Set<Address>;
  readonly events: TransactionEvents;
};

/**
 * A ChainSource whose subscriptions run over one Yellowstone gRPC stream: whole programs at the cost
 * of one filter each. Reads use `reads`, which is not closed with it.
 *
 * @throws GeyserUnavailable if the client can't be loaded on this platform
 */
export async function createGeyserSource(
  options: GeyserOptions,
): Promise<ChainSource & TransactionSource> {
  const connect = await loadClient(options);
  const source = new GeyserSource(options, connect);
  const { reads } = options;
  return {
    origin: reads.origin,
    readAccounts: reads.readAccounts,
    readAccountStarts: reads.readAccountStarts,
    searchAccounts: reads.searchAccounts,
    findLargestAccounts: reads.findLargestAccounts,
    ...(reads.readLastMention === undefined ? {} : { readLastMention: reads.readLastMention }),
    background: reads.background,
    readHead: reads.readHead,
    readTransaction: reads.readTransaction,
    follow: source.follow,
    followProgram: source.followProgram,
    followTransactions: source.followTransactions,
    close: source.close,
  };
}

type ClientClass = typeof import("@triton-one/yellowstone-grpc")["default"];

function isClientClass(value: unknown): value is ClientClass {
  return typeof value === "function";
}

type OpenStream = (request: SubscribeRequest) => Promise<ClientDuplexStream>;

async function loadClient(options: GeyserOptions): Promise<OpenStream> {
  const Client = await importClient();
  return async (request) => {
    const client = new Client(options.url, options.token ?? undefined, {
      grpcConnectTimeout: CONNECT_TIMEOUT_MS,
      grpcMaxDecodingMessageSize: MAX_MESSAGE_BYTES,
      grpcTcpNodelay: true,
    });
    await client.connect();
    return client.subscribe(request);
  };
}

async function importClient(): Promise<ClientClass> {
  try {
    const { default: loaded } = await import("@triton-one/yellowstone-grpc");
    // The types describe the CommonJS build, whose class is one `default` deeper than in the loaded module.
    return isClientClass(loaded) ? loaded : loaded.default;
  } catch (cause) {
    throw new GeyserUnavailable(cause);
  }
}

class GeyserSource {
  readonly #options: GeyserOptions;
  readonly #open: OpenStream;
  readonly #timing: LinkTiming;
  readonly #streams = new Map<number, GeyserStream>();
  readonly #placement = new GeyserPlacement();
  readonly #slots = new Map<number, bigint>();
  readonly #accounts = new Set<AccountFollower>();
  readonly #programs = new Set<ProgramFollower>();
  readonly #transactions = new Set<TransactionFollower>();
  #limits = FIRST_LIMITS;
  #unreported: { readonly follower: AccountFollower; readonly address: Address }[] = [];
  #refreshTimer: NodeJS.Timeout | null = null;
  /** Changes when every account is placed again: what was asked for before has no meaning then. */
  #generation = 0;
  #losses = 0;
  #isClosed = false;

  constructor(options: GeyserOptions, open: OpenStream) {
    this.#options = options;
    this.#open = open;
    this.#timing = options.timing ?? DEFAULT_LINK_TIMING;
  }

  /** The server accepts no stream: accounts are followed over the node's WebSocket. */
  get #hasFallenBack(): boolean {
    return this.#losses >= LOSSES_TO_FALL_BACK;
  }

  #streamAt(index: number): GeyserStream {
    const existing = this.#streams.get(index);
    if (existing !== undefined) return existing;
    const { commitment = "confirmed", clock, random, logger = null, url } = this.#options;
    const stream = new GeyserStream({
      ...{ open: this.#open, clock, random, logger, host: hostOf(url), timing: this.#timing },
      request: () => subscribeRequest(this.#wants(index), commitment, this.#limits),
      onUpdate: (update) => this.#dispatch(update),
      onSlot: (slot) => this.#receiveSlot(index, slot),
      onLost: (reason) => this.#lost(index, reason),
      onGap: (sinceSlot) => {
        for (const { events } of this.#accounts) events.onGap(sinceSlot);
        for (const { events } of this.#transactions) events.onGap(sinceSlot);
      },
    });
    this.#streams.set(index, stream);
    return stream;
  }

  /** Every stream has delivered the slot that is published. */
  #receiveSlot(index: number, slot: bigint): void {
    if (this.#hasFallenBack) {
      const text = "the gRPC stream is accepted again; accounts are followed over it";
      this.#options.logger?.info({ host: hostOf(this.#options.url) }, text);
      this.#losses = 0;
      this.#refreshSoon();
    }
    this.#losses = 0;
    this.#slots.set(index, slot);
    let lowest = slot;
    for (const place of this.#streams.keys()) {
      const reached = this.#slots.get(place);
      if (reached === undefined) return;
      if (reached < lowest) lowest = reached;
    }
    for (const { events } of this.#accounts) events.onSlot(lowest);
  }

  #lost(index: number, reason: string): void {
    this.#slots.delete(index);
    const { logger, url } = this.#options;
    const host = hostOf(url);
    const limits = learnedLimits(this.#limits, reason);
    if (limits !== null) {
      logger?.warn(
        { host, reason, ...limits },
        "the gRPC server's limits are smaller; subscribing within them",
      );
      this.#limits = limits;
      this.#losses = 0;
      this.#placement.reset();
      this.#generation++;
      for (const follower of this.#accounts) {
        for (const address of follower.addresses) this.#unreported.push({ follower, address });
      }
      this.#refreshSoon();
      return;
    }
    if (++this.#losses !== LOSSES_TO_FALL_BACK) return;
    const text =
      "the gRPC server refuses the stream; accounts are followed over the node's WebSocket until it accepts it";
    logger?.warn({ host, reason }, text);
    this.#refreshSoon();
  }

  readonly follow = (events: FollowEvents): Following => {
    const follower: AccountFollower = { addresses: new Set(), events, elsewhere: null };
    this.#accounts.add(follower);
    return this.#following(follower.addresses, {
      onAdded: (address) => this.#unreported.push({ follower, address }),
      onClosed: () => {
        this.#accounts.delete(follower);
        void follower.elsewhere?.following.close();
      },
    });
  };

  readonly followProgram = (
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
  ): Subscription => {
    const follower: ProgramFollower = { filter, onUpdate };
    this.#programs.add(follower);
    this.#refreshSoon();
    return {
      close: async () => {
        if (this.#programs.delete(follower)) this.#refreshSoon();
      },
    };
  };

  readonly followTransactions = (events: TransactionEvents): Following => {
    const follower: TransactionFollower = { addresses: new Set(), events };
    this.#transactions.add(follower);
    return this.#following(follower.addresses, {
      onAdded: () => {},
      onClosed: () => this.#transactions.delete(follower),
    });
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer);
    for (const { elsewhere } of this.#accounts) await elsewhere?.following.close();
    this.#accounts.clear();
    this.#programs.clear();
    this.#transactions.clear();
    for (const stream of this.#streams.values()) stream.close();
  };

  #following(
    followed: Set<Address>,
    on: { readonly onAdded: (address: Address) => void; readonly onClosed: () => void },
  ): Following {
    return {
      add: (addresses) => {
        for (const address of addresses) {
          if (followed.has(address)) continue;
          followed.add(address);
          on.onAdded(address);
        }
        this.#refreshSoon();
      },
      remove: (addresses) => {
        for (const address of addresses) followed.delete(address);
        this.#refreshSoon();
      },
      close: async () => {
        followed.clear();
        on.onClosed();
        this.#refreshSoon();
      },
    };
  }

  /** Changes made together become one request. */
  #refreshSoon(): void {
    if (this.#isClosed) return;
    let addresses = 0;
    for (const follower of this.#accounts) addresses += follower.addresses.size;
    this.#refreshTimer ??= setTimeout(
      () => {
        this.#refreshTimer = null;
        this.#refresh();
      },
      this.#timing.settleMs + addresses * GATHER_MS_PER_ADDRESS,
    );
  }

  #refresh(): void {
    const wanted = new Set([...this.#accounts].flatMap(({ addresses }) => [...addresses]));
    const programs = this.#programFilters();
    const { filters } = this.#limits;
    const otherFilters = (stream: number): number =>
      Math.min(filters, Math.max(0, programs.length - stream * filters));
    const changed = new Set(this.#placement.update(wanted, this.#limits, otherFilters));
    for (let index = 0; index * filters < Math.max(1, programs.length); index++) changed.add(index);
    for (const [index, stream] of this.#streams) {
      if (index === 0 || this.#wantsOf(index, programs).isAny) continue;
      stream.close();
      this.#streams.delete(index);
      this.#slots.delete(index);
      changed.delete(index);
    }
    const reported = this.#unreported.filter(({ address }) => this.#placement.isStreamed(address));
    this.#unreported = [];
    const generation = this.#generation;
    let left = changed.size;
    for (const index of changed) {
      this.#streamAt(index).refresh(() => {
        if (--left === 0 && generation === this.#generation) report(reported);
      });
    }
    for (const follower of this.#accounts) this.#followElsewhere(follower);
  }

  /** Over the WebSocket: what no stream has room for, or everything while no stream is accepted. */
  #followElsewhere(follower: AccountFollower): void {
    const wanted = new Set(
      [...follower.addresses].filter(
        (address) => this.#hasFallenBack || !this.#placement.isStreamed(address),
      ),
    );
    if (wanted.size === 0 && follower.elsewhere === null) return;
    follower.elsewhere ??= {
      following: this.#options.reads.follow(follower.events),
      addresses: new Set(),
    };
    const { following, addresses } = follower.elsewhere;
    following.remove([...addresses].filter((address) => !wanted.has(address)));
    following.add([...wanted].filter((address) => !addresses.has(address)));
    follower.elsewhere = { following, addresses: wanted };
  }

  /** Each program once: those followed whole share filters. */
  #programFilters(): readonly ProgramsFilter[] {
    const whole = new Set<Address>();
    const some = new Map<string, ProgramFilter>();
    for (const { filter } of this.#programs) {
      if (isWhole(filter)) whole.add(filter.programId);
      else some.set(JSON.stringify(filter), filter);
    }
    return [
      ...chunksOf(whole, this.#limits.addresses).map(
        (programIds): ProgramsFilter => ({ kind: "whole", programIds }),
      ),
      // The stream of its whole program brings these too.
      ...[...some.values()]
        .filter(({ programId }) => !whole.has(programId))
        .map((filter): ProgramsFilter => ({ kind: "some", filter })),
    ];
  }

  #wants(index: number): GeyserWants {
    return this.#wantsOf(index, this.#programFilters());
  }

  #wantsOf(
    index: number,
    programs: readonly ProgramsFilter[],
  ): GeyserWants & { readonly isAny: boolean } {
    const { filters } = this.#limits;
    const own = programs.slice(index * filters, (index + 1) * filters);
    const accounts = this.#placement.accountsOf(index);
    const mentioned = new Set(
      index === 0 ? [...this.#transactions].flatMap(({ addresses }) => [...addresses]) : [],
    );
    return { accounts, programs: own, mentioned, isAny: accounts.size + own.length > 0 };
  }

  #dispatch(message: SubscribeUpdate): void {
    if (message.account !== undefined) {
      const update = accountUpdateOf(message.account);
      if (update !== null) this.#reportAccount(message.filters, update);
    } else if (message.transaction !== undefined) {
      const transaction = transactionOf(message.transaction);
      if (transaction === null) return;
      for (const { events } of this.#transactions) events.onTransaction(transaction);
    }
  }

  #reportAccount(filters: readonly string[], update: AccountUpdate): void {
    if (filters.some((name) => name.startsWith(ACCOUNTS_FILTER))) {
      for (const { addresses, events } of this.#accounts) {
        if (addresses.has(update.address)) events.onUpdate(update);
      }
    }
    if (filters.every((name) => name.startsWith(ACCOUNTS_FILTER))) return;
    for (const { filter, onUpdate } of this.#programs) {
      if (update.account !== null && !matchesFilter(update.account, filter)) continue;
      onUpdate(update);
    }
  }
}

function isWhole({ dataSize, memcmp }: ProgramFilter): boolean {
  return dataSize === null && memcmp.length === 0;
}

function report(
  added: readonly { readonly follower: AccountFollower; readonly address: Address }[],
): void {
  const byFollower = Map.groupBy(added, ({ follower }) => follower);
  for (const [{ events, addresses }, entries] of byFollower) {
    const still = entries.map(({ address }) => address).filter((found) => addresses.has(found));
    if (still.length > 0) events.onFollowed?.(still);
  }
}
