import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readOptions } from "#bench/options.ts";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { startCuttingProxy } from "#test/support/cutting-proxy.ts";
import { startDemoNode } from "#test/support/demo-node.ts";
import { Endings } from "#test/support/ending.ts";
import { ownSchema } from "#test/support/postgres-schemas.ts";
import { startTestService } from "#test/support/service.ts";

/**
 * Prints what the service logs while its RPC node or its database is unreachable: by default for one
 * minute, and ten seconds after. The database run needs DATABASE_URL, a Postgres server.
 *
 *   node tools/outage-log.ts --without node|database [--seconds 60] [--json]
 */

const { values } = readOptions("The log of a service while its node or its database is away.", {
  without: { type: "string", default: "node", help: "node or database" },
  seconds: { type: "string", default: "60" },
  json: { type: "boolean", default: false },
});

const RECOVERY_MS = 10_000;
const TRACKED = 5;
const REQUEST_EVERY_MS = 2_000;

const endings = new Endings();
try {
  await run();
} finally {
  await endings.close();
}

async function run(): Promise<void> {
  const { without } = values;
  const node = await startDemoNode(endings);
  const httpWire = await startCuttingProxy(endings, node.environment.SOLANA_RPC_URL);
  const wsWire = await startCuttingProxy(endings, node.environment.SOLANA_WS_URL);
  const wires = without === "node" ? [httpWire, wsWire] : [];
  const dataDir = mkdtempSync(join(tmpdir(), "exitability-outage-"));
  endings.after(() => rmSync(dataDir, { recursive: true, force: true }));
  let databaseUrl: string | null = null;
  if (without === "database") {
    const server = process.env["DATABASE_URL"];
    if (server === undefined) throw new Error("set DATABASE_URL to a Postgres server");
    const schema = new URL(await ownSchema(endings, server));
    const wire = await startCuttingProxy(endings, `http://${schema.host}`);
    wires.push(wire);
    schema.port = String(wire.port);
    databaseUrl = schema.href;
  }
  const service = await startTestService(
    endings,
    { dialect: databaseUrl === null ? "sqlite" : "postgres", databaseUrl, dataDir },
    { SOLANA_RPC_URL: httpWire.url, SOLANA_WS_URL: wsWire.url.replace("http", "ws") },
  );
  const requests = setInterval(() => void request(service.url), REQUEST_EVERY_MS);
  endings.after(() => clearInterval(requests));
  await delay(RECOVERY_MS);
  const before = service.lines.length;
  for (const wire of wires) wire.cut();
  await delay(Number(values.seconds) * 1_000);
  const during = service.lines.slice(before);
  for (const wire of wires) wire.mend();
  await delay(RECOVERY_MS);
  const after = service.lines.slice(before + during.length);
  report(during, after);
}

/** Keeps some tokens tracked; failed answers are expected. */
async function request(url: string): Promise<void> {
  const asked = DEMO_TOKENS.slice(0, TRACKED).map(({ mint }) =>
    fetch(`${url}/api/token/${mint}/exitability`).catch(() => null),
  );
  await Promise.all(asked);
}

function report(during: readonly string[], after: readonly string[]): void {
  if (values.json) {
    console.log(JSON.stringify({ without: values.without, during, after }));
    return;
  }
  console.log(`${during.length} lines in ${values.seconds} s without the ${values.without}:`);
  for (const line of during) console.log(line);
  console.log(`\n${after.length} lines in the ${RECOVERY_MS / 1_000} s after:`);
  for (const line of after) console.log(line);
}
