import { once } from "node:events";
import { createRequire } from "node:module";
import { zstdDecompressSync } from "node:zlib";
import { WebSocket, WebSocketServer } from "ws";
import { chunksOf } from "#src/platform/chunks.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { closeAfter, type Ending } from "#test/support/ending.ts";

/** Without it the node stops answering for good after some thousand events. */
const DRAIN_EVERY_MS = 50;

type Surfnet = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly drainEvents: () => unknown;
  readonly setAccount: (
    address: string,
    lamports: number,
    data: readonly number[],
    owner: string,
  ) => void;
  readonly deploy: (program: { programId: string; soBytes: readonly number[] }) => void;
  readonly fundSol: (address: string, lamports: number) => void;
  readonly stop: () => void;
};

export type RealNode = {
  /** What subscribers were last sent, in base64, by account; null: subscribed, nothing sent yet. */
  readonly notified: ReadonlyMap<string, string | null>;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly net: Surfnet;
  readonly call: <T>(method: string, params?: readonly unknown[]) => Promise<T>;
  readonly setAccount: (account: {
    readonly address: Address;
    readonly owner: Address;
    readonly lamports: bigint;
    readonly data: Uint8Array;
  }) => void;
};

export type FoundSurfpool =
  | { readonly kind: "here"; readonly start: (ending: Ending) => Promise<RealNode> }
  | { readonly kind: "absent"; readonly reason: string };

/** Surfpool as a native module of this process, where it is installed (`npm ci --prefix test/real-node/node`). */
export function surfpool({ slotMs }: { readonly slotMs: number }): FoundSurfpool {
  const name = `@solana/surfpool-${process.platform}-${process.arch}-gnu`;
  try {
    const { Surfnet } = createRequire(new URL("node/", import.meta.url))(name);
    return { kind: "here", start: (ending) => start(ending, Surfnet, slotMs) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { kind: "absent", reason: `Surfpool is not installed: ${reason}` };
  }
}

async function start(
  ending: Ending,
  Surfnet: { readonly startWithConfig: (config: object) => Surfnet },
  slotMs: number,
): Promise<RealNode> {
  const net = Surfnet.startWithConfig({
    offline: true,
    blockProductionMode: "clock",
    slotTimeMs: slotMs,
  });
  const drain = setInterval(() => net.drainEvents(), DRAIN_EVERY_MS);
  const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const response = await fetch(net.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const answer: { result: T; error?: unknown } = JSON.parse(await response.text());
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  };
  const notified = new Map<string, string | null>();
  const proxy = await startTrueSlots(net.wsUrl, { call, notified });
  closeAfter(ending, async () => {
    clearInterval(drain);
    await proxy.close();
    net.stop();
  });
  return {
    rpcUrl: net.rpcUrl,
    wsUrl: proxy.url,
    notified,
    net,
    call,
    setAccount: ({ address, owner, lamports, data }) =>
      net.setAccount(address, Number(lamports), [...data], owner),
  };
}

const PROCESSED = { encoding: "base64", commitment: "processed" };

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: {
    readonly subscription?: number;
    readonly result?: {
      readonly context?: { slot: number };
      readonly value?: { readonly data: readonly [string, string] };
    };
  } & readonly unknown[];
};

/**
 * A proxy on the node's WebSocket that makes its notifications as Agave's: Surfpool 1.5.0 repeats the slot
 * of the subscription in every account notification, and sends none for the Clock sysvar.
 */
