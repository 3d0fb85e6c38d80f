import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as buffered } from "node:stream/consumers";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { closeAfter } from "#test/support/ending.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { prepareTools } from "./tool.ts";
import { TOOLS } from "./tools.ts";

type Answer = { readonly content: readonly { readonly text: string }[]; readonly isError: boolean };

async function call(client: Client, name: string, input: object): Promise<Answer> {
  const answer = await client.callTool({ name, arguments: { ...input } });
  return answer as unknown as Answer;
}

test("a real client lists the tools, measures and watches, and its questions count", async (t) => {
  await oneApp(t, async ({ app, send }) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).toSorted();
    assert.deepEqual(names, [
      "compare_sizes",
      "exit_history",
      "holders_first",
      "largest_exit",
      "measure_exit",
      "past_day",
      "stressed_exit",
      "watch_exits",
    ]);
    for (const { description, annotations, inputSchema, outputSchema } of tools) {
      for (const name of inputSchema.required ?? []) {
        assert.ok(!("default" in (inputSchema.properties?.[name] ?? {})), `${name} has a default`);
      }
      assert.match(description ?? "", /never trades/);
      assert.deepEqual([annotations?.readOnlyHint, annotations?.destructiveHint], [true, false]);
      assert.equal(outputSchema?.type, "object");
    }
    const measured = await call(client, "measure_exit", { mint: SOME_MINT });
    assert.equal(measured.isError, false);
    // The client's fetch sends "accept-language: *", which asks for no language: agents get English.
    const english = { headers: { "accept-language": "en" } };
    const alone = await send("GET", `/api/token/${SOME_MINT}/exitability`, english);
    assert.deepEqual(JSON.parse(measured.content[0]?.text ?? ""), alone.json());
    assert.equal(alone.headers["x-ratelimit-remaining"], "3");
    const watched = await call(client, "watch_exits", { mints: [SOME_MINT], seconds: 0 });
    assert.equal(JSON.parse(watched.content[0]?.text ?? "").items[0].status, 200);
    const wrong = await call(client, "measure_exit", { mint: "nonsense" });
    assert.equal(wrong.isError, true);
    assert.equal(JSON.parse(wrong.content[0]?.text ?? "").error, "not_found");
    await client.close();
  });
});

test("a mint that is not an address is refused as such, whatever its text is in a URL", async (t) => {
  await oneApp(t, async ({ app }) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
    for (const mint of [".", "..", "../..", "a/b", "?", "#", "", "\ud800", "\0"]) {
      for (const name of ["measure_exit", "largest_exit"]) {
        const wrong = await call(client, name, { mint });
        assert.equal(wrong.isError, true);
        assert.match(wrong.content[0]?.text ?? "", /is not a Solana address/, JSON.stringify(mint));
      }
    }
    await client.close();
  });
});

test("sizes are answered one by one, and a limit takes none back that was answered", async (t) => {
  const market = marketOf([poolOfSol(100)]);
  const markets = someMarkets(() => someSnapshot(), {
    exit: async (_mint, sale) => exitOn(market, sale),
  });
  const suite = async ({ app }: TestApp) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
    const sizes_sol = [0.1 + 0.2, 0.5, 1, 2, 5, 10];
    const compared = await call(client, "compare_sizes", { mint: SOME_MINT, sizes_sol });
    assert.equal(compared.isError, false);
    const { items } = JSON.parse(compared.content[0]?.text ?? "");
    assert.deepEqual(
      items.map(({ status }: { status: number }) => status),
      [200, 200, 200, 200, 200, 429],
    );
    assert.equal(items[0].asked_sol, 0.1 + 0.2);
    assert.equal(items[5].error.error, "rate_limit_exceeded");
    const refused = await call(client, "compare_sizes", { mint: SOME_MINT, sizes_sol: [1, 2] });
    assert.equal(refused.isError, true);
    assert.equal(JSON.parse(refused.content[0]?.text ?? "").error, "rate_limit_exceeded");
    assert.match(refused.content[1]?.text ?? "", /Ask again in \d+ s; .*EXITABILITY_API_KEY/);
    await client.close();
  };
  await oneApp(t, suite, { markets });
});

