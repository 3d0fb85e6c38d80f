import { once } from "node:events";
import { createRequire } from "node:module";
import { WebSocket, WebSocketServer } from "ws";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Ending } from "#test/support/ending.ts";

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
  /** How often subscribers were notified, by account. */
  readonly notified: ReadonlyMap<string, number>;
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
  const notified = new Map<string, number>();
  const proxy = await startTrueSlots(net.wsUrl, { call, notified });
  ending.after(async () => {
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
    readonly result?: { readonly context?: { slot: number }; readonly slot?: number };
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

type ClockRead = { readonly context: { readonly slot: number } };

type Shim = {
  readonly call: RealNode["call"];
  readonly notified: Map<string, number>;
};

/** Notifications of one transaction follow each other within this time. */
const ONE_TRANSACTION_MS = 30;

/**
 * Holds the notifications of changes until the slot ends, and sends them then with that slot, the clock
 * last: as a node does that notifies of confirmed slots.
 */
function carry(near: WebSocket, far: WebSocket, { call, notified }: Shim): void {
  const waiting: string[] = [];
  const asked = new Map<number, string>();
  const accounts = new Map<number, string>();
  let held: Message[] = [];
  let heldMs = Number.NEGATIVE_INFINITY;
  let sent = Promise.resolve();
  near.on("message", (data) => {
    const text = String(data);
    const { id, method, params }: Message = JSON.parse(text);
    if (method === "accountSubscribe" && id !== undefined) asked.set(id, String(params?.[0]));
    if (far.readyState === far.OPEN) far.send(text);
    else waiting.push(text);
  });
  far.on("open", () => {
    for (const text of waiting.splice(0)) far.send(text);
    far.send(JSON.stringify({ jsonrpc: "2.0", id: "slots", method: "slotSubscribe" }));
  });
  const count = (account: string) => {
    notified.set(account, (notified.get(account) ?? 0) + 1);
  };
  const endSlot = async () => {
    // Half of a transaction's changes would be a state that never existed.
    if (performance.now() - heldMs < ONE_TRANSACTION_MS) return;
    const changes = held;
    held = [];
    const result = await call<ClockRead>("getAccountInfo", [CLOCK_SYSVAR, PROCESSED]);
    // The clock is already that of the next slot.
    const endedSlot = result.context.slot - 1;
    for (const message of changes) {
      const { params } = message;
      if (params?.result?.context !== undefined) params.result.context.slot = endedSlot;
      near.send(JSON.stringify(message));
      const changed = accounts.get(params?.subscription ?? -1);
      if (changed !== undefined) count(changed);
    }
    for (const [subscription, of] of accounts) {
      if (of !== CLOCK_SYSVAR) continue;
      const params = { result, subscription };
      near.send(JSON.stringify({ jsonrpc: "2.0", method: "accountNotification", params }));
      count(CLOCK_SYSVAR);
    }
  };
  far.on("message", (data) => {
    const message: Message = JSON.parse(String(data));
    const { id, method, params } = message;
    if (String(id) === "slots") return;
    const account = id === undefined ? undefined : asked.get(id);
    if (account !== undefined) {
      accounts.set(Number(message.result), account);
      if (!notified.has(account)) notified.set(account, 0);
    }
    if (params?.result?.context !== undefined) {
      held.push(message);
      heldMs = performance.now();
      return;
    }
    near.send(JSON.stringify(message));
    if (method === "slotNotification") sent = sent.then(endSlot).catch(() => near.terminate());
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on("close", () => other.terminate());
    one.on("error", () => other.terminate());
  }
}
