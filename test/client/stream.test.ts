import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createExitability,
  ExitabilityError,
  type StreamEvent,
  type StreamOptions,
} from "../../clients/typescript/src/exitability.ts";
import {
  cut,
  eventStream,
  json,
  type ScriptedServer,
  startScriptedServer,
} from "../support/chain/scripted-server.ts";

const HEARTBEAT = "event: heartbeat\ndata: {}\n\n";

function told(token: string, id?: string): string {
  const line = id === undefined ? "" : `id: ${id}\n`;
  return `event: exitability\n${line}data: ${JSON.stringify({ token_id: token })}\n\n`;
}

const GONE = `event: unavailable\ndata: ${JSON.stringify({ token_id: "x", status: 404 })}\n\n`;

const RETRY = { baseDelayMs: 1, attempts: 3 };

function stream({ url }: ScriptedServer, options?: StreamOptions) {
  return createExitability({ baseUrl: url, retry: RETRY }).stream(["a", "b"], options);
}

type Connection = { readonly send: (text: string) => void; readonly isClosed: () => boolean };

/** Connections on which the test sends, and a clock for the client's timers that only the test advances. */
function scriptedStream(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const connections: Connection[] = [];
  const fetch = async (_url: string, { signal }: RequestInit): Promise<Response> => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal?.addEventListener(
      "abort",
      () => void writer.abort(signal.reason).catch(() => undefined),
    );
    connections.push({
      send: (text) => void writer.write(Buffer.from(text)),
      isClosed: () => signal?.aborted === true,
    });
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  };
  const client = createExitability({ baseUrl: "http://scripted.example", retry: RETRY, fetch });
  /** Lets the client process what has come before the time passes, and what the time brings. */
  const pass = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const following = (heartbeatTimeoutMs: number) => client.stream(["a"], { heartbeatTimeoutMs });
  return { pass, connections, following };
}

/** An event in a word or two, for comparing. */
function wordOf(event: StreamEvent): string {
  switch (event.type) {
    case "exitability":
      return event.exitability.token_id;
    case "unavailable":
      return `no ${event.outcome.token_id}`;
    case "interrupted":
      return `lost: ${event.error.code}`;
    default: {
      const unreachable: never = event;
      return unreachable;
    }
  }
}

async function nextWord(events: AsyncGenerator<StreamEvent, void>): Promise<string> {
  const { value } = await events.next();
  assert.ok(value);
  return wordOf(value);
}

async function words(events: AsyncIterable<StreamEvent>, count: number) {
  const found: string[] = [];
  for await (const event of events) if (found.push(wordOf(event)) === count) break;
  return found;
}

async function thrownBy(events: AsyncIterable<StreamEvent>) {
  const found: string[] = [];
  try {
    for await (const event of events) found.push(wordOf(event));
  } catch (error) {
    assert.ok(error instanceof ExitabilityError, String(error));
    return { found, error };
  }
  return assert.fail("a stream must not end without an abort");
}

test("after a lost connection the stream continues from the last id, and yields the gap", async (t) => {
  const server = await startScriptedServer(
    t,
    eventStream([told("a"), told("b", "s.2"), HEARTBEAT, "event: exitability\ndata: {"], "cut"),
    cut,
    eventStream([GONE, told("a", "s.3")], "end"),
    eventStream([told("b", "s.4")], "silence"),
  );
  const lost = "lost: network_error";
  assert.deepEqual(await words(stream(server, { threshold: 0.5 }), 8), [
    ...["a", "b", lost, lost],
    ...["no x", "a", lost, "b"],
  ]);
  assert.deepEqual(
    server.asked.map(({ headers }) => headers["last-event-id"]),
    [undefined, "s.2", "s.2", "s.3"],
  );
  for (const { url } of server.asked) assert.equal(url, "/api/stream?mints=a%2Cb&threshold=0.5");
});

