import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { demoMint } from "#test/support/processes/dashboard.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { subscribe } from "#test/support/processes/subscriber.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { pythonTools } from "./python.ts";

const run = promisify(execFile);
const PAGE = readFileSync("docs/python.md", "utf8");
const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** Reads answers by the generated types, and prints what is not written back as it came. */
const READ_AND_WRITE = `
import json, os, re, sys
from importlib import import_module

from exitability_client import AuthenticatedClient

client = AuthenticatedClient(os.environ["EXITABILITY_URL"], os.environ["EXITABILITY_API_KEY"],
                             prefix="", auth_header_name="x-api-key")

def times_alike(text):
    time = r"T(\\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d{3})\\d*)?(?:Z|\\+00:00)"
    return re.sub(time, lambda found: f"T{found[1]}.{found[2] or '000'}Z", text)

for place, arguments, _ in json.loads(sys.argv[1]):
    operation = import_module("exitability_client.api." + place)
    answer = operation.sync_detailed(*arguments, client=client)
    sent = json.loads(times_alike(answer.content.decode()))
    read = json.loads(times_alike(json.dumps(answer.parsed.to_dict())))
    if sent != read:
        print(place, answer.status_code.value, sent, read)
    else:
        print(place, answer.status_code.value)
`;

/** Operations and their arguments, with the status that each answers. */
function questions(mint: string): readonly (readonly [string, readonly string[], number])[] {
  const aboutTokens = [
    "exitability.get_exitability",
    "exitability.get_curve",
    "exitability.get_stressed_exit",
    "exitability.get_holders_first",
    "token.get_token",
    "token.get_pools",
    "token.get_history",
  ];
  return [
    ...aboutTokens.map((place) => [place, [mint], 200] as const),
    ["service.get_status", [], 200],
    ["service.get_accuracy", [], 200],
    ["service.get_examples", [], 200],
    ["exitability.get_exit_at", [mint], 400],
    ["exitability.get_exitability", ["nonsense"], 404],
    ["watchlist.list_watchlist", [], 401],
  ];
}

test("a Python client generated from the service's document reads its answers and draws them", {
  timeout: 300_000,
}, async (t) => {
  const tools = pythonTools(t);
  if (tools === null) return;
  const place = sqlitePlace(t);
  const service = await startTestService(t, place, { ACCOUNTS_DIR: "" });
  const { apiKey } = await subscribe(service, place, "analyst@example.com");
  const directory = temporaryDirectory(t);
  const environment = {
    ...tools,
    PYTHONPATH: await generate({ url: service.url, directory, tools }),
    EXITABILITY_URL: service.url,
    EXITABILITY_API_KEY: apiKey,
  };
  const python = async (...args: readonly string[]) =>
    (await run("python", args, { cwd: directory, env: environment })).stdout;

  await t.test("every answer is read by its type and written back as it came", async () => {
    const script = join(directory, "read_and_write.py");
    writeFileSync(script, READ_AND_WRITE);
    const asked = questions(demoMint("Three"));
    assert.deepEqual(
      (await python(script, JSON.stringify(asked))).trim().split("\n"),
      asked.map(([place, , status]) => `${place} ${status}`),
    );
  });

  await t.test("the page's example prints the state and the loss of 5 SOL", async () => {
    const script = join(directory, "page.py");
    const [, code = ""] = /^```python\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
    writeFileSync(
      script,
      code.replace("http://127.0.0.1:8080", service.url).replace("exi_...", apiKey),
    );
    assert.match(await python(script), /^ok \d+\.\d+\n$/);
  });

  await t.test("the example draws a cost curve and a drain", async () => {
    const example = resolve("examples", "draw-exits.py");
    assert.equal(await python(example, demoMint("Drain")), "cost-curve.png\ndrain.png\n");
    for (const name of ["cost-curve.png", "drain.png"]) {
      const image = readFileSync(join(directory, name));
      assert.deepEqual(image.subarray(0, PNG.length), PNG, name);
    }
  });

  await t.test(
    "the example ends with the service's own words where it gets no answer",
    async () => {
      const example = resolve("examples", "draw-exits.py");
      await assert.rejects(python(example, "nonsense"), /404: nonsense is not a Solana address/);
    },
  );
});

type Generation = {
  readonly url: string;
  readonly directory: string;
  readonly tools: Readonly<Record<string, string>>;
};

/** Generates the client, without leaving an operation or a schema out. @returns its folder */
async function generate({ url, directory, tools }: Generation): Promise<string> {
  const client = join(directory, "exitability-client");
  const args = ["generate", "--url", `${url}/openapi.json`, "--output-path", client];
  const options = { cwd: directory, env: { ...tools } };
  const { stdout, stderr } = await run("openapi-python-client", args, options);
  assert.equal(`${stdout}${stderr}`.trim(), `Generating ${client}`);
  return client;
}
