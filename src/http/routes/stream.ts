import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { Tracker } from "#src/track/tracker.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { exitabilityBody } from "#src/wire/exitability.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import type { Callers } from "../plugins/callers.ts";
import { openEventStream } from "../plugins/event-stream.ts";
import { readProfile, readSize } from "./token-question.ts";

const MIN_INTERVAL_MS = 500;

export type StreamDeps = {
  readonly markets: Pick<Tracker, "snapshot" | "latest" | "onSnapshot">;
  readonly callers: Callers;
};

type Route = {
  Params: { readonly id: string };
  Querystring: { readonly profile?: unknown; readonly size?: unknown };
};

/** GET /api/token/{id}/exitability/stream: each new answer of one token, as server-sent events. */
export function streamRoute(app: FastifyInstance, { markets, callers }: StreamDeps): void {
  app.get<Route>("/api/token/:id/exitability/stream", async (request, reply) => {
    await callers.identify(request);
    const profile = readProfile(request.query.profile);
    const size = readSize(request.query.size);
    const language = preferredLanguage(request.headers["accept-language"]);
    const mint = parseAddress(request.params.id);
    if (mint === null) throw noSuchToken(request.params.id);
    const first = markets.latest(mint) ?? (await markets.snapshot(mint));
    if (first.kind !== "assessed") throw noSuchToken(mint);
    const stream = openEventStream(request, reply);
    let sentText = "";
    const send = (snapshot: typeof first): void => {
      const { assessment, trend, isDeteriorating } = snapshot;
      const answer = { assessment, trend, isDeteriorating, profile, size, language };
      const text = JSON.stringify(exitabilityBody(answer));
      if (text !== sentText)
        stream.send({ event: "exitability", id: String(assessment.slot), data: text });
      sentText = text;
    };
    send(first);
    const stop = markets.onSnapshot(throttled(mint, MIN_INTERVAL_MS, (snapshot) => send(snapshot)));
    stream.onClose(stop);
    return reply;
  });
}

type Listener = Parameters<Tracker["onSnapshot"]>[0];

/** Passes on the snapshots of one token, at most one each interval and always the newest. */
function throttled(mint: Address, intervalMs: number, listener: Listener): Listener {
  let held: Parameters<Listener>[0] | null = null;
  function release(): void {
    if (held !== null) listener(held);
    held = null;
  }
  return (snapshot) => {
    if (snapshot.assessment.mint !== mint) return;
    if (held === null) setTimeout(release, intervalMs).unref();
    held = snapshot;
  };
}

function noSuchToken(id: string): AppError {
  return new AppError("not_found", {
    publicMessage: `${id.slice(0, 100)} is no token with a pool or curve on any program we model.`,
  });
}
