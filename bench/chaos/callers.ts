import { randomBytes } from "node:crypto";
import type pg from "pg";
import { base58Encode } from "#src/units/base58.ts";
import { hashApiKey } from "#src/users/api-key-text.ts";
import type { Member } from "./deployment.ts";

// Callers that read and write during failures, and a record of their answers.

export type Answer = {
  readonly kind: "steady" | "limited" | "gated" | "sale";
  readonly replica: string;
  /** Which of the callers of its kind. */
  readonly caller: number;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  /** HTTP status; `refused`: no connection, or it was broken off; `silent`: nothing came in time. */
  readonly status: number | "refused" | "silent";
  /** Age of the state in a 200; null for everything else. */
  readonly ageMs: number | null;
  readonly confidence: string | null;
};

const SILENT_AFTER_MS = 15_000;
/** Two replicas are asked so often by one key without a refusal: 480 times a minute of 600. */
const STEADY_EVERY_MS = 250;

export type Callers = {
  readonly answers: Answer[];
  /** From now on these are the callers with a daily gate: ten queries each, whatever happens. */
  readonly gate: (apiKey: string) => void;
  readonly stop: () => void;
};

export type CallersOf = {
  readonly replicas: readonly Member[];
  readonly mint: string;
  readonly steadyKeys: readonly string[];
  readonly limitedKeys: readonly string[];
};

/** Each replica is asked by everybody, several times a second. */
export function startCallers({ replicas, mint, steadyKeys, limitedKeys }: CallersOf): Callers {
  const answers: Answer[] = [];
  let gated: { readonly apiKey: string; readonly caller: number } | null = null;
  let stopped = false;
  const path = `/api/token/${mint}/exitability`;
  const ask = async (asked: Pick<Answer, "kind" | "caller">, replica: Member, apiKey: string) => {
    const askedAtMs = Date.now();
    const at = asked.kind === "sale" ? `${path}/at?size=3.7` : path;
    const told = await get(replica.service().url + at, apiKey);
    if (stopped) return;
    answers.push({ ...asked, replica: replica.name, askedAtMs, answeredAtMs: Date.now(), ...told });
  };
  const timers = replicas.flatMap((replica) => {
    const every = (ms: number, act: () => void) => setInterval(act, ms);
    return [
      ...steadyKeys.map((key, caller) =>
        every(STEADY_EVERY_MS, () => void ask({ kind: "steady", caller }, replica, key)),
      ),
      every(1_000, () => void ask({ kind: "sale", caller: 0 }, replica, steadyKeys[0] ?? "")),
      ...limitedKeys.map((key, caller) =>
        every(400, () => void ask({ kind: "limited", caller }, replica, key)),
      ),
      every(500, () => {
        if (gated !== null)
          void ask({ kind: "gated", caller: gated.caller }, replica, gated.apiKey);
      }),
    ];
  });
  return {
    answers,
    gate: (apiKey) => {
      gated = { apiKey, caller: (gated?.caller ?? -1) + 1 };
    },
    stop: () => {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}

async function get(
  url: string,
  apiKey: string,
): Promise<Pick<Answer, "status" | "ageMs" | "confidence">> {
  const none = { ageMs: null, confidence: null };
  try {
    const response = await fetch(url, {
      headers: { "x-api-key": apiKey },
      signal: AbortSignal.timeout(SILENT_AFTER_MS),
    });
    const body = (await response.json()) as { updated_at?: string; confianza?: string };
    const { updated_at: updatedAt, confianza = null } = body;
    if (response.status !== 200 || updatedAt === undefined)
      return { status: response.status, ...none };
    return { status: 200, ageMs: Date.now() - Date.parse(updatedAt), confidence: confianza };
  } catch (error) {
    const isSilent = error instanceof Error && error.name === "TimeoutError";
    return { status: isSilent ? "silent" : "refused", ...none };
  }
}

/** What was acknowledged, and has to be found again whatever failed. */
export type Writers = {
  readonly acknowledged: () => number;
  readonly stop: () => void;
  /** What was acknowledged and is not there; nothing is written meanwhile. */
  readonly lost: (sql: pg.Pool) => Promise<readonly string[]>;
};

/** Joins the waiting list, changes a watchlist and rotates a key, on one replica after the other. */
export function startWriters(writing: {
  readonly replicas: readonly Member[];
  readonly accessToken: string;
  readonly everyMs: number;
}): Writers {
  const { replicas, accessToken, everyMs } = writing;
  const emails: string[] = [];
  const keyHashes: string[] = [];
  /** By entry: whether it is there; those that an unanswered request was about are not known. */
  const entries = new Map<number, boolean>();
  const underWay = new Set<Promise<void>>();
  let turn = 0;
  let acknowledged = 0;
  let isPaused = false;
  const send = async (method: string, path: string, body: object | null, caller: object) => {
    const replica = replicas[turn % replicas.length];
    if (replica === undefined) return null;
    try {
      const response = await fetch(replica.service().url + path, {
        method,
        headers: { ...caller, ...(body === null ? {} : { "content-type": "application/json" }) },
        body: body === null ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(SILENT_AFTER_MS),
      });
      const told = (await response.json()) as Readonly<Record<string, unknown>>;
      if (!response.ok) return null;
      acknowledged++;
      return told;
    } catch {
      return null;
    }
  };
  const signedIn = { authorization: `Bearer ${accessToken}` };
  const join = async (number: number) => {
    const email = `chaos-${number}@example.com`;
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    const body = { email, origen: "chaos" };
    const from = { "x-forwarded-for": address };
    if ((await send("POST", "/api/oracle/waitlist", body, from)) !== null) emails.push(email);
  };
  const watch = async () => {
    const mint = base58Encode(randomBytes(32));
    const told = await send("POST", "/api/oracle/watchlist", { mint }, signedIn);
    if (told !== null) entries.set(Number(told["id"]), true);
  };
  const unwatch = async () => {
    const [id] = [...entries].find(([, isThere]) => isThere) ?? [];
    if (id === undefined) return;
    entries.delete(id);
    const told = await send("DELETE", `/api/oracle/watchlist?id=${id}`, null, signedIn);
    if (told !== null) entries.set(id, false);
  };
  const rotate = async () => {
    const told = await send("POST", "/api/account/keys/rotate", null, signedIn);
    if (told !== null) keyHashes.push(hashApiKey(String(told["key"])));
  };
  const next = (): Promise<void> => {
    turn++;
    const kind = turn % 10;
    if (kind === 9) return rotate();
    if (kind % 3 === 0) return join(turn);
    return kind % 3 === 1 ? watch() : unwatch();
  };
  const timer = setInterval(() => {
    if (isPaused) return;
    const writing = next().finally(() => underWay.delete(writing));
    underWay.add(writing);
  }, everyMs);
  return {
    acknowledged: () => acknowledged,
    stop: () => clearInterval(timer),
    async lost(sql) {
      isPaused = true;
      await Promise.all(underWay);
      const found = async (text: string) =>
        new Set((await sql.query<{ found: string }>(text)).rows.map((row) => row.found));
      const kept = {
        emails: await found("select email as found from waitlist"),
        keys: await found("select hash as found from api_keys"),
        entries: await found("select id::text as found from watchlist_entries"),
      };
      isPaused = false;
      return [
        ...emails.filter((email) => !kept.emails.has(email)),
        ...keyHashes.filter((hash) => !kept.keys.has(hash)),
        ...[...entries]
          .filter(([id, isThere]) => kept.entries.has(String(id)) !== isThere)
          .map(([id, isThere]) => `entry ${id} ${isThere ? "is gone" : "is there again"}`),
      ];
    },
  };
}
