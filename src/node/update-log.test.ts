import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { RecordingError } from "./recording.ts";
import { readUpdateFile, UpdateFiles } from "./update-files.ts";
import { type LogEvent, UpdateDecoder, UpdateEncoder, UpdateLogError } from "./update-log.ts";

const START_MS = Date.UTC(2026, 10, 20);

const accounts = fc.option(
  fc.record({
    owner: fc.constantFrom(TOKEN_PROGRAM, testAddress(1)),
    lamports: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    data: fc.uint8Array({ maxLength: 60 }),
  }),
  { nil: null },
);
const updates = fc.array(fc.tuple(fc.integer({ min: 2, max: 4 }), accounts, fc.nat(1_000)), {
  minLength: 1,
  maxLength: 30,
});

function eventOf(index: number, account: Omit<Account, "slot"> | null, slot: bigint): LogEvent {
  const found = account === null ? null : { ...account, slot };
  return { kind: "account", address: testAddress(index), slot, account: found };
}

test("what was written is read back: every account, at its time, also from a file that begins later", () => {
  fc.assert(
    fc.property(updates, fc.nat(29), (written, begunAt) => {
      const encoder = new UpdateEncoder();
      let nowMs = START_MS;
      let lines = [...encoder.begin(nowMs)];
      const truth = new Map<string, Account | null>();
      for (const [step, [index, account, waitedMs]] of written.entries()) {
        if (step === begunAt) lines = [...encoder.begin(nowMs)];
        nowMs += waitedMs;
        const event = eventOf(index, account, BigInt(step));
        lines.push(...encoder.lines(event, nowMs));
        truth.set(testAddress(index), event.kind === "account" ? event.account : null);
      }
      const decoder = new UpdateDecoder();
      const read = new Map<string, Account | null>();
      for (const line of lines) {
        const timed = decoder.read(line);
        if (timed === null || timed.event.kind !== "account") continue;
        assert.ok(timed.atMs <= nowMs);
        read.set(timed.event.address, timed.event.account);
      }
      const plain = (known: typeof truth) =>
        Array.from(known, ([address, account]) => {
          if (account === null) return `${address} absent`;
          return `${address} ${account.owner} ${account.lamports} ${account.data.toHex()}`;
        }).toSorted();
      assert.deepEqual(plain(read), plain(truth));
    }),
  );
});

test("an account that is as it was is not written again", () => {
  const encoder = new UpdateEncoder();
  const account = { owner: TOKEN_PROGRAM, lamports: 1n, data: new Uint8Array(165) };
  assert.equal([...encoder.lines(eventOf(2, account, 1n), 0)].length, 2);
  assert.deepEqual([...encoder.lines(eventOf(2, account, 2n), 0)], []);
  assert.deepEqual([...encoder.lines(eventOf(2, { ...account, lamports: 2n }, 0n), 0)], []);
});

test("lines that are not of a recording are refused with a reason, never read as something else", () => {
  const header = JSON.stringify({ recording: 1, atMs: START_MS });
  const whole = JSON.stringify(["w", 0, 0, 5, TOKEN_PROGRAM, "1", "AAAA"]);
  const named = JSON.stringify(["a", 0, testAddress(2)]);
  for (const [lines, reason] of [
    [["{}"], /beginning/],
    [["nonsense"], /not JSON/],
    [[header, "{}"], /not a list/],
    [[header, whole], /without an address/],
    [[header, named, '["p",0,0,5,null,0,"AA=="]'], /does not exist/],
    [[header, named, whole, '["p",0,0,5,null,3,"AA=="]'], /beyond the end/],
    [[header, named, whole, '["p",0,0,5,null,-1,"AA=="]'], /offset/],
    [[header, named, '["w",0,0,5,"x","1","AAAA"]'], /address is not valid/],
    [[header, named, `["w",0,0,5,"${TOKEN_PROGRAM}","1e9","AAAA"]`], /amount/],
    [[header, named, `["w",0,0,5,"${TOKEN_PROGRAM}","1","*"]`], /base64/],
    [[header, '["q",0]'], /unknown kind/],
    [[header, '["g",-5]'], /time/],
  ] as const) {
    const decoder = new UpdateDecoder();
    assert.throws(
      () => {
        for (const line of lines) decoder.read(line);
      },
      (error) => error instanceof UpdateLogError && reason.test(error.message),
      lines.join(" "),
    );
  }
});

test("files are rotated, the oldest deleted, and no line is lost in between", async (t) => {
  const folder = temporaryDirectory(t);
  const options = { folder, fileBytes: 20_000, totalBytes: 150_000 };
  const files = new UpdateFiles(options);
  await files.begin(START_MS);
  writeFileSync(join(folder, "mine.txt"), "kept");
  for (let step = 1; step <= 400; step++) {
    const data = crypto.getRandomValues(new Uint8Array(1_000));
    const account = { owner: TOKEN_PROGRAM, lamports: 1n, data };
    const before = files.bytes;
    files.add(eventOf(2, account, BigInt(step)), START_MS + 10_000 * step);
    // Compressed and written by other threads.
    while (files.bytes === before) await new Promise((resolve) => setImmediate(resolve));
  }
  await files.close();
  assert.equal(files.failure, null);
  const names = readdirSync(folder).filter((name) => name.startsWith("updates-"));
  const kept = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(names.length > 1 && kept < 200_000 && kept < files.bytes, `${names.length}, ${kept}`);
  assert.ok(readdirSync(folder).includes("mine.txt"));
  const slots: bigint[] = [];
  for (const name of names.toSorted()) {
    for await (const { event } of readUpdateFile(join(folder, name))) {
      if (event.kind === "account" && event.slot > (slots.at(-1) ?? 0n)) slots.push(event.slot);
    }
  }
  const [first = 0n] = slots;
  assert.deepEqual(
    slots,
    slots.map((_, index) => first + BigInt(index)),
  );
  assert.equal(slots.at(-1), 400n);
});

test("files follow each other by name where the clock stops or goes back", async (t) => {
  const folder = temporaryDirectory(t);
  const files = new UpdateFiles({ folder, fileBytes: 1, totalBytes: 1e9 });
  await files.begin(START_MS);
  let step = 0;
  while (readdirSync(folder).length < 4 && files.failure === null) {
    step++;
    const account = { owner: TOKEN_PROGRAM, lamports: 1n, data: randomBytes(20_000) };
    files.add(eventOf(2, account, BigInt(step)), START_MS - (step > 3 ? 5_000 : 0));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await files.close();
  assert.equal(files.failure, null);
  const slots: bigint[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    for await (const { event } of readUpdateFile(join(folder, name)))
      if (event.kind === "account") slots.push(event.slot);
  }
  assert.deepEqual(
    slots,
    slots.toSorted((a, b) => Number(a - b)),
  );
  assert.equal(slots.at(-1), BigInt(step));
});

test("a folder that can't be written, and a file that is none, fail with the name", async (t) => {
  const folder = temporaryDirectory(t);
  const file = join(folder, "file");
  writeFileSync(file, gzipSync('{"recording":1,"atMs":0}\nnonsense\n["g",0]\n'));
  await assert.rejects(
    new UpdateFiles({ folder: file, fileBytes: 1, totalBytes: 1 }).begin(0),
    RecordingError,
  );
  const read = async (path: string) => {
    for await (const _ of readUpdateFile(path));
  };
  await assert.rejects(read(file), /file: line 2: not JSON/);
  await assert.rejects(read(join(folder, "none")), RecordingError);
});
