import { validateHeaderValue } from "node:http";
import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { encodeRequest } from "./geyser-encoding.ts";
import { type GeyserUpdate, GeyserUpdateReader } from "./geyser-update.ts";
import { GrpcCall } from "./grpc-call.ts";

/** One subscription: it delivers updates and accepts requests that replace it. */
export type GeyserCall = {
  /** Begins to deliver updates, and the reason of the end. To be called once, in the turn in which it was opened. */
  readonly listen: (events: GeyserCallEvents) => void;
  readonly send: (request: SubscribeRequest) => void;
  /** Ends it; no event comes after it. */
  readonly cancel: () => void;
};

export type GeyserCallEvents = {
  readonly onUpdate: (update: GeyserUpdate) => void;
  readonly onEnd: (reason: string) => void;
};

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
const TOKEN_HEADER = "x-token";

/**
 * A client that processes all updates that have arrived in one turn of the event loop; the package's own client
 * processes one.
 *
 * @throws GeyserUnavailable if the package can't be loaded on this platform
 */
export async function loadGeyserClient({
  url,
  token,
}: {
  readonly url: string;
  /** Sent as x-token; null: none. */
  readonly token: string | null;
}): Promise<OpenStream> {
  const { SubscribeRequest, SubscribeUpdate } = await loadMessages();
  const encode = (request: SubscribeRequest): Uint8Array =>
    encodeRequest(request, (own) => SubscribeRequest.encode(own).finish());
  const decode = (bytes: Uint8Array) => SubscribeUpdate.decode(bytes);
  return async (request, signal) => {
    const options = { url, path: SUBSCRIBE, headers: tokenHeader(token) };
    const call = await GrpcCall.open(options, encode(request), signal);
    return {
      listen: ({ onUpdate, onEnd }) => {
        const reader = new GeyserUpdateReader(decode);
        const onMessage = (bytes: Buffer, start: number, end: number): void =>
          onUpdate(reader.read(bytes, start, end));
        call.listen({ onMessage, onEnd });
      },
      send: (next) => call.send(encode(next)),
      cancel: () => call.cancel(),
    };
  };
}

/** @throws Error whose message does not contain the token */
function tokenHeader(token: string | null): Readonly<Record<string, string>> {
  if (token === null) return {};
  try {
    validateHeaderValue(TOKEN_HEADER, token);
  } catch {
    throw new Error("GEYSER_TOKEN has characters that a header cannot have");
  }
  return { [TOKEN_HEADER]: token };
}

async function loadMessages() {
  try {
    return await import("@triton-one/yellowstone-grpc");
  } catch (cause) {
    throw new GeyserUnavailable(cause);
  }
}
