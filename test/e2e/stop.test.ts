import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import {
  type DatabasePlace,
  eachDatabasePlace,
  sqlitePlace,
} from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { mailedCode } from "#test/support/processes/mailed-code.ts";
import {
  type RunningService,
  runCommand,
  startTestService,
} from "#test/support/processes/service.ts";

const MINT = "HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump";
const EMAIL = "ana@example.com";
const JSON_TYPE = { "content-type": "application/json" };

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { ...JSON_TYPE, ...headers };
  return fetch(url, { method: "POST", headers: all, body: JSON.stringify(body) });
}

/** Signs in by mail. @returns the session header */
async function signIn({ url, dataDir }: RunningService): Promise<string> {
  assert.equal((await post(`${url}/api/oracle/register`, { email: EMAIL })).status, 200);
  const code = await mailedCode(dataDir, EMAIL);
  const signedIn = await post(`${url}/api/auth/sign-in`, { email: EMAIL, code });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  return `Bearer ${token}`;
}

/** A connection on which a request is under way: its headers are read, its body is not sent. */
async function beginWriting(url: string, authorization: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  await once(socket, "connect");
  const headers = [
    "POST /api/oracle/watchlist HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n`);
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1\.1 100 /);
  return socket;
}

async function isRefused(url: string): Promise<true | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return null;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

/** On each database, and on each with the API in the tracker's thread and in one of its own. */
async function eachPlaceAndThread(
  t: TestContext,
  run: (t: TestContext, place: DatabasePlace, environment: { API_THREAD: string }) => Promise<void>,
): Promise<void> {
  for (const API_THREAD of ["off", "on"]) {
    await t.test(`API_THREAD=${API_THREAD}`, (t) =>
      eachDatabasePlace(t, (t, place) => run(t, place, { API_THREAD })),
    );
  }
}

test("what is under way at SIGTERM is finished and kept; what comes after it is refused", async (t) => {
  await eachPlaceAndThread(t, async (t, place, environment) => {
    const service = await startTestService(t, place, environment);
    const authorization = await signIn(service);
    const body = JSON.stringify({ mint: MINT });
    const socket = await beginWriting(service.url, authorization, body);
    const stopped = service.stop();
    // A process manager signals the whole group, and the wrapper forwards the signal.
    await eventually("new connections are refused", () => isRefused(service.url));
    void service.stop();
    socket.write(`${body}GET /api/examples HTTP/1.1\r\nHost: here\r\n\r\n`);
    const [first = "", second = ""] = (await text(socket)).split(/(?=HTTP\/1\.1 )/);
    assert.match(first, /^HTTP\/1\.1 201 [\s\S]*"status":"added"/);
    assert.match(second, /^HTTP\/1\.1 503 [\s\S]*"error":"overloaded"/);
    assert.match(second, /\r\nretry-after: \d/i);
    assert.match(second, /\r\nx-request-id: /i);
    assert.match(second, /\r\nconnection: close\r\n/i);
    assert.equal(await stopped, 0);

    const again = await startTestService(t, place, environment);
    const listed = await fetch(`${again.url}/api/oracle/watchlist`, { headers: { authorization } });
    const { items } = (await listed.json()) as { items: readonly { mint: string }[] };
    assert.deepEqual(
      items.map(({ mint }) => mint),
      [MINT],
    );
    assert.equal(await again.stop(), 0);
  });
});

