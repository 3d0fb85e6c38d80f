import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import Fastify from "fastify";
import { registerStatic } from "./static.ts";

const SCRIPT = "console.log(1);\n";

async function startApp(t: TestContext, { isBuilt = true, isBehindTls = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "exitability-static-"));
  t.after(() => rmSync(directory, { recursive: true }));
  if (isBuilt) {
    mkdirSync(join(directory, "assets"));
    writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
    writeFileSync(join(directory, "assets", "index-abcd1234.js"), SCRIPT);
    writeFileSync(join(directory, "assets", "index-abcd1234.js.br"), brotliCompressSync(SCRIPT));
    writeFileSync(join(directory, "notes.md"), "not served");
  }
  const app = Fastify();
  registerStatic(app, { directory, pages: ["/", "/token/:id"], isBehindTls });
  t.after(() => app.close());
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
}

test("every page is the dashboard's one document, under a policy without inline code", async (t) => {
  const get = await startApp(t);
  for (const path of ["/", "/token/abc"]) {
    const response = await get(path);
    assert.equal(response.statusCode, 200);
    const policy = String(response.headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(response.headers["cache-control"], "no-cache");
    assert.equal(response.headers["strict-transport-security"], undefined);
  }
});

test("behind TLS the browser is told to stay there", async (t) => {
  const get = await startApp(t, { isBehindTls: true });
  assert.match(String((await get("/")).headers["strict-transport-security"]), /max-age=\d{8}/);
});

test("a file named by its content is kept for good, and sent compressed to those who can", async (t) => {
  const get = await startApp(t);
  const plain = await get("/assets/index-abcd1234.js");
  assert.equal(plain.body, SCRIPT);
  assert.match(String(plain.headers["cache-control"]), /immutable/);
  const packed = await get("/assets/index-abcd1234.js", { "accept-encoding": "gzip, br" });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), SCRIPT);
  const refused = await get("/assets/index-abcd1234.js", { "accept-encoding": "br;q=0" });
  assert.equal(refused.headers["content-encoding"], undefined);
  const known = await get("/", { "if-none-match": String((await get("/")).headers.etag) });
  assert.equal(known.statusCode, 304);
});

test("nothing but the build's own files is served", async (t) => {
  const get = await startApp(t);
  for (const path of [
    "/notes.md",
    "/../package.json",
    "/assets/..%2findex.html",
    "/built-from.txt",
  ]) {
    assert.equal((await get(path)).statusCode, 404, path);
  }
});

test("without a build the page says how to make one", async (t) => {
  const get = await startApp(t, { isBuilt: false });
  const response = await get("/");
  assert.equal(response.statusCode, 503);
  assert.match(response.body, /npm run build:web/);
});