test("a tool asks no more for a caller that has left", async (t) => {
  const market = marketOf([poolOfSol(100)]);
  const left = Promise.withResolvers<void>();
  const arguments_ = { mint: SOME_MINT, sizes_sol: [0.5, 1, 2, 5] };
  let asked = 0;
  let leave = (): void => undefined;
  const markets = someMarkets(() => someSnapshot(), {
    async exit(_mint, sale) {
      asked++;
      leave();
      await left.promise;
      return exitOn(market, sale);
    },
  });
  const suite = async ({ app, send }: TestApp) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    app.server.on("connection", (socket) => socket.once("close", left.resolve));
    const sent = request(`${address}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    sent.on("error", () => undefined);
    leave = () => void sent.destroy();
    const params = { name: "compare_sizes", arguments: arguments_ };
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    await left.promise;
    // As many requests as the tool would have sent in the same time.
    for (let size = 1; size <= 3; size++) await send("GET", `/api/token/${SOME_MINT}/exitability`);
    assert.equal(asked, 1);
  };
  await oneApp(t, suite, { markets });
});

test("every tool's structured answer keeps its output schema", async (t) => {
  const market = marketOf([poolOfSol(100)]);
  const markets = someMarkets(() => someSnapshot(), {
    exit: async (_mint, sale) => exitOn(market, sale),
    history: async () => [],
    alerts: async () => [],
  });
  const suite = async ({ app }: TestApp) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
    // The client then refuses an answer that does not keep the tool's schema.
    await client.listTools();
    const calls: readonly (readonly [string, object])[] = [
      ["measure_exit", { mint: SOME_MINT }],
      ["compare_sizes", { mint: SOME_MINT, sizes_sol: [1] }],
      ["exit_history", { mint: SOME_MINT }],
      ["watch_exits", { mints: [SOME_MINT], seconds: 0 }],
    ];
    for (const [name, input] of calls) {
      const { content, structuredContent } = (await client.callTool({
        name,
        arguments: { ...input },
      })) as unknown as Answer & { readonly structuredContent: unknown };
      assert.deepEqual(structuredContent, JSON.parse(content[0]?.text ?? ""), name);
    }
    await client.close();
  };
  await oneApp(t, suite, { markets });
});

test("each argument of a tool has a type: some agents refuse all tools where a choice has none", () => {
  const fieldsOf = (schema: object): readonly object[] => {
    const { properties = {}, items } = schema as { properties?: object; items?: object };
    const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
    return [schema, ...inner.flatMap(fieldsOf)];
  };
  for (const { name, inputSchema } of prepareTools(TOOLS)) {
    for (const field of fieldsOf(inputSchema))
      assert.ok("type" in field, `${name}: ${JSON.stringify(field)}`);
  }
});

test("arguments that a tool does not name, or of a wrong type, are refused by name", async (t) => {
  await oneApp(t, async ({ app }) => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
    const [mint, sizes_sol] = [SOME_MINT, [0]];
    const wrong: readonly (readonly [string, object, string])[] = [
      [
        "measure_exit",
        { mint, size_sol: 1 },
        " must not have size_sol; they are mint, profile, size",
      ],
      ["measure_exit", { mint, profile: "Pro" }, "/profile must be one of retail, pro"],
      ["measure_exit", {}, " must have required property 'mint'"],
      ["compare_sizes", { mint, sizes_sol }, "/sizes_sol/0 must be >= 0.01"],
      ["watch_exits", { mints: [] }, "/mints must NOT have fewer than 1 items"],
    ];
    for (const [name, input, reason] of wrong) {
      await assert.rejects(call(client, name, input), new RegExp(`${name}: arguments${reason}`));
    }
    await assert.rejects(call(client, "sell", {}), /There is no tool sell/);
    await client.close();
  });
});

test("the longest history that the tool names is answered", async (t) => {
  const markets = someMarkets(() => someSnapshot(), {
    history: async () => [],
    alerts: async () => [],
  });
  await oneApp(
    t,
    async ({ app }) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)) as never);
      const past = await call(client, "exit_history", { mint: SOME_MINT, hours: 744 });
      assert.equal(past.isError, false, past.content[0]?.text ?? "");
      await client.close();
    },
    { markets },
  );
});

test("where no service answers, the tool says where it asked and what to do", async (t) => {
  const client = new Client({ name: "test", version: "1" });
  const args = ["bin/exitability.mjs", "mcp", "--url", "http://127.0.0.1:1"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
  );
  closeAfter(t, () => client.close());
  const answer = await call(client, "measure_exit", { mint: SOME_MINT });
  assert.equal(answer.isError, true);
  const { message } = JSON.parse(answer.content[0]?.text ?? "");
  assert.match(message, /No service answers at http:\/\/127\.0\.0\.1:1: start one/);
});

test("where a web page answers instead of a service, the tool states it", async (t) => {
  const site = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  closeAfter(t, () => void site.close());
  const { port } = site.address() as AddressInfo;
  const client = new Client({ name: "test", version: "1" });
  const args = ["bin/exitability.mjs", "mcp", "--url", `http://127.0.0.1:${port}`];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
  );
  closeAfter(t, () => client.close());
  const answer = await call(client, "measure_exit", { mint: SOME_MINT });
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]?.text ?? "", /is not an Exitability service.*check --url/);
});

