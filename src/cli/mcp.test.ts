import assert from "node:assert/strict";
import { test } from "node:test";
import { silence, startScriptedServer } from "#test/support/chain/scripted-server.ts";
import { askOver } from "./mcp.ts";

test("a service that answers late is not taken for one that is not there", async (t) => {
  const { url } = await startScriptedServer(t, silence);
  const { status, text } = await askOver(url, null, 50)("GET", "/api/status");
  const { error, message } = JSON.parse(text);
  assert.deepEqual([status, error], [0, "timeout"]);
  assert.match(message, /did not answer within 0\.05 s/);
});
