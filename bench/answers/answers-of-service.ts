import { setTimeout as pause } from "node:timers/promises";
import type { Profile, StandardSize } from "#src/measure/assessment.ts";
import { STANDARD_SIZE_LAMPORTS } from "#src/measure/assessment.ts";
import { slippagePct } from "#src/measure/slippage.ts";

/** A running service, and API keys that take turns. */
export type AskedService = { readonly url: string; readonly keys: readonly string[] };

export type Question = {
  readonly mint: string;
  readonly profile: Profile;
  readonly size: StandardSize;
};

/** One answer of the main endpoint, as bytes, and the slot that it names. */
export type ToldAnswer = { readonly path: string; readonly slot: string; readonly body: string };

export type Agreement =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly said: Readonly<Record<string, unknown>> }
  /** The token's state changed during every try: nothing was compared. */
  | { readonly kind: "never-still"; readonly tries: number };

const MOST_TRIES = 40;
const STREAM_WITHIN_MS = 10_000;

/**
 * Requests one size from main, /at, batch and stream. The latter three are requested between two requests of
 * main, and again until these two answers have the same bytes of one slot: a slot's accounts arrive one by
 * one, so neither the slot nor the chain time alone identifies a state. /at has lamports, the others the
 * percent that follows from them, to the fourth decimal.
 */
export async function askAllEndpoints(
  service: AskedService,
  question: Question,
  turn: number,
): Promise<Agreement> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const headers = headersOf(service, turn + attempt);
    const before = await askMain(service, question, turn + attempt);
    const others = await Promise.all([
      at(service.url, question, headers),
      batch(service.url, question, headers),
      stream(service.url, question, headers),
    ]);
    const after = await askMain(service, question, turn + attempt);
    if (before.body !== after.body || before.slot !== after.slot) continue;
    const main = toldByMain(before);
    const isSame = others.every(
      ({ updatedAt, slippage }) => updatedAt === main.updatedAt && slippage === main.slippage,
    );
    if (isSame) return { kind: "same" };
    const told = [main, ...others].map((answer) => [answer.endpoint, answer]);
    return { kind: "different", said: Object.fromEntries(told) };
  }
  return { kind: "never-still", tries: MOST_TRIES };
}

/** An answer of the main endpoint and the path that asks for the same by its slot. */
export async function askMain(
  service: AskedService,
  { mint, profile, size }: Question,
  turn: number,
): Promise<ToldAnswer> {
  const path = `/api/token/${mint}/exitability?profile=${profile}&size=${size}`;
  const response = await ask(service.url + path, { headers: headersOf(service, turn) });
  const slot = response.headers.get("x-state-slot");
  if (response.status !== 200 || slot === null) throw new Error(`${path}: ${response.status}`);
  return { path: `${path}&at_slot=${slot}`, slot, body: await response.text() };
}

/** Asks for an answer again by its slot: the same bytes, 404 state_not_stored, or what came instead. */
export async function askAgain(
  service: AskedService,
  { path, slot, body }: ToldAnswer,
  turn: number,
): Promise<"identical" | "not-stored" | string> {
  const response = await ask(service.url + path, { headers: headersOf(service, turn) });
  const text = await response.text();
  if (response.status === 404 && JSON.parse(text).error === "state_not_stored") return "not-stored";
  const isSame = text === body && response.headers.get("x-state-slot") === slot;
  return response.status === 200 && isSame ? "identical" : `${response.status} ${path}: ${text}`;
}

type Told = {
  readonly endpoint: string;
  readonly updatedAt: string;
  /** Percent; null: not sellable. */
  readonly slippage: number | null;
};

type Headers = Readonly<Record<string, string>>;

function headersOf({ keys }: AskedService, turn: number): Headers {
  return { "x-api-key": keys[turn % keys.length] ?? "" };
}

/** As any caller has to: what is refused for the load is asked again. */
async function ask(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init);
    if (response.status !== 503) return response;
    await response.body?.cancel();
    await pause(1_000);
  }
}

async function json(url: string, init: RequestInit) {
  const response = await ask(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return JSON.parse(await response.text());
}

function toldByMain({ body }: ToldAnswer): Told {
  const { updated_at: updatedAt, slippage } = JSON.parse(body);
  return { endpoint: "main", updatedAt, slippage: slippage.slip_pct };
}

async function at(
  url: string,
  { mint, profile, size }: Question,
  headers: Headers,
): Promise<Told & { readonly lamports: string | null }> {
  const query = `profile=${profile}&size=${size}`;
  const body = await json(`${url}/api/token/${mint}/exitability/at?${query}`, { headers });
  const lamports: string | null = body.net_lamports;
  const slippage =
    lamports === null ? null : slippagePct(BigInt(lamports), STANDARD_SIZE_LAMPORTS[size]);
  return { endpoint: "at", updatedAt: body.updated_at, slippage, lamports };
}

async function batch(
  url: string,
  { mint, profile, size }: Question,
  headers: Headers,
): Promise<Told> {
  const { items } = await json(`${url}/api/exitability/batch`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ mints: [mint], profile }),
  });
  const { exitability } = items[0];
  const { updated_at: updatedAt, slippage } = exitability;
  return { endpoint: "batch", updatedAt, slippage: slippage.all[size] };
}

/** The first event of the token's stream: what is true when it opens. */
async function stream(
  url: string,
  { mint, profile, size }: Question,
  headers: Headers,
): Promise<Told> {
  const signal = AbortSignal.timeout(STREAM_WITHIN_MS);
  const path = `/api/token/${mint}/exitability/stream?profile=${profile}`;
  const response = await ask(url + path, { headers, signal });
  if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status}`);
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, data] = /event: exitability\n(?:id: .*\n)?data: (.*)\n\n/.exec(text) ?? [];
    if (data === undefined) continue;
    const { updated_at: updatedAt, slippage } = JSON.parse(data);
    return { endpoint: "stream", updatedAt, slippage: slippage.all[size] };
  }
  throw new Error(`${path} ended: ${text}`);
}
