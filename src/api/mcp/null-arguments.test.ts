import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp } from "#test/support/api/app.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { prepareTools } from "./tool.ts";
import { TOOLS } from "./tools.ts";

test("a call whose arguments are null, absent or no object is invalid by its parameters, and never an internal error", async (t) => {
  await oneApp(t, async ({ send }) => {
    const errorOf = async (params: object | undefined) => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { error } = (await send("POST", "/mcp", { payload: message })).json();
      return error as { readonly code: number; readonly message: string };
    };
    const name = "measure_exit";
    for (const params of [{ name, arguments: null }, { name }]) {
      const { code, message } = await errorOf(params);
      assert.equal(code, -32602);
      assert.match(message, /measure_exit: arguments must have required property 'mint'/);
    }
    for (const given of ["mint", [SOME_MINT], 1, true]) {
      const { code, message } = await errorOf({ name, arguments: given });
      assert.equal(code, -32602, message);
      assert.match(message, /"arguments"/);
    }
    for (const params of [undefined, {}, { name: 5 }, { name: null }]) {
      const { code, message } = await errorOf(params);
      assert.equal(code, -32602, message);
      assert.match(message, /"name"/);
    }
  });
});

test("an optional argument that is null counts as left out, and a required one is refused", async (t) => {
  const markets = someMarkets(() => someSnapshot());
  await oneApp(
    t,
    async ({ send }) => {
      const askedFor = async (given: object) => {
        const params = { name: "measure_exit", arguments: given };
        const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
        return (await send("POST", "/mcp", { payload: message })).json();
      };
      const { result } = await askedFor({ mint: SOME_MINT, size: null, profile: null });
      assert.equal(result.structuredContent.state, "ok");
      const { error } = await askedFor({ mint: null });
      assert.equal(error.code, -32602);
    },
    { markets },
  );
});

test("every tool takes null for each argument that it does not require, and for no other name", () => {
  for (const tool of prepareTools(TOOLS)) {
    const { properties, required } = tool.inputSchema;
    const given = { mint: SOME_MINT, mints: [SOME_MINT], sizes_sol: [1] };
    const input = Object.fromEntries(
      Object.keys(properties).map((name) => [
        name,
        required?.includes(name) === true ? given[name as keyof typeof given] : null,
      ]),
    );
    assert.equal(tool.refusalOf({ ...input }), null, tool.name);
    assert.match(tool.refusalOf({ ...input, nonsense: null }) ?? "", /nonsense/);
  }
});