async function startTrueSlots(target: string, shim: Shim) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (near) => carry(near, new WebSocket(target), shim));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${port}`,
    close: async () => {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

type AccountsRead = {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly data: readonly [string, string] } | null)[];
};
type ClockRead = { readonly context: { readonly slot: number } };

type Shim = {
  readonly call: RealNode["call"];
  readonly notified: Map<string, string | null>;
};

/** The content of a notified account in base64; empty for an absent one. */
function contentOf({ params }: Message): string {
  const [text, encoding] = params?.result?.value?.data ?? [];
  if (text === undefined) return "";
  if (encoding !== "base64+zstd") return text;
  return zstdDecompressSync(Buffer.from(text, "base64")).toString("base64");
}

/** The contents of accounts, and the newest slot that any of them was read at. */
async function contentsOf(call: RealNode["call"], accounts: readonly string[], sinceSlot: number) {
  const contents = new Map<string, string>();
  let slot = sinceSlot;
  for (const chunk of chunksOf(accounts, ACCOUNTS_PER_CALL)) {
    const { value, context } = await call<AccountsRead>("getMultipleAccounts", [chunk, PROCESSED]);
    slot = context.slot;
    for (const [place, account] of chunk.entries())
      if (account !== CLOCK_SYSVAR) contents.set(account, value[place]?.data[0] ?? "");
  }
  return { contents, slot };
}

const ACCOUNTS_PER_CALL = 100;

/**
 * Holds the notifications of changes until their slot is over, and sends them then with that slot, the clock
 * last: as a node does that notifies of confirmed slots. Half of a transaction's changes would be a state
 * that never existed: they are held until the node has no further change of a subscribed account.
 */
function carry(near: WebSocket, far: WebSocket, { call, notified }: Shim): void {
  const waiting: string[] = [];
  const asked = new Map<number, string>();
  const accounts = new Map<number, string>();
  const held: Message[] = [];
  let whole: { readonly changes: readonly Message[]; readonly slot: number } | null = null;
  let contents: ReadonlyMap<string, string> = new Map();
  let isEnding = false;
  const accountOf = ({ params }: Message) => accounts.get(params?.subscription ?? -1);

  const sendChanges = (changes: readonly Message[], slot: number) => {
    for (const message of changes) {
      const { params } = message;
      if (params?.result?.context !== undefined) params.result.context.slot = slot;
      near.send(JSON.stringify(message));
      const changed = accountOf(message);
      if (changed !== undefined) notified.set(changed, contentOf(message));
    }
  };
  const sendClock = (result: ClockRead) => {
    for (const [subscription, of] of accounts) {
      if (of !== CLOCK_SYSVAR) continue;
      const params = { result, subscription };
      near.send(JSON.stringify({ jsonrpc: "2.0", method: "accountNotification", params }));
    }
  };
  /** A read of the same slot may have the newer content: the older one would replace it. */
  const isChangedAgain = (changes: readonly Message[]) => {
    const newer = new Set(held.map(accountOf));
    newer.delete(undefined);
    return changes.some((message) => newer.has(accountOf(message)));
  };
  /** Keeps what is held for the next slot, unless the notification of some change is still on its way. */
  const gather = async (sinceSlot: number) => {
    const count = held.length;
    const changed = new Map(held.map((message) => [accountOf(message), contentOf(message)]));
    const now = await contentsOf(call, [...new Set(accounts.values())], sinceSlot);
    for (const [account, content] of now.contents) {
      const sent = changed.get(account) ?? contents.get(account) ?? content;
      if (content !== sent) return;
    }
    contents = now.contents;
    whole = { changes: held.splice(0, count), slot: now.slot };
  };
  const endSlot = async () => {
    const clock = await call<ClockRead>("getAccountInfo", [CLOCK_SYSVAR, PROCESSED]);
    // A read of this slot may have preceded the change: it would count as newer than an earlier slot's.
    if (whole !== null && whole.slot >= clock.context.slot) return;
    if (whole !== null && isChangedAgain(whole.changes)) held.unshift(...whole.changes);
    else if (whole !== null) sendChanges(whole.changes, whole.slot);
    whole = null;
    sendClock(clock);
    await gather(clock.context.slot);
  };

  near.on("message", (data) => {
    const text = String(data);
    const { id, method, params }: Message = JSON.parse(text);
    if (method === "accountSubscribe" && id !== undefined) asked.set(id, String(params?.[0]));
    if (method === "accountUnsubscribe") {
      const subscription = Number(params?.[0]);
      const account = accounts.get(subscription) ?? "";
      accounts.delete(subscription);
      if (!accounts.values().some((other) => other === account)) notified.delete(account);
    }
    if (far.readyState === far.OPEN) far.send(text);
    else waiting.push(text);
  });
  far.on("open", () => {
    for (const text of waiting.splice(0)) far.send(text);
    far.send(JSON.stringify({ jsonrpc: "2.0", id: "slots", method: "slotSubscribe" }));
  });
  far.on("message", (data) => {
    const message: Message = JSON.parse(String(data));
    const { id, method, params } = message;
    if (String(id) === "slots") return;
    const account = id === undefined ? undefined : asked.get(id);
    if (account !== undefined) {
      accounts.set(Number(message.result), account);
      if (!notified.has(account)) notified.set(account, null);
    }
    if (params?.result?.context !== undefined) {
      held.push(message);
      return;
    }
    near.send(JSON.stringify(message));
    if (method !== "slotNotification" || isEnding) return;
    isEnding = true;
    endSlot()
      .catch(() => near.terminate())
      .finally(() => {
        isEnding = false;
      });
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on("close", () => other.terminate());
    one.on("error", () => other.terminate());
  }
}
