import type { NativeError } from "./native.ts";

/** InstructionErrorFieldless of litesvm, by number: an ambient enum has no values at run time. */
const INSTRUCTION_ERRORS: Readonly<Record<number, string>> = {
  3: "invalid account data",
  5: "insufficient funds",
  6: "incorrect program id",
  9: "uninitialized account",
  19: "not enough accounts",
  26: "program modified",
  29: "unsupported program id",
  32: "reentrancy",
  34: "invalid seeds",
  36: "compute budget exceeded",
  38: "the program's environment could not be set up",
  39: "the program did not complete",
  40: "the program could not be compiled",
  45: "arithmetic overflow",
};

/** TransactionErrorFieldless of litesvm. */
const TRANSACTION_ERRORS: Readonly<Record<number, string>> = {
  2: "an account does not exist",
  3: "the program does not exist",
  12: "the program can't be executed",
  33: "too many programs",
};

/** Why a transaction failed, in a few words: the program's own error and its last log line. */
export function errorText(error: NativeError, logs: readonly string[]): string {
  const line = lastLine(logs);
  return line === null ? nameOf(error) : `${nameOf(error)}: ${line}`;
}

function nameOf(error: NativeError): string {
  if (typeof error === "number") {
    return TRANSACTION_ERRORS[error] ?? `transaction error ${String(error)}`;
  }
  const inner = error.err?.();
  if (inner === undefined) return error.constructor.name;
  if (typeof inner === "number") {
    return INSTRUCTION_ERRORS[inner] ?? `instruction error ${String(inner)}`;
  }
  return inner.code === undefined ? "program error" : `program error ${inner.code}`;
}

/** The program's last log line: a message of Anchor, or its own; else what the VM ended it for. */
function lastLine(logs: readonly string[]): string | null {
  const last = logs.findLast((line) => line.startsWith("Program log: "));
  if (last !== undefined) return last.slice("Program log: ".length, 213);
  const [, failure] = /^Program \w+ failed: (.{1,200})/.exec(logs.at(-1) ?? "") ?? [];
  return failure ?? null;
}
