import Type, { type Static } from "typebox";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { nullable, timestampOrNull } from "../values.ts";

/** How changes of accounts reach the service. */
export const StreamBody = Type.Object(
  {
    configured: Type.Enum(["grpc", "websocket"]),
    in_use: Type.Enum(["grpc", "websocket", "polling"], {
      description: "polling: no stream delivers slots, and accounts are read every 15 seconds",
    }),
    reason: nullable(Type.String(), "Why the stream in use is not the configured one"),
    since: nullable(Type.String(), "Since when it is not the configured one, UTC"),
  },
  { $id: "ChainStream" },
);
export type StreamBody = Static<typeof StreamBody>;

export const STREAM_EXAMPLE: StreamBody = {
  configured: "websocket",
  in_use: "websocket",
  reason: null,
  since: null,
};

export function streamBody(stream: TrackerHealth["stream"]): StreamBody | null {
  if (stream === null) return null;
  const { configured, inUse, reason, sinceMs } = stream;
  return { configured, in_use: inUse, reason, since: timestampOrNull(sinceMs) };
}

/** A search that the node refuses. */
export const RefusalBody = Type.Object(
  {
    method: Type.String({ description: "The method of the RPC node" }),
    program: nullable(Type.String(), "The venue whose pools it does not search; null: all"),
    reason: Type.String(),
  },
  { $id: "NodeRefusal" },
);
export type RefusalBody = Static<typeof RefusalBody>;

export const REFUSAL_EXAMPLE: RefusalBody = {
  method: "getProgramAccounts",
  program: "raydium-amm-v4",
  reason: "the node returned error -32010: excluded from account secondary indexes",
};

export function refusalBodies(refusals: TrackerHealth["refusals"]): readonly RefusalBody[] {
  return refusals.map(({ method, venue, reason }) => ({ method, program: venue, reason }));
}
