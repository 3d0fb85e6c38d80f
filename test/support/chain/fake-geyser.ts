import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import {
  SubscribeRequest,
  type SubscribeRequestFilterAccounts,
  SubscribeUpdate,
} from "@triton-one/yellowstone-grpc";
import type { Ledger, LedgerTransaction } from "#src/node/ledger.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Instruction } from "#src/venues/program-run.ts";

type Call = ServerDuplexStream<SubscribeRequest, SubscribeUpdate>;
type Client = { readonly call: Call; request: SubscribeRequest | null };

/** What a slot brought. */
type EndedSlot = {
  readonly slot: bigint;
  readonly parent: bigint;
  readonly changed: readonly (readonly [Address, Account | null])[];
  readonly transactions: readonly LedgerTransaction[];
};

const SLOT_PROCESSED = 0;
const SLOT_CONFIRMED = 1;
const SLOT_DEAD = 6;
/** A slot is confirmed when this many slots follow it. */
const CONFIRMED_AFTER = 2;
/** Slots that a reconnecting client can begin at. */
const SLOTS_KEPT = 200;

/** A Yellowstone gRPC server over a local node's ledger, which fails on command. */
export class FakeGeyser {
  /** Whether a slot's end is published; if not, the accounts that it changed are lost with it. */
  tellsSlot: (slot: bigint) => boolean = () => true;
  /** Why a request is refused, in the server's words; null: it is accepted. */
  refusalOf: (request: SubscribeRequest) => string | null = () => null;
  /** Slots after which a slot is confirmed, and sent to clients of confirmed state. */
  confirmedAfter = 0;
  /** Number of further slots by which the stream of a request is behind. */
  lagOf: (request: SubscribeRequest) => number = () => 0;
  /** Each changed account is sent empty first, as of an earlier transaction of the slot. */
  writesTwice = false;
  /** Each stream is ended after its first slot, as that of a client that is too slow. */
  endsStreams = false;
  /** The connection is accepted, and nothing ever comes over it. */
  isSilent = false;
  readonly requests: SubscribeRequest[] = [];
  readonly tokens: string[] = [];
  readonly #ledger: Ledger;
  readonly #clients = new Set<Client>();
  readonly #stopListening: () => void;
  #server: Server | null = null;
  #port = 0;
  #endedSlot: bigint;
  #changed: [Address, Account | null][] = [];
  #transactions: LedgerTransaction[] = [];
  #kept: EndedSlot[] = [];
  #previousSlot: bigint;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#endedSlot = ledger.clock.slot;
    this.#previousSlot = ledger.clock.slot - 1n;
    this.#stopListening = ledger.listen({
      onAccount: (address, account) => this.#changed.push([address, account]),
      onTransaction: (transaction) => this.#transactions.push(transaction),
      onSlot: () => this.#endSlot(),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** What each open stream is subscribed to now. */
  get subscriptions(): readonly SubscribeRequest[] {
    return [...this.#clients].flatMap(({ request }) => request ?? []);
  }

  async open(): Promise<void> {
    const server = new Server();
    const implementation: UntypedServiceImplementation = {
      Subscribe: (call: Call) => this.#serve(call),
    };
    server.addService(
      {
        Subscribe: {
          path: "/geyser.Geyser/Subscribe",
          requestStream: true,
          responseStream: true,
          requestDeserialize: (bytes: Buffer) => SubscribeRequest.decode(bytes),
          requestSerialize: (value: SubscribeRequest) =>
            Buffer.from(SubscribeRequest.encode(value).finish()),
          responseDeserialize: (bytes: Buffer) => SubscribeUpdate.decode(bytes),
          responseSerialize: (value: SubscribeUpdate) =>
            Buffer.from(SubscribeUpdate.encode(SubscribeUpdate.fromPartial(value)).finish()),
        },
      },
      implementation,
    );
    this.#port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(
        `127.0.0.1:${this.#port}`,
        ServerCredentials.createInsecure(),
        (error, port) => (error === null ? resolve(port) : reject(error)),
      );
    });
    this.#server = server;
  }

  /**
   * Sends a slot that will be dropped to clients of processed state: its number is free only in a ledger
   * that leaves out slots.
   */
  fork(changed: ReadonlyMap<Address, Account | null>): bigint {
    const slot = this.#previousSlot + 1n;
    const ended = { slot, parent: this.#previousSlot, changed: [...changed], transactions: [] };
    for (const client of this.#clients)
      if (client.request?.commitment === SLOT_PROCESSED) this.#send(client, ended);
    return slot;
  }

  /** Sends these writes of the present slot, and that its replay failed: its end brings those of the next replay alone. */
  failReplay(changed: ReadonlyMap<Address, Account | null>): void {
    const slot = this.#endedSlot;
    for (const client of this.#clients) {
      for (const [address, account] of changed) this.#sendAccount(client, address, account, slot);
      const dead = { slot: String(slot), status: SLOT_DEAD };
      client.call.write(SubscribeUpdate.fromPartial({ filters: ["slots"], slot: dead }));
    }
  }

  /** Sends the end of a slot that the chain has not reached, as a broken server does. */
  sendFalseSlot(slot: bigint): void {
    const falseSlot = { slot: String(slot), parent: String(slot - 1n) };
    for (const { call, request } of this.#clients) {
      const isProcessed = request?.commitment === SLOT_PROCESSED;
      for (const status of isProcessed ? [SLOT_PROCESSED, SLOT_CONFIRMED] : [SLOT_CONFIRMED])
        call.write(
          SubscribeUpdate.fromPartial({ filters: ["slots"], slot: { ...falseSlot, status } }),
        );
    }
  }

  /** Slots before this one are not kept for clients that reconnect. */
  forgetSlots(): void {
    this.#kept = [];
  }

  /** Cuts every stream and refuses new ones, until `open`. */
  cut(): void {
    this.#server?.forceShutdown();
    this.#server = null;
    this.#clients.clear();
  }

  close(): void {
    this.#stopListening();
    this.cut();
  }

  #serve(call: Call): void {
    const client: Client = { call, request: null };
    this.#clients.add(client);
    // As the real server does: a client waits for it before it takes the stream for open.
    if (!this.isSilent) call.sendMetadata(new Metadata());
    this.tokens.push(...call.metadata.get("x-token").map(String));
    call.on("data", (request: SubscribeRequest) => {
      if (this.isSilent) return;
      if (request.ping !== undefined) {
        call.write(SubscribeUpdate.fromPartial({ filters: [], pong: { id: request.ping.id } }));
        return;
      }
      const refusal = this.refusalOf(request) ?? this.#refusalOfStart(request);
      if (refusal !== null) {
        this.#clients.delete(client);
        call.emit("error", { code: status.INVALID_ARGUMENT, details: refusal });
        return;
      }
      this.requests.push(request);
      client.request = request;
      if (request.fromSlot === undefined) return;
      const from = BigInt(request.fromSlot);
      for (const ended of this.#kept) if (ended.slot >= from) this.#send(client, ended);
    });
    for (const end of ["error", "cancelled"]) call.on(end, () => this.#clients.delete(client));
    call.on("end", () => {
      this.#clients.delete(client);
      call.end();
    });
  }

  #endSlot(): void {
    const slot = this.#endedSlot;
    this.#endedSlot = this.#ledger.clock.slot;
    const changed = this.#changed.splice(0);
    const transactions = this.#transactions.splice(0);
    const ended = { slot, parent: this.#previousSlot, changed, transactions };
    this.#previousSlot = slot;
    this.#kept.push(ended);
    if (this.#kept.length > SLOTS_KEPT) this.#kept.shift();
    if (this.isSilent || !this.tellsSlot(slot)) return;
    for (const client of this.#clients) {
      const isProcessed = client.request?.commitment === SLOT_PROCESSED;
      const lag = client.request === null ? 0 : this.lagOf(client.request);
      const due = isProcessed ? ended : this.#kept.at(-1 - this.confirmedAfter - lag);
      if (due === undefined) continue;
      this.#send(client, due);
      if (this.endsStreams) this.#end(client);
    }
  }

  #end(client: Client): void {
    if (client.request === null) return;
    this.#clients.delete(client);
    client.call.emit("error", { code: status.RESOURCE_EXHAUSTED, details: "client lagged" });
  }

  #refusalOfStart({ fromSlot }: SubscribeRequest): string | null {
    const oldest = this.#kept[0]?.slot ?? this.#endedSlot;
    if (fromSlot === undefined || BigInt(fromSlot) >= oldest) return null;
    return `broadcast from ${fromSlot} is not available, last available: ${oldest}`;
  }

  #send(client: Client, { slot, parent, changed, transactions }: EndedSlot): void {
    const { request } = client;
    if (request === null) return;
    if (this.writesTwice) {
      for (const [address, account] of changed) {
        const empty = account === null ? null : { ...account, data: Uint8Array.of(0) };
        this.#sendAccount(client, address, empty, slot);
      }
    }
    for (const [address, account] of changed) this.#sendAccount(client, address, account, slot);
    for (const transaction of transactions) sendTransaction(client, transaction);
    if (Object.keys(request.slots).length === 0) return;
    const sendSlot = (of: Pick<EndedSlot, "slot" | "parent">, status: number) =>
      client.call.write(
        SubscribeUpdate.fromPartial({
          filters: ["slots"],
          slot: { slot: String(of.slot), parent: String(of.parent), status },
        }),
      );
    if (request.commitment !== SLOT_PROCESSED) {
      sendSlot({ slot, parent }, SLOT_CONFIRMED);
      return;
    }
    sendSlot({ slot, parent }, SLOT_PROCESSED);
    const behind = Math.max(CONFIRMED_AFTER, this.confirmedAfter);
    const place = this.#kept.findIndex((kept) => kept.slot === slot) - behind;
    const confirmed = this.#kept[place];
    if (confirmed !== undefined) sendSlot(confirmed, SLOT_CONFIRMED);
  }

  #sendAccount(
    { call, request }: Client,
    address: Address,
    account: Account | null,
    slot: bigint,
  ): void {
    const filters = Object.entries(request?.accounts ?? {})
      .filter(([, filter]) => passes(filter, address, account))
      .map(([name]) => name);
    if (filters.length === 0) return;
    call.write(
      SubscribeUpdate.fromPartial({
        filters,
        account: {
          slot: String(slot),
          isStartup: false,
          account: {
            pubkey: bytesOf(address),
            lamports: String(account?.lamports ?? 0n),
            owner: account === null ? new Uint8Array(32) : bytesOf(account.owner),
            executable: false,
            rentEpoch: "18446744073709551615",
            data: account?.data ?? new Uint8Array(0),
            writeVersion: "1",
          },
        },
      }),
    );
  }
}

