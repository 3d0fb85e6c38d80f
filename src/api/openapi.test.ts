import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { createSignInLibrary } from "#src/users/sign-in-library.ts";
import { oneApp } from "#test/support/api/app.ts";
import { assertKeeps } from "#test/support/api/conformance.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { prepareTools } from "./mcp/tool.ts";
import { TOOLS } from "./mcp/tools.ts";
import { openapiDocument, sentBody } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { createInputCompiler } from "./validation.ts";

const DOCUMENT = openapiDocument(OPERATIONS, { version: "1.0.0", publicUrl: "https://e.example" });

test("every route is in the reference, and nothing else is", async (t) => {
  await oneApp(t, async ({ app }) => {
    const documented = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const routes: string[] = [];
    for (const path of pathsOf(app.printRoutes({ commonPrefix: false }))) {
      // No path takes PUT: the refusal says what it takes.
      const { headers } = await app.inject({ method: "PUT", url: path.replaceAll(/[{}]/g, "") });
      const methods = String(headers.allow).split(", ");
      routes.push(
        ...methods.filter((method) => method !== "HEAD").map((name) => `${name} ${path}`),
      );
    }
    assert.deepEqual(new Set(routes), new Set(documented));
    assert.equal(new Set(documented).size, OPERATIONS.length);
  });
});

test("the service serves the document that its operations make", async (t) => {
  await oneApp(t, async ({ send }) => {
    const response = await send("GET", "/openapi.json");
    assert.equal(response.json().openapi, "3.1.0");
    assert.deepEqual(Object.keys(response.json().paths), Object.keys(DOCUMENT["paths"] as object));
  });
});

test("the session's cookie has the name that the reference gives it, behind TLS too", async (t) => {
  const store = await sqliteDatabase(t);
  for (const publicUrl of ["http://127.0.0.1:8080", "https://e.example"]) {
    const document = openapiDocument(OPERATIONS, { version: "1.0.0", publicUrl });
    const { securitySchemes } = document["components"] as {
      securitySchemes: { dashboard: { name: string } };
    };
    const library = createSignInLibrary({ store, authSecret: "x".repeat(40), publicUrl });
    const { sessionToken } = (await library.$context).authCookies;
    assert.equal(securitySchemes.dashboard.name, sessionToken.name);
  }
});

test("every input schema is valid and compiles, also those of MCP tools", () => {
  const ajv = new Ajv({ strict: false });
  const compileInput = createInputCompiler();
  for (const { id, params, query, body } of OPERATIONS) {
    for (const schema of [params, query, body?.schema]) {
      if (schema === undefined) continue;
      assert.ok(ajv.validateSchema(sentBody(schema)), id);
      compileInput(schema)({});
    }
  }
  for (const tool of prepareTools(TOOLS)) {
    assert.ok(ajv.validateSchema(tool.inputSchema), tool.name);
    tool.refusalOf({});
  }
});

test("every example is what its schema says", () => {
  for (const { id, responses, body } of OPERATIONS) {
    for (const { schema, example } of Object.values(responses)) assertKeeps(schema, example, id);
    if (body !== undefined) assertKeeps(sentBody(body.schema), body.example, id);
  }
});

test("every reference within the document leads somewhere, and no name is used twice", () => {
  const text = JSON.stringify(DOCUMENT);
  for (const [, path = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let at: unknown = DOCUMENT;
    for (const part of path.split("/")) at = (at as Record<string, unknown>)[part];
    assert.equal(typeof at, "object", path);
  }
  const ids = OPERATIONS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test("the reference page runs nothing inline and loads nothing foreign", async (t) => {
  await oneApp(t, async ({ send }) => {
    const page = await send("GET", "/docs");
    assert.equal(page.statusCode, 200);
    const policy = String(page.headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(page.body, /<style|style="| on\w+="/);
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) =>
      String(path),
    );
    assert.ok(files.length > 5);
    for (const file of files) {
      assert.match(file, /^\/docs\/static\//);
      assert.equal((await send("GET", file)).statusCode, 200, file);
    }
    const { paths, servers } = (await send("GET", "/docs/json")).json();
    assert.deepEqual(Object.keys(paths), Object.keys(DOCUMENT["paths"] as object));
    assert.deepEqual(servers, [{ url: "/" }], "the CSP lets the page reach its own origin only");
    for (const path of ["/docs", "/openapi.json"]) {
      const etag = String((await send("GET", path)).headers.etag);
      for (const known of [etag, etag.replace("W/", ""), `"other", ${etag}`, "*"]) {
        const again = await send("GET", path, { headers: { "if-none-match": known } });
        assert.equal(again.statusCode, 304, `${path} ${known}`);
      }
    }
  });
});

/** The router's own tree of paths, with `{name}` for parameters. */
function pathsOf(tree: string): readonly string[] {
  const above: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const match = /^([│├└─ ]+)(\S+) \(/u.exec(line);
    if (match === null) return [];
    const [, indent = "", part = ""] = match;
    const depth = indent.length / 4;
    above.splice(depth - 1, Number.POSITIVE_INFINITY, part);
    const path = above.join("").replaceAll(/:(\w+)/g, "{$1}");
    // The CORS plugin's route for preflights of unknown paths, and the files of the reference page.
    return path === "*" || path.startsWith("/docs/") ? [] : [path];
  });
}
