import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { encodeRequest } from "./geyser-encoding.ts";
import { type GeyserUpdate, updateOf } from "./undecoded-transaction.ts";

/** One subscription: it delivers updates and accepts requests that replace it. `cancel` ends it. */
export type GeyserCall = ClientDuplexStream<SubscribeRequest, GeyserUpdate>;
/** Resolves once the server has accepted the stream and its first request; aborting ends the attempt. */
export type OpenStream = (request: SubscribeRequest, signal: AbortSignal) => Promise<GeyserCall>;

/** The gRPC client can't be loaded: the package with its messages has a native part for a few platforms only. */
export class GeyserUnavailable extends Error {
  constructor(cause: unknown) {
    super(
      `there is no gRPC client for ${process.platform}-${process.arch}: unset GEYSER_URL, then SOLANA_WS_URL is used`,
      { cause },
    );
    this.name = "GeyserUnavailable";
  }
}

const SUBSCRIBE = "/geyser.Geyser/Subscribe";
const CHANNEL = {
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // How much the server may send before we confirm it: with the default of 64 KiB a distant server waits often.
  "grpc-node.flow_control_window": 8 * 1024 * 1024,
  // A separate connection for each stream, so that no stream waits for the updates of another.
  "grpc.use_local_subchannel_pool": 1,
  // Pings end a connection that no longer answers, and keep a quiet connection open in routers.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 8_000,
  // GeyserStream already waits longer before each attempt; the channel need not.
  "grpc.max_reconnect_backoff_ms": 1_000,
  // The target comes from the configuration only, not from proxy variables or DNS records.
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
};

/**
 * A client on Node's own HTTP/2. In one turn of the event loop it processes all updates that have arrived;
 * the package's own client processes one. An update costs 5 instead of 78 microseconds of CPU.
 *
 * @throws GeyserUnavailable if the packages can't be loaded on this platform
 */
export async function loadGeyserClient(endpoint: {
  readonly url: string;
  /** Sent as x-token; null: none. */
  readonly token: string | null;
}): Promise<OpenStream> {
  const { grpc, serialize, deserialize } = await load();
  const { host, protocol } = new URL(endpoint.url);
  const isSecure = protocol === "https:";
  const target = /:\d+$/.test(host) ? host : `${host}:${isSecure ? 443 : 80}`;
  return async (request, signal) => {
    const metadata = new grpc.Metadata();
    if (endpoint.token !== null) setToken(metadata, endpoint.token);
    const { createSsl, createInsecure } = grpc.credentials;
    const client = new grpc.Client(target, isSecure ? createSsl() : createInsecure(), CHANNEL);
    const call = client.makeBidiStreamRequest(SUBSCRIBE, serialize, deserialize, metadata);
    // The channel has no other call: close it with the call.
    call.once("status", () => client.close());
    call.write(request);
    await accepted(call, signal);
    return call;
  };
}

/** @throws Error whose message does not contain the token */
function setToken(metadata: { readonly set: (key: string, value: string) => void }, token: string) {
  try {
    metadata.set("x-token", token);
  } catch {
    throw new Error("GEYSER_TOKEN has characters that a header cannot have");
  }
}

/** The server accepts a call by sending headers, and refuses it by sending a status instead. */
function accepted(call: GeyserCall, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = (): void => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  call.once("metadata", resolve);
  call.on("error", reject);
  return promise.finally(() => signal.removeEventListener("abort", cancel));
}

async function load() {
  try {
    const [{ default: grpc }, { SubscribeRequest, SubscribeUpdate }] = await Promise.all([
      import("@grpc/grpc-js"),
      import("@triton-one/yellowstone-grpc"),
    ]);
    return {
      grpc,
      serialize: (request: SubscribeRequest) =>
        encodeRequest(request, (own) => SubscribeRequest.encode(own).finish()),
      deserialize: (bytes: Buffer) => updateOf(bytes, (whole) => SubscribeUpdate.decode(whole)),
    };
  } catch (cause) {
    throw new GeyserUnavailable(cause);
  }
}