/** As a server with such limits refuses a request; null: it accepts it. */
export function limitRefusal(
  { accounts, transactions }: SubscribeRequest,
  limits: { readonly filters: number; readonly addresses: number },
): string | null {
  const types = [accounts, transactions].map((filters) => Object.values(filters));
  if (types.some(({ length }) => length > limits.filters)) {
    return `failed to create filter: Max amount of filters/data_slices reached, only ${limits.filters} allowed`;
  }
  const lists = [
    ...Object.values(accounts).flatMap(({ account, owner }) => [account, owner]),
    ...Object.values(transactions).map(({ accountInclude }) => accountInclude),
  ];
  if (lists.some(({ length }) => length > limits.addresses)) {
    return `failed to create filter: Max amount of Pubkeys reached, only ${limits.addresses} allowed`;
  }
  return null;
}

function passes(
  filter: SubscribeRequestFilterAccounts,
  address: Address,
  account: Account | null,
): boolean {
  if (filter.account.length > 0 && !accountsOf(filter).has(address)) return false;
  if (filter.owner.length > 0 && (account === null || !filter.owner.includes(account.owner))) {
    return false;
  }
  return filter.filters.every(({ datasize, memcmp }) => {
    const data = account?.data ?? new Uint8Array(0);
    if (datasize !== undefined && data.length !== Number(datasize)) return false;
    const start = Number(memcmp?.offset ?? 0);
    return (memcmp?.bytes ?? new Uint8Array(0)).every((byte, i) => data[start + i] === byte);
  });
}

