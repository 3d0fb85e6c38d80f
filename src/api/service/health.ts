import Type from "typebox";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import type { Admission } from "../admission.ts";
import { type Answer, defineOperation } from "../operation.ts";
import { nullable } from "../values.ts";
import {
  RefusalBody,
  refusalBodies,
  STREAM_EXAMPLE,
  StreamBody,
  streamBody,
} from "./chain-bodies.ts";
import { OPEN_OPERATION } from "./open-operation.ts";

/** The chain counts as reached while its newest block is younger than this. */
const READY_CHAIN_AGE_SECONDS = 120;

/** Whether this process can answer, and how old its chain state is. */
export type Readiness = {
  readonly isReady: boolean;
  readonly database: "ok" | "failing" | "disk_full" | "read_only" | "damaged";
  /** Null: none is configured. Without it a process answers, but its answers do not get newer. */
  readonly redis: "ok" | "unreachable" | null;
  /** `differs`: another process refuses the sessions of this one. Null: no other process can. */
  readonly authSecret: "same" | "differs" | null;
  /** Seconds since the block time of the newest slot; null while none is known. */
  readonly chainAgeSeconds: number | null;
  /** Slots between the node's newest and the newest applied; null while unknown. */
  readonly slotLag: number | null;
  /** How changes of accounts arrive; null where no chain is followed. */
  readonly stream: StreamBody | null;
  /** What the RPC node refuses now. */
  readonly refusals: readonly RefusalBody[];
};

/**
 * Whether requests should be sent here. `health` is that of the chain state, null in a process that is
 * on standby or only sends messages. A chain of unknown age is not ready.
 */
export function readinessOf(
  { database, redis, authSecret }: Pick<Readiness, "database" | "redis" | "authSecret">,
  health: Pick<TrackerHealth, "chainAgeMs" | "slotLag" | "stream" | "refusals"> | null,
): Readiness {
  const chainAgeMs = health?.chainAgeMs ?? null;
  const chainAgeSeconds = chainAgeMs === null ? null : chainAgeMs / 1_000;
  const isChainOk =
    health === null || (chainAgeSeconds !== null && chainAgeSeconds < READY_CHAIN_AGE_SECONDS);
  return {
    isReady: database === "ok" && isChainOk,
    database,
    redis,
    authSecret,
    chainAgeSeconds,
    slotLag: health?.slotLag ?? null,
    stream: streamBody(health?.stream ?? null),
    refusals: refusalBodies(health?.refusals ?? []),
  };
}

const ReadyBody = Type.Object(
  {
    status: Type.Enum(["ready", "not_ready"]),
    database: Type.Enum(["ok", "failing", "disk_full", "read_only", "damaged"]),
    redis: nullable(Type.Enum(["ok", "unreachable"])),
    auth_secret: nullable(
      Type.Enum(["same", "differs"]),
      "Whether all processes on the database have one AUTH_SECRET; null if this process is alone",
    ),
    chain_age_seconds: nullable(Type.Number()),
    slot_lag: nullable(Type.Integer()),
    stream: nullable(StreamBody),
    refusals: Type.Array(RefusalBody),
  },
  { $id: "Readiness" },
);

export const getHealth = defineOperation({
  ...OPEN_OPERATION,
  path: "/healthz",
  id: "getHealth",
  summary: "The process is alive",
  responses: {
    200: {
      description: "It is",
      schema: Type.Object({ status: Type.Literal("ok") }),
      example: { status: "ok" },
    },
  },
  errors: [],
  async handler(_input, { liveness }) {
    await liveness?.();
    return { body: { status: "ok" } };
  },
});

export const getReadiness = defineOperation({
  ...OPEN_OPERATION,
  path: "/readyz",
  id: "getReadiness",
  summary: "The process can answer",
  responses: {
    200: {
      description: "It can",
      schema: ReadyBody,
      example: {
        status: "ready",
        database: "ok",
        redis: null,
        auth_secret: null,
        chain_age_seconds: 0.4,
        slot_lag: 0,
        stream: STREAM_EXAMPLE,
        refusals: [],
      },
    },
  },
  errors: [],
  errorSchemas: { 503: ReadyBody },
  handler: (_input, deps) => readinessAnswer(deps),
});

export type HealthDeps = {
  readonly readiness: () => Promise<Readiness>;
  readonly admission: Pick<Admission, "isStopping">;
};

/** 200, or 503 with the cause. */
export async function readinessAnswer({ readiness, admission }: HealthDeps): Promise<Answer> {
  const { isReady, database, redis, authSecret, chainAgeSeconds, slotLag, stream, refusals } =
    await readiness();
  const isTakingRequests = isReady && !admission.isStopping;
  return {
    status: isTakingRequests ? 200 : 503,
    body: {
      status: isTakingRequests ? "ready" : "not_ready",
      database,
      redis,
      auth_secret: authSecret,
      chain_age_seconds: chainAgeSeconds,
      slot_lag: slotLag,
      stream,
      refusals,
    },
  };
}