test("a connection without a new answer keeps the place that the next one continues from", async (t) => {
  const server = await startScriptedServer(
    t,
    eventStream([told("a", "s.1")], "end"),
    eventStream([HEARTBEAT, GONE], "end"),
    eventStream([told("b", "s.2")], "silence"),
  );
  const lost = "lost: network_error";
  assert.deepEqual(await words(stream(server), 5), ["a", lost, "no x", lost, "b"]);
  assert.deepEqual(
    server.asked.map(({ headers }) => headers["last-event-id"]),
    [undefined, "s.1", "s.1"],
  );
});

test("a silent stream is closed and opened again; a heartbeat is enough to keep it", async (t) => {
  const { pass, connections, following } = scriptedStream(t);
  const events = following(1_000);
  const first = nextWord(events);
  await pass(0);
  connections[0]?.send(told("a", "s.1"));
  assert.equal(await first, "a");
  const lost = nextWord(events);
  await pass(999);
  assert.equal(connections[0]?.isClosed(), false);
  await pass(1);
  assert.equal(connections[0]?.isClosed(), true);
  assert.equal(await lost, "lost: timeout");
  const next = nextWord(events);
  await pass(RETRY.baseDelayMs);
  for (let beat = 0; beat < 5; beat++) {
    await pass(900);
    connections[1]?.send(HEARTBEAT);
  }
  await pass(900);
  connections[1]?.send(told("b", "s.2"));
  assert.equal(await next, "b");
  assert.equal(connections.length, 2);
  await events.return();
});

test("damaged events are not yielded: a new connection delivers the correct ones", async (t) => {
  const bad = [
    "event: exitability\nid: s.9\ndata: {\n\n",
    "event: exitability\nid: s.9\ndata: []\n\n",
    "event: unavailable\nid: s.9\ndata: {}\n\n",
  ];
  const server = await startScriptedServer(
    t,
    ...bad.map((text) => eventStream([told("a", "s.1"), text, told("no")], "end")),
    eventStream([told("b", "s.2")], "silence"),
  );
  const found = (await words(stream(server), 7)).filter((word) => !word.startsWith("lost"));
  assert.deepEqual(found, ["a", "a", "a", "b"]);
  const resumed = server.asked.slice(1).map(({ headers }) => headers["last-event-id"]);
  assert.deepEqual(new Set(resumed), new Set(["s.1"]));
});

test("a character that is cut between two packets is whole again", async (t) => {
  const bytes = Buffer.from(told("ñandú"));
  const server = await startScriptedServer(t, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const middle = bytes.indexOf(0xc3) + 1;
    response.write(bytes.subarray(0, middle));
    setImmediate(() => response.write(bytes.subarray(middle)));
  });
  assert.deepEqual(await words(stream(server), 1), ["ñandú"]);
});

test("kinds of events that are newer than the client are passed over", async (t) => {
  const server = await startScriptedServer(
    t,
    eventStream(["event: weather\ndata: rain\n\n", told("a")], "silence"),
  );
  assert.deepEqual(await words(stream(server), 1), ["a"]);
});

test("the caller's signal ends a stream while it waits, and between events that have come", async (t) => {
  const server = await startScriptedServer(
    t,
    eventStream([told("a"), told("b")], "silence"),
    eventStream([told("a")], "silence"),
    cut,
  );
  for (const abortAfter of [0, 50]) {
    const abort = new AbortController();
    const events = stream(server, { signal: abort.signal });
    assert.equal((await events.next()).done, false);
    if (abortAfter === 0) abort.abort("enough");
    else setTimeout(() => abort.abort("enough"), abortAfter);
    const { found, error } = await thrownBy(events);
    assert.deepEqual([found, error.code, error.cause], [[], "aborted", "enough"]);
  }
  const abort = new AbortController();
  const retry = { baseDelayMs: 20_000 };
  const waiting = createExitability({ baseUrl: server.url, retry }).stream(["a"], abort);
  assert.equal((await waiting.next()).value?.type, "interrupted");
  setTimeout(() => abort.abort(), 20);
  assert.equal((await thrownBy(waiting)).error.code, "aborted");
  assert.equal(server.asked.length, 3);
});