const ACCOUNTS = new WeakMap<SubscribeRequestFilterAccounts, ReadonlySet<string>>();

function accountsOf(filter: SubscribeRequestFilterAccounts): ReadonlySet<string> {
  const known = ACCOUNTS.get(filter) ?? new Set(filter.account);
  ACCOUNTS.set(filter, known);
  return known;
}

function sendTransaction({ call, request }: Client, transaction: LedgerTransaction): void {
  const { feePayer, instruction, inner, tokenAmounts = new Map() } = transaction;
  const keys = [
    ...new Set([
      feePayer,
      ...[instruction, ...inner].flatMap(({ accounts, programId }) => [...accounts, programId]),
      ...tokenAmounts.keys(),
    ]),
  ];
  const isWanted = Object.values(request?.transactions ?? {}).some(({ accountInclude }) =>
    accountInclude.some((address) => keys.some((key) => key === address)),
  );
  if (!isWanted) return;
  const compiled = (one: Instruction) => ({
    programIdIndex: keys.indexOf(one.programId),
    accounts: Uint8Array.from(one.accounts, (address) => keys.indexOf(address)),
    data: one.data,
  });
  const balances = (side: "before" | "after") =>
    [...tokenAmounts].flatMap(([address, { [side]: amount }]) =>
      amount === null
        ? []
        : [{ accountIndex: keys.indexOf(address), uiTokenAmount: { amount: String(amount) } }],
    );
  const update = SubscribeUpdate.fromPartial({
    filters: ["transactions"],
    transaction: {
      slot: String(transaction.slot),
      transaction: {
        signature: base58Decode(transaction.signature) ?? new Uint8Array(64),
        transaction: {
          message: { accountKeys: keys.map(bytesOf), instructions: [compiled(instruction)] },
        },
        meta: {
          logMessages: [...transaction.logs],
          innerInstructions: [{ index: 0, instructions: inner.map(compiled) }],
          preTokenBalances: balances("before"),
          postTokenBalances: balances("after"),
        },
      },
    },
  });
  call.write(update);
}
