import { parentPort } from "node:worker_threads";
import { assertNever } from "#src/platform/assert-never.ts";
import { loadNative } from "./native.ts";
import { Vm } from "./vm.ts";
import type { FromVm, ToVm } from "./vm-messages.ts";

/** The thread that runs the VM: programs are hostile until their sale is done, and a call blocks. */
const port = parentPort;
if (port === null) throw new Error("this file must run in a worker thread");
const send = (message: FromVm): void => port.postMessage(message);

const vm = open();
if (vm !== null) {
  port.on("message", (message: ToVm) => {
    try {
      send(answer(vm, message));
    } catch (cause) {
      send({ kind: "failed", reason: reasonOf(cause) });
    }
  });
  send({ kind: "ready" });
}

function open(): Vm | null {
  try {
    return new Vm(loadNative());
  } catch (cause) {
    send({ kind: "unavailable", reason: reasonOf(cause) });
    return null;
  }
}

function answer(running: Vm, message: ToVm): FromVm {
  switch (message.kind) {
    case "load":
      running.load(message.program);
      return { kind: "loaded" };
    case "execute":
      return { kind: "results", results: running.execute(message.run) };
    default:
      return assertNever(message);
  }
}

/** The first line: a missing module lists every path that was tried. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n", 1)[0]?.slice(0, 200) ?? "";
}