test("leaving the loop ends the connection", async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = await startScriptedServer(t, (response, request) => {
    response.on("close", closed.resolve);
    eventStream([told("a")], "silence")(response, request);
  });
  for await (const event of stream(server)) if (event.type === "exitability") break;
  await closed.promise;
});

test("a failure that a retry cannot resolve is thrown", async (t) => {
  const daily = { error: "rate_limit_exceeded", message: "The day is used up." };
  const key = { error: "unauthorized", message: "This API key is not known." };
  const cases = [
    [json(401, key), "unauthorized"],
    [json(429, daily, { "retry-after": "86400" }), "rate_limit_exceeded"],
    [json(200, {}), "bad_answer"],
  ] as const;
  for (const [turn, code] of cases) {
    const first = await startScriptedServer(t, turn);
    assert.equal((await thrownBy(stream(first))).error.code, code);
    assert.equal(first.asked.length, 1);
    const later = await startScriptedServer(t, eventStream([told("a")], "end"), turn);
    const { found, error } = await thrownBy(stream(later));
    assert.deepEqual([found, error.code], [["a", "lost: network_error"], code]);
  }
});

test("a stream that was never open is tried as often as a question; one that was, for ever", async (t) => {
  const never = await startScriptedServer(t, cut, cut, cut, eventStream([told("a")], "end"));
  const { found, error } = await thrownBy(stream(never));
  assert.deepEqual([found.length, error.code], [2, "network_error"]);
  const often = await startScriptedServer(
    t,
    eventStream([told("a")], "end"),
    ...Array.from({ length: 6 }, () => cut),
    eventStream([told("b")], "silence"),
  );
  assert.equal((await words(stream(often), 9)).at(-1), "b");
});

test("a stream that was open is retried for longer than a request, unless a refusal asks for a longer wait", async (t) => {
  const retry = { ...RETRY, maxWaitMs: 2 };
  const restarted = await startScriptedServer(
    t,
    eventStream([told("a")], "end"),
    ...Array.from({ length: 5 }, () => cut),
    eventStream([told("b")], "silence"),
  );
  const events = createExitability({ baseUrl: restarted.url, retry }).stream(["a"]);
  assert.equal((await words(events, 8)).at(-1), "b");
  const busy = json(503, { error: "overloaded", message: "Busy." }, { "retry-after": "1" });
  const refused = await startScriptedServer(t, eventStream([told("a")], "end"), busy);
  const { error } = await thrownBy(
    createExitability({ baseUrl: refused.url, retry }).stream(["a"]),
  );
  assert.deepEqual([error.code, refused.asked.length], ["overloaded", 2]);
});

test("a stream that was never open is tried no more often where each attempt takes long", async (t) => {
  let nowMs = 0;
  let asked = 0;
  t.mock.method(performance, "now", () => nowMs);
  const fetch = async (): Promise<Response> => {
    asked++;
    nowMs += 30_000;
    throw new TypeError("fetch failed");
  };
  const options = { baseUrl: "http://scripted.example", retry: RETRY, fetch };
  const events = createExitability(options).stream(["a"]);
  await assert.rejects(words(events, 10), { code: "network_error" });
  assert.equal(asked, 3);
});

test("the time runs while the network is waited for, not while the caller works", async (t) => {
  const { pass, connections, following } = scriptedStream(t);
  const events = following(500);
  const first = nextWord(events);
  await pass(0);
  connections[0]?.send(told("a"));
  assert.equal(await first, "a");
  await pass(1_000);
  connections[0]?.send(told("b"));
  assert.equal(await nextWord(events), "b");
  const lost = nextWord(events);
  await pass(500);
  assert.equal(connections[0]?.isClosed(), true);
  assert.equal(await lost, "lost: timeout");
  await events.return();
});
