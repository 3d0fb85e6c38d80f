import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { createClient } from "@redis/client";
import { closeAfter, type Ending } from "../ending.ts";
import { freePort } from "./free-port.ts";

/** A Redis of the test's own, to be killed, frozen, emptied and started again. */
export type TestRedis = {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** At once, with all it holds. */
  readonly kill: () => Promise<void>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly flush: () => Promise<void>;
};

/** Null, and the test is skipped, if no redis-server is installed; in CI that fails. */
export async function testRedis(
  t: TestContext,
  settings: readonly string[] = [],
): Promise<TestRedis | null> {
  try {
    return await startRedis(t, settings);
  } catch (error) {
    if (process.env["CI"]) throw error;
    t.skip("redis-server is not installed");
    return null;
  }
}

/**
 * @param settings more arguments of redis-server
 * @throws Error where no redis-server is installed
 */
export async function startRedis(
  ending: Ending,
  settings: readonly string[] = [],
): Promise<TestRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | null = null;
  const kill = async () => {
    if (server === null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
    server = null;
  };
  const start = async () => {
    const options = [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      ...settings,
    ];
    const started = spawn("redis-server", options, { stdio: "ignore" });
    await once(started, "spawn");
    server = started;
    await answering(url);
  };
  // Before it answers: what starts it may be interrupted meanwhile.
  closeAfter(ending, kill);
  await start();
  return {
    url,
    start,
    kill,
    freeze: () => void server?.kill("SIGSTOP"),
    thaw: () => void server?.kill("SIGCONT"),
    async flush() {
      const client = await createClient({ url }).connect();
      await client.flushAll();
      client.destroy();
    },
  };
}

async function answering(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: 20 } });
  client.on("error", () => undefined);
  await client.connect();
  client.destroy();
}
