import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import Fastify from "fastify";
import { closeAfter } from "#test/support/ending.ts";
import { registerStatic } from "./static.ts";

const SCRIPT = "console.log(1);\n";

async function startApp(t: TestContext, { isBuilt = true, isBehindTls = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "exitability-static-"));
  closeAfter(t, () => rmSync(directory, { recursive: true }));
  if (isBuilt) {
    mkdirSync(join(directory, "assets"));
    writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
    writeFileSync(join(directory, "assets", "index-abcd1234.js"), SCRIPT);
    writeFileSync(join(directory, "assets", "index-abcd1234.js.br"), brotliCompressSync(SCRIPT));
    writeFileSync(join(directory, "notes.md"), "not served");
    writeFileSync(join(directory, "built-from.txt"), "not served");
  }
  const app = Fastify();
  await registerStatic(app, { directory, pages: ["/", "/token/:id"], isBehindTls });
  closeAfter(t, () => app.close());
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
}

test("every page is the dashboard's index.html, under a policy without inline code", async (t) => {
  const get = await startApp(t);
  for (const path of ["/", "/token/So11111111111111111111111111111111111111112"]) {
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

test("a token's page for an impossible token is the same page with status 404", async (t) => {
  const get = await startApp(t);
  for (const path of ["/token/abc", "/token/%25E0%25A4%25A"]) {
    const response = await get(path);
    assert.equal(response.statusCode, 404, path);
    assert.match(response.body, /<!doctype html>/);
  }
});

test("a page's address with a slash at its end leads to the page", async (t) => {
  const get = await startApp(t);
  for (const [path, location] of [
    ["/token/abc/", "/token/abc"],
    ["/token/abc/?size=5&next=/", "/token/abc?size=5&next=/"],
  ] as const) {
    const response = await get(path);
    assert.deepEqual([response.statusCode, response.headers.location], [308, location], path);
  }
  assert.equal((await get("//token/abc/")).statusCode, 404);
});

test("behind TLS the answer carries Strict-Transport-Security", async (t) => {
  const get = await startApp(t, { isBehindTls: true });
  assert.match(String((await get("/")).headers["strict-transport-security"]), /max-age=\d{8}/);
});

test("a file with a hash in its name is immutable, and sent compressed where the client accepts it", async (t) => {
  const get = await startApp(t);
  const plain = await get("/assets/index-abcd1234.js");
  assert.equal(plain.body, SCRIPT);
  assert.match(String(plain.headers["cache-control"]), /immutable/);
  const compressed = await get("/assets/index-abcd1234.js", { "accept-encoding": "gzip, br" });
  assert.equal(compressed.headers["content-encoding"], "br");
  assert.match(String(compressed.headers["cache-control"]), /immutable/);
  assert.match(String(compressed.headers["content-type"]), /javascript/);
  assert.match(String(compressed.headers.vary), /accept-encoding/);
  assert.equal(brotliDecompressSync(compressed.rawPayload).toString(), SCRIPT);
});

test("an encoding that the client refuses is not used", async (t) => {
  const get = await startApp(t);
  for (const accepted of ["br;q=0", "br; q=0", "br ;q=0", "br ; q=0.000", "gzip;q=0, br; q=0"]) {
    const refused = await get("/assets/index-abcd1234.js", { "accept-encoding": accepted });
    assert.equal(refused.headers["content-encoding"], undefined, accepted);
    assert.equal(refused.body, SCRIPT);
  }
});

test("a page that the client has is answered 304: weak tags, lists and * included", async (t) => {
  const get = await startApp(t);
  const etag = String((await get("/")).headers.etag);
  const opaque = etag.replace("W/", "");
  for (const known of [opaque, `W/${opaque}`, `"other", W/${opaque}`, `${opaque} , "other"`, "*"]) {
    const { statusCode, headers, body } = await get("/", { "if-none-match": known });
    assert.deepEqual([statusCode, body], [304, ""], known);
    assert.equal(headers.etag, etag);
    assert.equal(headers["cache-control"], "no-cache");
  }
  assert.equal((await get("/", { "if-none-match": '"other"' })).statusCode, 200);
});

test("nothing but the build's own files is served", async (t) => {
  const get = await startApp(t);
  for (const path of [
    "/notes.md",
    "/../package.json",
    "/assets/..%2findex.html",
    "/built-from.txt",
    "/index.html",
    "/assets/index-abcd1234.js.br",
    "/assets/",
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
