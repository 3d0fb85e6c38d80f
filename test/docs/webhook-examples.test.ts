import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { signatureHeaders, webhookSecret } from "#src/alerts/delivery/webhook-signature.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";

const run = promisify(execFile);
const PAGE = readFileSync("docs/webhooks.md", "utf8");

/** Runs a language's example on a message. @returns whether it takes the message for genuine */
type Judge = (message: Message, directory: string) => Promise<boolean>;
type Message = {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

function exampleIn(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(PAGE) ?? [];
  assert.ok(code !== undefined, `the page has no example in ${language}`);
  return code;
}

const JUDGES: Readonly<Record<string, Judge>> = {
  async js({ secret, headers, body }, directory) {
    const file = join(directory, "example.mjs");
    writeFileSync(file, exampleIn("js"));
    const { isGenuine } = (await import(file)) as {
      readonly isGenuine: (secret: string, headers: object, body: Buffer) => boolean;
    };
    return isGenuine(secret, headers, Buffer.from(body));
  },
  async python({ secret, headers, body }, directory) {
    const call = `import json, sys\nsecret, headers, body = json.loads(sys.argv[1])\nprint(is_genuine(secret, headers, body.encode()))\n`;
    const file = join(directory, "example.py");
    writeFileSync(file, `${exampleIn("python")}\n${call}`);
    const { stdout } = await run("python3", [file, JSON.stringify([secret, headers, body])]);
    return stdout === "True\n";
  },
  sh: judgeIn("sh"),
  // Evaluates more in arithmetic.
  bash: judgeIn("bash"),
};

/** The example for shells, run by one of them. */
function judgeIn(shell: string): Judge {
  return async ({ secret, headers, body }, directory) => {
    const [file, bodyFile] = [join(directory, "example.sh"), join(directory, "body.json")];
    writeFileSync(bodyFile, body);
    writeFileSync(
      file,
      `${exampleIn("sh")}\nif is_genuine "$@"; then echo yes; else echo no; fi\n`,
    );
    const values = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
      (name) => headers[name] ?? "",
    );
    const { stdout } = await run(shell, [file, secret, ...values, bodyFile]);
    return stdout === "yes\n";
  };
}

for (const [language, judge] of Object.entries(JUDGES)) {
  test(`the ${language} example accepts our signature, and no other message, secret or time`, async (t) => {
    const directory = temporaryDirectory(t);
    const secret = webhookSecret("the service's own secret", "nonce");
    const body = '{"type":"channel.test","data":{"text":"ñ 路"}}';
    const nowMs = Date.now();
    const headers = signatureHeaders(secret, { uid: "msg_1", body, nowMs });
    const old = signatureHeaders(secret, { uid: "msg_1", body, nowMs: nowMs - 600_000 });
    assert.equal(await judge({ secret, headers, body }, directory), true);
    const other = webhookSecret("the service's own secret", "another");
    assert.equal(await judge({ secret: other, headers, body }, directory), false);
    assert.equal(await judge({ secret, headers, body: `${body} ` }, directory), false);
    assert.equal(await judge({ secret, headers: old, body }, directory), false);
    // What anyone may post to the URL: refused, without an error of the receiver, and never executed.
    const executed = join(directory, "executed");
    for (const [name, ...values] of [
      ["webhook-timestamp", "soon", "08", "", "9".repeat(5_000), `a[$(touch ${executed})]`],
      ["webhook-signature", "v1,ñ v2 =", "", `$(touch ${executed})`],
    ] as const) {
      const { [name]: _absent, ...others } = headers;
      for (const strange of [others, ...values.map((value) => ({ ...headers, [name]: value }))])
        assert.equal(await judge({ secret, headers: strange, body }, directory), false, name);
    }
    assert.ok(!existsSync(executed), "a header was executed");
    const renamed = { ...headers, "webhook-id": "msg_2" };
    assert.equal(await judge({ secret, headers: renamed, body }, directory), false);
  });
}