test("stopped amid a burst of writes, everything that was acknowledged is there afterwards", async (t) => {
  await eachPlaceAndThread(t, async (t, place, environment) => {
    const service = await startTestService(t, place, { ...environment, TRUST_PROXY: "1" });
    const acknowledged: string[] = [];
    let asked = 0;
    let stopped: Promise<number | null> | null = null;
    const writer = async () => {
      for (;;) {
        const number = asked++;
        const email = `user-${number}@example.com`;
        const headers = {
          "x-forwarded-for": `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
        };
        const response = await post(`${service.url}/api/oracle/waitlist`, { email }, headers);
        const answer = (await response.json()) as { error?: string };
        if (response.status === 503) assert.equal(answer.error, "overloaded");
        else assert.equal(response.status, 201);
        if (response.status === 201) acknowledged.push(email);
        if (acknowledged.length >= 200) stopped ??= service.stop();
      }
    };
    // Each ends when its connection does: the service is gone.
    const outcomes = await Promise.allSettled(Array.from({ length: 16 }, writer));
    for (const outcome of outcomes)
      assert.ok(
        outcome.status === "rejected" && outcome.reason instanceof TypeError,
        "no wrong answer",
      );
    assert.ok(stopped !== null);
    assert.equal(await (stopped as Promise<number | null>), 0);
    const { out } = runCommand(place, ["admin", "waitlist", "--json"]);
    const kept = new Set((JSON.parse(out) as { email: string }[]).map(({ email }) => email));
    assert.deepEqual(
      acknowledged.filter((email) => !kept.has(email)),
      [],
    );
  });
});

test("the process ends with its API's thread, and says why", async (t) => {
  const ways = { "/die": "the API's thread dies", "/exit": "the API's thread ended with 0" };
  for (const [path, reason] of Object.entries(ways)) {
    const service = await startTestService(t, sqlitePlace(t), { API_THREAD: "on" }, [
      ...["--import", "./test/support/processes/dying-thread.ts"],
      ...["bin/exitability.mjs", "serve"],
    ]);
    // The connection may end before the answer.
    await fetch(service.url + path).catch(() => undefined);
    assert.equal(await service.ended, 1);
    assert.match(service.lines.join("\n"), new RegExp(reason));
  }
});

test("streams end with the service, and do not hold it", async (t) => {
  const { environment } = await startDemoNode(t);
  const service = await startTestService(t, sqlitePlace(t), { ...environment, ACCOUNTS_DIR: "" });
  const authorization = await signIn(service);
  const mint = DEMO_TOKENS[0]?.mint;
  const streams = await Promise.all(
    [`/api/token/${mint}/exitability/stream`, "/api/account/alerts/stream"].map((path) =>
      fetch(service.url + path, { headers: { authorization } }),
    ),
  );
  const stopped = service.stop();
  for (const stream of streams) {
    assert.equal(stream.status, 200);
    await stream.text();
  }
  assert.equal(await stopped, 0);
});

test("a caller that never sends the rest of its request does not hold the service for ever", async (t) => {
  const service = await startTestService(t, sqlitePlace(t));
  const authorization = await signIn(service);
  const socket = await beginWriting(service.url, authorization, JSON.stringify({ mint: MINT }));
  socket.on("error", () => undefined);
  const startedMs = performance.now();
  assert.equal(await service.stop(), 0);
  assert.ok(performance.now() - startedMs < 15_000);
});

test("a service whose system clock is set back ends with the reason, for its supervisor to start it again", async (t) => {
  const behind = new URL("../support/processes/clock-an-hour-behind.ts", import.meta.url);
  const service = await startTestService(t, sqlitePlace(t), { NODE_OPTIONS: `--import=${behind}` });
  service.signal("SIGUSR2");
  assert.equal(await service.ended, 1);
  const [line = ""] = service.lines.filter((line) => line.includes("system clock was set back"));
  const { level, setBackMs } = JSON.parse(line);
  assert.equal(level, 50, "an error");
  assert.ok(Math.abs(setBackMs - 3_600_000) < 5_000, line);
});

const AS_FIRST_PROCESS = ["--pid", "--fork", "--kill-child"];
/** Needs Linux, and root. */
const CAN_BE_FIRST = spawnSync("unshare", [...AS_FIRST_PROCESS, "true"]).status === 0;

test("the first process of a container ends at a signal that comes while it starts", async (t) => {
  if (!CAN_BE_FIRST) return t.skip("a process namespace needs root");
  const { dataDir } = sqlitePlace(t);
  const command = [process.execPath, "bin/exitability.mjs", "serve"];
  const container = spawn("unshare", [...AS_FIRST_PROCESS, ...command], {
    env: { PATH: process.env["PATH"], DATA_DIR: dataDir, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  closeAfter(t, () => container.kill("SIGKILL"));
  const ended = once(container, "exit");
  for await (const line of createInterface(container.stdout)) {
    assert.doesNotMatch(line, /listens at/, "the signal was lost");
    const children = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8");
    if (line.includes('"starting"')) process.kill(Number(children), "SIGTERM");
  }
  assert.deepEqual(await ended, [143, null]);
});
