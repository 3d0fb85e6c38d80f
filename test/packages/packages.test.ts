import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { filesIn } from "../../tools/packages/compile.ts";
import { startDemoNode } from "../support/chain/demo-node.ts";
import { sharedPath } from "../support/pools/executions.ts";
import { whenListening } from "../support/processes/service.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { demoPools } from "./demo-pools.ts";
import { compileStrictly, installInto, packAll, runScript } from "./installed.ts";
import { inlineSwaps } from "./recorded-swaps.ts";
import { compilers, type Runtime, runtimes } from "./runtimes.ts";

const THREE = "DemoThree1111111111111111111111111111111111";
const CLIENT_SCRIPT = `
import { createExitability, ExitabilityError } from "exitability-client";
import type { Exitability } from "exitability-client/api-types";

const exits = createExitability({ baseUrl: process.env["URL"] ?? "", language: "en" });
const { state, slippage }: Exitability = await exits.exitability("${THREE}");
const refused = await exits.pools("nonsense").catch((error: unknown) => error);
const code = refused instanceof ExitabilityError ? refused.code : "none";
console.log(state, typeof slippage.all["5"], code);
`;

/** Installing from the registry and six cold starts: up to three minutes on a busy machine. */
const timeout = 600_000;

/** One build and one pack serve all packages: packing is what takes time. */
test("each package installs into an empty folder, typechecks and runs on every supported Node", {
  timeout,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const packed = await packAll(directory);
  for (const [name, { bytes }] of Object.entries(packed)) {
    t.diagnostic(`${name}: ${(bytes / 1000).toFixed(0)} kB packed`);
  }
  const projects = {
    service: join(directory, "service-user"),
    client: join(directory, "client-user"),
    core: join(directory, "core-user"),
  };
  await Promise.all([
    installInto(projects.service, packed.exitability.tarball),
    installInto(projects.client, packed["exitability-client"].tarball),
    installInto(projects.core, packed["exitability-core"].tarball),
  ]);
  const nodes = runtimes(t);

  await t.test("the service, its dashboard, its client and its MCP tools", async (t) => {
    writeFileSync(join(projects.client, "ask.ts"), CLIENT_SCRIPT);
    for (const { compiler, resolution } of compilers(t)) {
      await compileStrictly(projects.client, { compiler, resolution, files: ["ask.ts"] });
    }
    for (const node of nodes) await t.test(node.name, (t) => useService(t, node, projects));
  });

  await t.test("the core needs no package and prints what its examples compute", async (t) => {
    const installed = readdirSync(join(projects.core, "node_modules"));
    assert.deepEqual(
      installed.filter((name) => !name.startsWith(".")),
      ["exitability-core"],
    );
    assertSelfContained(join(projects.core, "node_modules", "exitability-core", "lib"));
    const files = writeExamples(projects.core);
    for (const how of compilers(t)) await compileStrictly(projects.core, { ...how, files });
    await useCore(t, nodes, projects.core);
  });
});

async function useService(
  t: TestContext,
  { path }: Runtime,
  { service: cwd, client }: { readonly service: string; readonly client: string },
): Promise<void> {
  const command = [join(cwd, "node_modules", "exitability", "bin", "exitability.mjs")];
  const measured = await runScript(path, { script: [...command, "measure", THREE, "--json"], cwd });
  assert.equal(JSON.parse(measured).state, "ok");

  const dataDir = temporaryDirectory(t);
  const child = spawn(path, [...command, "serve"], {
    cwd,
    env: { PORT: "0", DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const service = await whenListening(t, child, dataDir);
  const page = await (await fetch(service.url)).text();
  const [, script = "none"] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  assert.equal((await fetch(new URL(script, service.url))).status, 200);
  const printed = await runScript(path, {
    script: ["ask.js"],
    cwd: client,
    environment: { URL: service.url },
  });
  assert.equal(printed, "ok number not_found\n");

  const agent = new Client({ name: "test", version: "1" });
  await agent.connect(
    new StdioClientTransport({
      command: path,
      args: [...command, "mcp", "--url", service.url],
      cwd,
      stderr: "ignore",
    }),
  );
  const { tools } = await agent.listTools();
  assert.ok(tools.length > 0);
  await agent.close();
  assert.equal(await service.stop(), 0);
}

/** Every import of the core leads to a file of the core, and none to a module of Node. */
function assertSelfContained(lib: string): void {
  for (const file of filesIn(lib)) {
    if (!/\.(?:js|d\.ts)$/.test(file)) continue;
    const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b.*\bfrom "([^"]+)"/gm);
    for (const [, target = ""] of imports) assert.match(target, /^\.\.?\/.*\.js$/, file);
  }
}

/** The README's examples, each as the file that it names. */
function writeExamples(directory: string): readonly string[] {
  const readme = join(directory, "node_modules", "exitability-core", "README.md");
  const blocks = readFileSync(readme, "utf8").matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm);
  const files: string[] = [];
  for (const [, name = "", code = ""] of blocks) {
    writeFileSync(join(directory, name), code);
    files.push(name);
  }
  assert.equal(files.length, 4);
  return files;
}

async function useCore(t: TestContext, nodes: readonly Runtime[], cwd: string): Promise<void> {
  const demo = await startDemoNode(t);
  const pools = await demoPools(demo.environment.SOLANA_RPC_URL, THREE);
  const environment = {
    SOLANA_RPC_URL: demo.environment.SOLANA_RPC_URL,
    MINT: THREE,
    POOL: pools[0],
    POOLS: pools.join(","),
  };
  const executions = sharedPath(t, "executions", "raydium-cpmm.jsonl.gz");
  const swaps = join(cwd, "swaps.jsonl");
  if (executions !== null) writeFileSync(swaps, inlineSwaps(executions));
  for (const { name, path } of nodes) {
    const print = (script: string) => runScript(path, { script: [script], cwd, environment });
    assert.match(await print("quote-a-pool.js"), /^1,000,000,000 base units pay \d+ base units$/m);
    const assessed = await print("assess-a-token.js");
    assert.match(assessed, /^5 SOL lose \d+\.\d+ %$/m, name);
    assert.match(assessed, /^C10 is \d+\.\d+ SOL; findings: short-history$/m, name);
    assert.match(assessed, /^7\.3 SOL pay \d+ lamports$/m, name);
    if (executions === null) continue;
    const replayed = await runScript(path, {
      script: ["replay-swaps.js"],
      cwd,
      environment: { SWAPS: swaps },
    });
    assert.equal(replayed, "330 of 330 swaps are exact\n", name);
  }
}
