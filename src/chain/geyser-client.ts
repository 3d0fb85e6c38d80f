import type { ClientDuplexStream, SubscribeRequest } from "@triton-one/yellowstone-grpc";

/** Resolves once the server has accepted the stream and its first request. */
export type OpenStream = (request: SubscribeRequest) => Promise<ClientDuplexStream>;

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

/** @throws GeyserUnavailable if the client can't be loaded on this platform */
export async function loadGeyserClient(endpoint: {
  readonly url: string;
  /** Sent as x-token; null: none. */
  readonly token: string | null;
}): Promise<OpenStream> {
  const Client = await importClient();
  return async (request) => {
    const client = new Client(endpoint.url, endpoint.token ?? undefined, {
      grpcConnectTimeout: CONNECT_TIMEOUT_MS,
      grpcMaxDecodingMessageSize: MAX_MESSAGE_BYTES,
      grpcTcpNodelay: true,
    });
    await client.connect();
    return client.subscribe(request);
  };
}

type ClientClass = typeof import("@triton-one/yellowstone-grpc")["default"];

function isClientClass(value: unknown): value is ClientClass {
  return typeof value === "function";
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