test("a redirect is not followed: no key goes where it was not sent", async (t) => {
  const keys: unknown[] = [];
  const elsewhere = createServer((request, response) => {
    keys.push(request.headers["x-api-key"]);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const moved = createServer((_request, response) => {
    const { port } = elsewhere.address() as AddressInfo;
    response.writeHead(307, { location: `http://localhost:${port}/` }).end();
  });
  for (const server of [elsewhere, moved]) {
    await once(server.listen(0), "listening");
    closeAfter(t, () => void server.close());
  }
  const { port } = moved.address() as AddressInfo;
  const args = ["bin/exitability.mjs", "mcp", "--url", `http://127.0.0.1:${port}`];
  const env = { ...process.env, EXITABILITY_API_KEY: "exi_secret" } as Record<string, string>;
  const client = new Client({ name: "test", version: "1" });
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  closeAfter(t, () => client.close());
  const answer = await call(client, "measure_exit", { mint: SOME_MINT });
  assert.deepEqual(keys, []);
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]?.text ?? "", /HTTP 307.*check --url/);
});

test("over standard input and output the same tools ask a running service", async (t) => {
  await oneApp(t, async ({ app }) => {
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new Client({ name: "test", version: "1" });
    const args = ["bin/exitability.mjs", "mcp", "--url", url];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
    );
    const measured = await call(client, "measure_exit", { mint: SOME_MINT, profile: "pro" });
    assert.equal(JSON.parse(measured.content[0]?.text ?? "").profile, "pro");
    await client.close();
  });
});

test("every request in a file or a pipe that ends is answered, and the command ends with 0", async (t) => {
  await oneApp(t, async ({ app }) => {
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const ask = (id: number) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name: "measure_exit", arguments: { mint: SOME_MINT } },
    });
    const cancelled = { method: "notifications/cancelled", params: { requestId: 2 } };
    const lines = [ask(1), ask(2), { jsonrpc: "2.0", ...cancelled }, ask(3)];
    // The last line has no end.
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const path = join(temporaryDirectory(t), "requests.jsonl");
    writeFileSync(path, text);
    const file = openSync(path, "r");
    closeAfter(t, () => closeSync(file));
    for (const input of [file, "pipe"] as const) {
      const args = ["bin/exitability.mjs", "mcp", "--url", url];
      const child = spawn(process.execPath, args, { stdio: [input, "pipe", "ignore"] });
      child.stdin?.end(text);
      const ended = once(child, "exit");
      assert.ok(child.stdout);
      const answers: readonly { id: number }[] = (await buffered(child.stdout))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(answers.map(({ id }) => id).toSorted(), [1, 3]);
    }
  });
});

test("a notification is accepted without a body", async (t) => {
  await oneApp(t, async ({ send }) => {
    const payload = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { statusCode, headers, body } = await send("POST", "/mcp", { payload });
    assert.deepEqual([statusCode, headers["content-type"], body], [202, undefined, ""]);
    // Batches are no longer part of the protocol.
    for (const many of [[], [payload]]) {
      const refused = await send("POST", "/mcp", { payload: many });
      assert.deepEqual(refusal(refused), [400, "invalid_body"]);
    }
  });
});

test("another site's page may not use the tools", async (t) => {
  await oneApp(t, async ({ send }) => {
    const headers = { origin: "https://evil.example" };
    const payload = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    assert.deepEqual(refusal(await send("POST", "/mcp", { headers, payload })), [
      403,
      "forbidden_origin",
    ]);
  });
});

test("a version of the protocol that is not known is refused", async (t) => {
  await oneApp(t, async ({ send }) => {
    const payload = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const [version, status] of [
      ["2025-06-18", 200],
      ["1999-01-01", 400],
    ] as const) {
      const headers = { "mcp-protocol-version": version };
      assert.equal((await send("POST", "/mcp", { headers, payload })).statusCode, status);
    }
  });
});
