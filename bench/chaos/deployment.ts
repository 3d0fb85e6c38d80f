import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DemoNode, startDemoNode } from "#test/support/chain/demo-node.ts";
import type { Ending } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { type CuttingProxy, startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import { freePort } from "#test/support/processes/free-port.ts";
import { type OwnPostgres, startOwnPostgres } from "#test/support/processes/own-postgres.ts";
import { startRedis, type TestRedis } from "#test/support/processes/redis.ts";
import { type RunningService, startTestService } from "#test/support/processes/service.ts";

export type Role = "api" | "tracker" | "alerts";
export type WireTo = "postgres" | "redis" | "node";

/** One process of the deployment, behind wires of its own. */
export type Member = {
  readonly name: string;
  readonly role: Role;
  readonly service: () => RunningService;
  readonly wires: Readonly<Record<WireTo, readonly CuttingProxy[]>>;
  /** At once, without shutdown. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly isTracking: () => boolean;
};

export type Deployment = {
  readonly node: DemoNode;
  readonly postgres: OwnPostgres;
  readonly redis: TestRedis;
  readonly members: readonly Member[];
};

const STARTED_WITHIN_MS = 30_000;

/** Two trackers, two replicas and an alert worker on a Postgres, a Redis and a node of their own. */
export async function deploy(ending: Ending): Promise<Deployment> {
  const dataDir = mkdtempSync(join(tmpdir(), "exitability-chaos-"));
  ending.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const postgres = await startOwnPostgres(ending);
  const redis = await startRedis(ending);
  const node = await startDemoNode(ending);
  const members: Member[] = [];
  for (const [name, role] of [
    ["tracker 1", "tracker"],
    ["tracker 2", "tracker"],
    ["api 1", "api"],
    ["api 2", "api"],
    ["alerts", "alerts"],
  ] as const) {
    members.push(await startMember(ending, { name, role, dataDir, postgres, redis, node }));
  }
  await eventually(
    "somebody tracks",
    () => (members.some((member) => member.isTracking()) ? true : null),
    STARTED_WITHIN_MS,
  );
  return { node, postgres, redis, members };
}

type Place = Pick<Member, "name" | "role"> &
  Pick<Deployment, "postgres" | "redis" | "node"> & { readonly dataDir: string };

async function startMember(ending: Ending, place: Place): Promise<Member> {
  const { name, role, dataDir } = place;
  const { SOLANA_RPC_URL, SOLANA_WS_URL } = place.node.environment;
  const wire = (url: string) => startCuttingProxy(ending, url);
  const toPostgres = await wire(place.postgres.url);
  const toRedis = await wire(place.redis.url);
  const toRpc = await wire(SOLANA_RPC_URL);
  const toWs = await wire(SOLANA_WS_URL);
  const through = (url: string, { port }: CuttingProxy) => {
    const wired = new URL(url);
    wired.host = `127.0.0.1:${port}`;
    return wired.href;
  };
  const database = {
    dialect: "postgres",
    databaseUrl: through(place.postgres.url, toPostgres),
    dataDir,
  } as const;
  const environment = {
    REDIS_URL: through(place.redis.url, toRedis),
    SOLANA_RPC_URL: through(SOLANA_RPC_URL, toRpc),
    SOLANA_WS_URL: through(SOLANA_WS_URL, toWs),
    ROLE: role,
    PORT: String(await freePort()),
    TRUST_PROXY: "1",
  };
  let service = await startTestService(ending, database, environment);
  const said = (words: string) => service.lines.filter((line) => line.includes(words)).length;
  return {
    name,
    role,
    service: () => service,
    wires: { postgres: [toPostgres], redis: [toRedis], node: [toRpc, toWs] },
    kill: () => service.kill(),
    async start() {
      service = await startTestService(ending, database, environment);
    },
    isTracking: () => said("tracker leadership acquired") > said("tracker leadership released"),
  };
}
