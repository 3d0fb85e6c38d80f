import { Agent } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { send } from "../fuzz/http-client.ts";
import { attacksOn } from "./attackers.ts";

/** Runs every attack at once, on a thread of its own, until a message ends it. */
export type AttackOptions = {
  readonly url: string;
  readonly mint: string;
  readonly victim: string;
  readonly seed: number;
};
export type AttackTally = Readonly<Record<string, Readonly<Record<number, number>>>>;

const { url, mint, victim, seed } = workerData as AttackOptions;
const tally: Record<string, Record<number, number>> = {};
let isStopped = false;

const running = attacksOn({ mint, victim }, seededRandom(seed)).flatMap(
  ({ name, connections, next }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const statuses: Record<number, number> = {};
    tally[name] = statuses;
    return Array.from({ length: connections }, async () => {
      while (!isStopped) {
        const { status } = await send(agent, url, next());
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      agent.destroy();
    });
  },
);

parentPort?.once("message", async () => {
  isStopped = true;
  await Promise.all(running);
  parentPort?.postMessage(tally);
});
