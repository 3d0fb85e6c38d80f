import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { SubscribeRequest, SubscribeUpdate } from "@triton-one/yellowstone-grpc";
import { encodeRequest } from "./geyser-encoding.ts";

/** One subscription: its updates, and the requests that replace it. `cancel` ends it. */
export type GeyserCall = ClientDuplexStream<SubscribeRequest, SubscribeUpdate>;
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
  // What the server may send ahead: with the default of 64 KiB a distant server waits after a few updates.
  "grpc-node.flow_control_window": 8 * 1024 * 1024,
  // Each stream has a connection of its own: none waits for another's updates.
  "grpc.use_local_subchannel_pool": 1,
  // A connection that no longer answers is given up, and a quiet one stays open through routers.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 8_000,
  // Reopening waits for longer each time; the channel itself does not.
  "grpc.max_reconnect_backoff_ms": 1_000,
  // Nothing but the configuration decides where a stream goes.
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
};

/**
 * A client on HTTP/2 of Node's own: it takes every update that has arrived in one turn of the event loop,
 * where the package's own client takes one, at a cost of 5 instead of 78 microseconds of CPU each.
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
    // The channel ends with its only call.
    call.once("status", () => client.close());
    call.write(request);
    await accepted(call, signal);
    return call;
  };
}

/** @throws Error that does not quote the token */
function setToken(metadata: { readonly set: (key: string, value: string) => void }, token: string) {
  try {
    metadata.set("x-token", token);
  } catch {
    throw new Error("GEYSER_TOKEN has characters that a header cannot have");
  }
}

/** A server accepts a call with its headers, and refuses it with a status in their place. */
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
      deserialize: (bytes: Buffer) => SubscribeUpdate.decode(bytes),
    };
  } catch (cause) {
    throw new GeyserUnavailable(cause);
  }
}
