import { readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { type Sent, send } from "./http-client.ts";
import { fuzzRequest } from "./requests.ts";

export type FuzzedService = { readonly url: string; readonly dataDir: string };

export type FuzzOutcome = {
  readonly requests: number;
  /** Answers by status; 0: the request could not be sent, or the connection was closed. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests with a 5xx answer, except those of the next two fields. */
  readonly failures: readonly string[];
  /** Requests shed with 503 `overloaded`. */
  readonly overloaded: number;
  /** Requests with 503 `proof_unavailable`, the contract's answer of a service that executes no sales, as on the demo market. */
  readonly proofUnavailable: number;
};

const PARALLEL = 8;
/** What ends the session that it is sent with: sent with one seldom, and followed by a new sign-in. */
const ENDS_SESSION = /^\/api\/(?:auth\/sign-out|account(?:\/sessions)?)(?:\?|$)/;
const ENDED_SHARE = 0.02;
const MOST_FAILURES = 20;

/** Sends hostile requests to a service, half of them with a session. It must trust one proxy. */
export async function fuzzHttp(
  service: FuzzedService,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<FuzzOutcome> {
  const random = seededRandom(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const statuses: Record<number, number> = {};
  const failures: string[] = [];
  let overloaded = 0;
  let proofUnavailable = 0;
  let sent = 0;
  let session = await signIn(agent, service, 0);
  const mints = await mintsOf(service);

  async function work(): Promise<void> {
    while (sent < requests) {
      const number = sent++;
      const request = withCaller(fuzzRequest(random, mints), { random, session });
      const { status, body } = await send(agent, service.url, request);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 300 && request.headers !== undefined && endsSession(request))
        session = await signIn(agent, service, number + 1);
      if (status === 503 && body.includes('"overloaded"')) overloaded++;
      else if (status === 503 && body.includes('"proof_unavailable"')) proofUnavailable++;
      else if (status >= 500 && failures.length < MOST_FAILURES)
        failures.push(
          `${status} ${JSON.stringify(request).slice(0, 500)} -> ${body.slice(0, 200)}`,
        );
    }
  }

  await Promise.all(Array.from({ length: PARALLEL }, work));
  agent.destroy();
  return { requests: sent, statuses, failures, overloaded, proofUnavailable };
}

function endsSession({ method, path }: Sent): boolean {
  return method !== "GET" && method !== "HEAD" && ENDS_SESSION.test(path);
}

function withCaller(
  request: Sent,
  { random, session }: { readonly random: Random; readonly session: Session },
): Sent {
  const { origin, cookie, bearer } = session;
  const kind = endsSession(request) && random() > ENDED_SHARE ? 1 : random();
  const caller =
    kind < 0.35
      ? { cookie, origin }
      : kind < 0.5
        ? { authorization: `Bearer ${bearer}` }
        : { "x-forwarded-for": addressOf(Math.floor(random() * 60_000)) };
  return { ...request, headers: { ...request.headers, ...caller } };
}

type Session = { readonly cookie: string; readonly bearer: string; readonly origin: string };

/** Signs a new user in with the code in the newest mail. */
async function signIn(
  agent: Agent,
  { url, dataDir }: FuzzedService,
  turn: number,
): Promise<Session> {
  const email = `fuzz${turn}@d${turn}.example`;
  const headers = { "content-type": "application/json", "x-forwarded-for": addressOf(turn) };
  const post = (path: string, body: object) =>
    send(agent, url, { method: "POST", path, headers, body: JSON.stringify(body) });
  await post("/api/auth/code", { email });
  const code = await codeFor(email, join(dataDir, "mail"));
  const { body, status } = await post("/api/auth/sign-in", { email, code });
  if (status !== 200) throw new Error(`signing in was answered ${status}: ${body}`);
  const bearer: string = JSON.parse(body).access_token;
  const cookie = `exitability.session_token=${encodeURIComponent(bearer)}`;
  return { cookie, bearer, origin: new URL(url).origin };
}

async function codeFor(email: string, directory: string): Promise<string> {
  for (let attempt = 0; attempt < 400; attempt++) {
    for (const file of existingFiles(directory)) {
      const mail = readFileSync(join(directory, file), "utf8");
      const [, code] = /code is (\d{6})/.exec(mail) ?? [];
      if (code !== undefined && mail.includes(`To: ${email}`)) return code;
    }
    await delay(50);
  }
  throw new Error("no code was mailed");
}

function existingFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted().toReversed().slice(0, 50);
  } catch {
    return []; // Before the first mail there is no directory.
  }
}

async function mintsOf({ url }: FuzzedService): Promise<readonly string[]> {
  const { tokens } = (await (await fetch(`${url}/api/examples`)).json()) as {
    tokens: readonly { mint: string }[];
  };
  return [...tokens.map(({ mint }) => mint), "DemoThree1111111111111111111111111111111111"];
}

function addressOf(number: number): string {
  return `2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`;
}
