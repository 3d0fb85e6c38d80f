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
import { ACCOUNTS_FILTER, subscribeRequest } from "./geyser-request.ts";
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

type AccountFollower = { readonly addresses: Set<Address>; readonly events: FollowEvents };
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
  readonly #stream: GeyserStream;
  readonly #settleMs: number;
  readonly #accounts = new Set<AccountFollower>();
  readonly #programs = new Map<string, ProgramFollower>();
  readonly #transactions = new Set<TransactionFollower>();
  #unreported: { readonly follower: AccountFollower; readonly address: Address }[] = [];
  #refreshTimer: NodeJS.Timeout | null = null;
  #programCount = 0;

  constructor(options: GeyserOptions, open: OpenStream) {
    const { commitment = "confirmed", timing = DEFAULT_LINK_TIMING } = options;
    this.#settleMs = timing.settleMs;
    this.#stream = new GeyserStream({
      open,
      request: () => subscribeRequest(this.#wants(), commitment),
      onUpdate: (update) => this.#dispatch(update),
      onSlot: (slot) => {
        for (const { events } of this.#accounts) events.onSlot(slot);
      },
      onGap: (sinceSlot) => {
        for (const { events } of this.#accounts) events.onGap(sinceSlot);
        for (const { events } of this.#transactions) events.onGap(sinceSlot);
      },
      clock: options.clock,
      random: options.random,
      logger: options.logger ?? null,
      host: hostOf(options.url),
      timing,
    });
  }

  readonly follow = (events: FollowEvents): Following => {
    const follower: AccountFollower = { addresses: new Set(), events };
    this.#accounts.add(follower);
    return this.#following(follower.addresses, {
      onAdded: (address) => this.#unreported.push({ follower, address }),
      onClosed: () => this.#accounts.delete(follower),
    });
  };

  readonly followProgram = (
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
  ): Subscription => {
    const name = `program${this.#programCount++}`;
    this.#programs.set(name, { filter, onUpdate });
    this.#refreshSoon();
    return {
      close: async () => {
        if (this.#programs.delete(name)) this.#refreshSoon();
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
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer);
    this.#accounts.clear();
    this.#programs.clear();
    this.#transactions.clear();
    this.#stream.close();
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
    let addresses = 0;
    for (const follower of this.#accounts) addresses += follower.addresses.size;
    this.#refreshTimer ??= setTimeout(
      () => {
        this.#refreshTimer = null;
        const reported = this.#unreported;
        this.#unreported = [];
        this.#stream.refresh(() => report(reported));
      },
      this.#settleMs + addresses * GATHER_MS_PER_ADDRESS,
    );
  }

  #wants() {
    return {
      accounts: new Set([...this.#accounts].flatMap(({ addresses }) => [...addresses])),
      programs: new Map([...this.#programs].map(([name, { filter }]) => [name, filter])),
      mentioned: new Set([...this.#transactions].flatMap(({ addresses }) => [...addresses])),
    };
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
    for (const name of filters) {
      if (name === ACCOUNTS_FILTER) {
        for (const { addresses, events } of this.#accounts) {
          if (addresses.has(update.address)) events.onUpdate(update);
        }
        continue;
      }
      const program = this.#programs.get(name);
      if (program === undefined) continue;
      if (update.account !== null && !matchesFilter(update.account, program.filter)) continue;
      program.onUpdate(update);
    }
  }
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
