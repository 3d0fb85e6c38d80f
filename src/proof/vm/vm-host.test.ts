import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { address } from "#src/units/address.ts";
import { LOADER_V3 } from "#src/units/known-addresses.ts";
import { VmError, VmHost } from "./vm-host.ts";
import type { VmRun } from "./vm-messages.ts";

const PROGRAM = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
const EMPTY_RUN: VmRun = {
  accounts: [],
  steps: [],
  clock: { slot: 1n, unixTimestamp: 1n, epoch: 0n },
};

function threadOf(source: string): () => Worker {
  return () => new Worker(source, { eval: true });
}

test("bytes that are not a program are refused with a reason, and the VM goes on", async () => {
  const vm = new VmHost();
  const junk = [new Uint8Array(), new Uint8Array(64).fill(0xc0), Buffer.from("\x7fELF".repeat(99))];
  for (const code of junk) {
    await assert.rejects(vm.load({ programId: PROGRAM, loader: LOADER_V3, code }), VmError);
  }
  assert.deepEqual(await vm.execute(EMPTY_RUN), []);
  await vm.close();
});

test("a thread that is starting when the host closes is ended only once it has started", async () => {
  const thread = threadOf(
    "const { parentPort } = require('node:worker_threads'); parentPort.once('message', () => parentPort.postMessage({ kind: 'ready' }));",
  )();
  const events: string[] = [];
  thread.once("message", () => events.push("ready")).once("exit", () => events.push("exit"));
  const vm = new VmHost(() => thread);
  const call = vm.execute(EMPTY_RUN);
  const closed = vm.close().then(() => events.push("closed"));
  thread.postMessage("go");
  await assert.rejects(call, VmError);
  await closed;
  assert.deepEqual(events, ["ready", "exit", "closed"]);
});

test("without the optional package every call gives the reason, and none starts a thread again", async () => {
  let threads = 0;
  const open = threadOf(
    "require('node:worker_threads').parentPort.postMessage({ kind: 'unavailable', reason: 'no litesvm' })",
  );
  const vm = new VmHost(() => {
    threads++;
    return open();
  });
  for (let call = 0; call < 3; call++) {
    await assert.rejects(vm.execute(EMPTY_RUN), { message: "no litesvm", isMissing: true });
  }
  assert.equal(threads, 1);
  await vm.close();
});

test("a thread that dies fails its own call alone: the next one has a new thread", async () => {
  let threads = 0;
  const dying = threadOf(
    "const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ kind: 'ready' }); parentPort.once('message', () => process.exit(1));",
  );
  const living = threadOf(
    "const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ kind: 'ready' }); parentPort.on('message', () => parentPort.postMessage({ kind: 'results', results: [] }));",
  );
  const vm = new VmHost(() => (threads++ === 0 ? dying() : living()));
  const first = vm.execute(EMPTY_RUN);
  const second = vm.execute(EMPTY_RUN);
  await assert.rejects(first, { message: "the VM's thread ended" });
  assert.deepEqual(await second, []);
  assert.equal(threads, 2);
  await vm.close();
});

test("a closed VM refuses further calls", async () => {
  const vm = new VmHost();
  await vm.close();
  await assert.rejects(vm.execute(EMPTY_RUN), { message: "the VM is closed" });
});
