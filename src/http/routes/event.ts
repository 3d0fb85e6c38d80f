import type { FastifyInstance } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import {
  EVENT_NAMES,
  type EventName,
  type Funnel,
  parseEventName,
  type Visit,
} from "#src/users/funnel.ts";
import {
  bodyObject,
  emailIn,
  invalid,
  isJsonObject,
  type JsonObject,
  optionalText,
} from "../plugins/json-body.ts";
import { createThrottle } from "../plugins/throttle.ts";

const LARGEST_PAYLOAD_BYTES = 8 * 1024;
const LONGEST_UTM = 256;

/** POST /api/oracle/event: a step on the way from a first visit to a payment. */
export function eventRoute(
  app: FastifyInstance,
  { funnel, nowMs }: { readonly funnel: Funnel; readonly nowMs: NowMs },
): void {
  const onRequest = createThrottle({ kind: "event", nowMs });
  app.post("/api/oracle/event", { onRequest }, async (request, reply) => {
    const visit = readVisit(bodyObject(request));
    await funnel.record(visit);
    return reply.code(201).send({ status: "recorded", event_name: visit.eventName });
  });
}

function readVisit(body: JsonObject): Visit {
  return {
    eventName: readEventName(body),
    email: Object.hasOwn(body, "email") ? emailIn(body) : null,
    payload: readPayload(body),
    utmSource: optionalText(body, "utm_source", LONGEST_UTM),
    utmMedium: optionalText(body, "utm_medium", LONGEST_UTM),
    utmCampaign: optionalText(body, "utm_campaign", LONGEST_UTM),
  };
}

function readEventName({ event_name: name }: JsonObject): EventName {
  if (name === undefined || name === null || name === "")
    throw invalid("missing_event_name", "event_name is missing.");
  const known = typeof name === "string" ? parseEventName(name) : null;
  if (known !== null) return known;
  throw invalid("invalid_event_name", `event_name has to be one of ${EVENT_NAMES.join(", ")}.`);
}

function readPayload(body: JsonObject): JsonObject | null {
  if (!Object.hasOwn(body, "payload")) return null;
  const { payload } = body;
  if (isJsonObject(payload) && sizeOf(payload) <= LARGEST_PAYLOAD_BYTES) return payload;
  throw invalid("invalid_body", "payload has to be an object of at most 8 KiB.");
}

/** Its size as JSON; without bound where it is nested too deeply to be written again. */
function sizeOf(payload: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(payload));
  } catch (cause) {
    if (cause instanceof RangeError) return Infinity;
    throw cause;
  }
}
