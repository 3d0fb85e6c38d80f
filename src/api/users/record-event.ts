import Type from "typebox";
import { isJsonObject, type JsonObject } from "#src/platform/json-object.ts";
import { EVENT_NAMES } from "#src/users/funnel.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { isSameOrigin } from "../plugins/origin.ts";
import { EmailField, plainText, readAs } from "../values.ts";

const MAX_PAYLOAD_BYTES = 8 * 1024;

export const recordEvent = defineOperation({
  method: "post",
  path: "/api/oracle/event",
  id: "recordEvent",
  tag: "accounts",
  summary: "A step on the way from a first visit to a payment",
  access: "anyone",
  throttlePerMinute: 120,
  body: {
    schema: Type.Object({
      event_name: Type.Enum([...EVENT_NAMES]),
      email: Type.Optional(EmailField),
      payload: Type.Optional(
        readAs(
          Type.Object({}, { additionalProperties: true, description: "At most 8 KiB" }),
          readPayload,
          "payload must be an object of at most 8 KiB.",
        ),
      ),
      utm_source: utm("utm_source"),
      utm_medium: utm("utm_medium"),
      utm_campaign: utm("utm_campaign"),
    }),
    example: { event_name: "watchlist_add", utm_source: "docs" },
  },
  responses: {
    201: statusResponse("recorded", { event_name: Type.String() }, { event_name: "watchlist_add" }),
  },
  errors: [...PUBLIC_ERRORS, "missing_event_name", "invalid_event_name"],
  async handler({ body, request }, { users, callers, publicUrl }) {
    const email = body.email ?? null;
    const caller = email === null ? null : await callers.identify(request).catch(() => null);
    // A page of another site may send the cookie: that proves no address.
    const isOwn =
      caller?.kind === "user" && (caller.via.kind !== "cookie" || isSameOrigin(request, publicUrl));
    const user = isOwn ? await users.records.find(caller.userId) : null;
    const isProven = user !== null && user.email === email;
    await users.funnel.record({
      eventName: body.event_name,
      email,
      isProven,
      payload: body.payload ?? null,
      utmSource: body.utm_source ?? null,
      utmMedium: body.utm_medium ?? null,
      utmCampaign: body.utm_campaign ?? null,
    });
    return { body: { status: "recorded", event_name: body.event_name } };
  },
});

function utm(name: string) {
  return Type.Optional(plainText(name, 256));
}

function readPayload(payload: unknown): JsonObject | null {
  return isJsonObject(payload) && jsonBytes(payload) <= MAX_PAYLOAD_BYTES ? payload : null;
}

/** Infinity if it is nested too deeply to be serialized. */
function jsonBytes(payload: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(payload));
  } catch (cause) {
    if (cause instanceof RangeError) return Infinity;
    throw cause;
  }
}
