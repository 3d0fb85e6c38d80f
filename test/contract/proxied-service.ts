import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { type DatabasePlace, sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { type RunningService, startTestService } from "#test/support/processes/service.ts";
import { contractTool } from "./contract-tools.ts";
import type { OpenapiDocument } from "./document.ts";

export type ProxiedService = {
  readonly service: RunningService;
  readonly place: DatabasePlace;
  /** What the service serves as its own description. */
  readonly document: OpenapiDocument;
  /** Prism before the service: it checks every answer against the document and writes the result to a header. */
  readonly proxyUrl: string;
};

/** The real service over the demo market on the embedded database, and Prism before it. */
export async function startProxiedService(t: TestContext): Promise<ProxiedService> {
  const place = sqlitePlace(t);
  const service = await startTestService(t, place, { ACCOUNTS_DIR: "", TRUST_PROXY: "1" });
  const text = await (await fetch(`${service.url}/openapi.json`)).text();
  const path = join(place.dataDir, "openapi.json");
  writeFileSync(path, text);
  const proxyUrl = await startProxy(t, path, service.url);
  return { service, place, document: JSON.parse(text) as OpenapiDocument, proxyUrl };
}

function startProxy(t: TestContext, documentPath: string, upstream: string): Promise<string> {
  const options = ["--errors=false", "--cors=false", "--port=0", "--host=127.0.0.1"];
  const child = spawn(
    process.execPath,
    [contractTool("prism"), "proxy", documentPath, upstream, ...options],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  closeAfter(t, () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (lines.length < 100) lines.push(line);
        const [, url] = /listening on (http:\/\/[\d.:]+)/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
    child.on("exit", (code) => reject(new Error(`Prism ended with ${code}:\n${lines.join("\n")}`)));
  });
}
