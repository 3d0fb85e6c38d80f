import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import type { Page } from "playwright-core";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { compile, installClient, readmeExamples } from "#test/support/processes/built-client.ts";
import { demoMint, startDashboard } from "#test/support/processes/dashboard.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { subscribe } from "#test/support/processes/subscriber.ts";

const NODE_TYPES = join(import.meta.dirname, "..", "..", "node_modules", "@types");
const README_URL = "http://127.0.0.1:8080";

/** Figures change with the market; the texts about them do not. */
function withoutFigures(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)?(?:e-\d+)?/g, "#").trim();
}

test("every example of the README compiles against the build, and prints what the README says", async (t) => {
  const place = sqlitePlace(t);
  const [project, service] = await Promise.all([
    installClient(t),
    startTestService(t, place, { ACCOUNTS_DIR: "" }),
  ]);
  const { apiKey, accessToken } = await subscribe(service, place, "ida@example.com");
  const examples = readmeExamples().filter(({ language }) => language === "ts");
  assert.ok(examples.length >= 6);
  const files = examples.map(({ code }, index) => {
    assert.ok(code.includes(README_URL), code);
    const file = join(project.directory, `example-${index}.ts`);
    writeFileSync(file, code.replaceAll(README_URL, service.url));
    return file;
  });
  writeFileSync(join(project.directory, "package.json"), '{ "type": "module" }');
  const options = { module: "nodenext", target: "es2022", noEmit: true, strict: true };
  const compilerOptions = {
    ...options,
    exactOptionalPropertyTypes: true,
    typeRoots: [NODE_TYPES],
    types: ["node"],
  };
  const config = join(project.directory, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  await compile(["--project", config]);
  for (const [index, file] of files.entries()) {
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: {
        PATH: process.env["PATH"],
        EXITABILITY_API_KEY: apiKey,
        EXITABILITY_ACCESS_TOKEN: accessToken,
      },
    });
    assert.equal(withoutFigures(stdout), withoutFigures(examples[index]?.prints ?? ""));
  }
});

test("the client runs in a page and in a page's worker, anonymously alone", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { url, visit } = dashboard;
  const { dist } = await installClient(t);
  const attempt = tryOut(`${url}/client/exitability.js`, url);
  const expected = ["ok", 200, "ok", "credentials_in_browser"];

  /** A page of the service's own origin, where the client's build lies beside it. */

  async function openPage(scripts: Readonly<Record<string, string>> = {}): Promise<Page> {
    const { page, context } = await visit();
    await context.route("**/client/*.js", (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      const body = scripts[name] ?? readFileSync(join(dist, name), "utf8");
      return route.fulfill({ body, contentType: "text/javascript" });
    });
    await page.goto("/docs");
    return page;
  }

  await t.test("in a page, until the day's queries are spent: that is not waited for", async () => {
    await avoidMidnight();
    const page = await openPage();
    await page.context().addCookies([{ name: "of", value: "the dashboard", url }]);
    const sent = page.waitForRequest(/\/api\/token\//);
    assert.deepEqual(await page.evaluate(`(async () => { ${attempt} return found; })()`), expected);
    assert.equal((await (await sent).allHeaders())["cookie"], undefined);
    const mints = ["Three", "Buck", "Quiet", "Rug", "Thin", "Range"].map(demoMint);
    const refused = `(async () => {
      ${attempt}
      for (const mint of ${JSON.stringify(mints)}) await exits.exitability(mint);
    })().catch(({ code, retryAfterSeconds }) => [code, retryAfterSeconds])`;
    assert.deepEqual(await page.evaluate(refused), ["rate_limit_exceeded", 86_400]);
  });

  await t.test("in a page's worker", async () => {
    const page = await openPage({ "worker.js": `${attempt} postMessage(found);` });
    const found = await page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker("/client/worker.js", { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`);
    assert.deepEqual(found, expected);
  });

  await t.test("in another site's page, within the day's queries of its reader", async (t) => {
    const site = createServer(({ url: path = "" }, response) => {
      const name = basename(path);
      const isScript = name.endsWith(".js");
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(
        isScript ? readFileSync(join(dist, name)) : "<!doctype html><title>Site</title>",
      );
    });
    closeAfter(t, () => site.close());
    await once(site.listen(0, "127.0.0.1"), "listening");
    await avoidMidnight();
    const { page, context } = await visit();
    // The visitor's own address, given as a proxy would: no page may send that elsewhere.
    await context.setExtraHTTPHeaders({});
    // The same machine by another name is another site to a browser.
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/page`);
    const mint = demoMint("Three");
    const found = `(async () => {
      const { createExitability } = await import("/exitability.js");
      const exits = createExitability({ baseUrl: "${url}" });
      const { state } = await exits.exitability("${mint}");
      const { items } = await exits.batch(["${mint}"]);
      const { headers } = await fetch("${url}/api/token/${mint}/exitability");
      return [state, items.length, headers.get("x-ratelimit-remaining")];
    })()`;
    assert.deepEqual(await page.evaluate(found), ["ok", 1, "2"]);
  });

  await t.test("as the README's example for pages, which prints what it says", async () => {
    const examples = readmeExamples().filter(({ language }) => language === "js");
    assert.equal(examples.length, 1);
    for (const { code, prints } of examples) {
      const script = code.replace('"exitability-client"', '"/client/exitability.js"');
      const page = await openPage({ "example.js": script });
      const printed = page.waitForEvent("console");
      await page.evaluate('import("/client/example.js")');
      assert.equal(withoutFigures((await printed).text()), withoutFigures(prints));
    }
  });
});

test("the client runs in a worker thread", async (t) => {
  const [{ dist }, service] = await Promise.all([
    installClient(t),
    startTestService(t, sqlitePlace(t), { ACCOUNTS_DIR: "" }),
  ]);
  const attempt = tryOut(pathToFileURL(join(dist, "exitability.js")).href, service.url);
  const code = `(async () => { ${attempt} require("node:worker_threads").parentPort.postMessage(found); })()`;
  const worker = new Worker(code, { eval: true });
  closeAfter(t, () => worker.terminate());
  assert.deepEqual(await once(worker, "message"), [["ok", 200, "ok", "object"]]);
});

/** Script that asks, asks for many, follows, and tries a key, and leaves in `found` what came of each. */
function tryOut(clientUrl: string, baseUrl: string): string {
  return `
    const { createExitability } = await import(${JSON.stringify(clientUrl)});
    const exits = createExitability({ baseUrl: ${JSON.stringify(baseUrl)}, language: "en" });
    const mints = [${JSON.stringify(demoMint("Steady"))}];
    const { state } = await exits.exitability(mints[0]);
    const { items } = await exits.batch(mints);
    const events = exits.stream(mints);
    const { value: event } = await events.next();
    await events.return();
    const keyed = (() => {
      try {
        return typeof createExitability({ baseUrl: "http://localhost", apiKey: "exi_key" });
      } catch (error) {
        return error.code;
      }
    })();
    const found = [state, items[0].status, event.exitability.state, keyed];`;
}
