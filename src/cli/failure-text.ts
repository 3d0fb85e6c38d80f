import { DamagedFileError } from "#src/accuracy/recorded-file.ts";
import { mayPass, RpcFailure } from "#src/chain/rpc/rpc-failure.ts";
import { AppError } from "#src/platform/app-error.ts";
import { reasonOf } from "#src/platform/failure-log.ts";
import { DirectoryInUseError } from "#src/store/connection/directory-lock.ts";
import { OtherTablesError } from "#src/store/connection/migrate.ts";
import { StorageError, sqliteAdvice } from "#src/store/connection/storage-fault.ts";
import { DatabaseUnavailable } from "#src/store/connection/watched-client.ts";
import { AlreadyTrackedError } from "#src/store/lead-alone.ts";
import { MoveRefusedError } from "#src/store/move/move-refused-error.ts";

/** What an operator can do about an operating system failure, by its code. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  EADDRINUSE: "set PORT (or METRICS_PORT) to one that is free",
  EADDRNOTAVAIL: "set HOST to an address of this machine",
  EACCES: "let this user read and write there, or name another place",
  EPERM: "it belongs to another user: start as that user, or name another place",
  ECONNREFUSED: "nothing listens there: start it, or correct the address",
  ENOTFOUND: "no such host: correct the address",
  EROFS: "the file system is read-only: set DATA_DIR to a directory that this user may write",
  ENOSPC: "the disk is full: free some space, then start again",
};

const NO_DIRECTORY = "no directory can be created there: name another place";
/** The same by syscall and code. */
const OF_SYSCALLS: Readonly<Record<string, string>> = {
  "listen EACCES": "set PORT (or METRICS_PORT) to 1024 or above, or let this user have lower ones",
  "mkdir ENOENT": NO_DIRECTORY,
  "mkdir ENOTDIR": NO_DIRECTORY,
  "mkdir EEXIST": "a file has this name: name another place",
};

/**
 * One sentence for a failure outside this program; null for our own bugs, whose stack is more useful.
 */
export function failureText(error: unknown): string | null {
  if (error instanceof DatabaseUnavailable)
    return `the database can't be reached: ${reasonOf(error.cause)}; start it, or correct its address`;
  if (error instanceof AppError) return nodeAdvice(error.cause) ?? error.publicMessage;
  const isOurs =
    error instanceof DamagedFileError ||
    error instanceof DirectoryInUseError ||
    error instanceof StorageError ||
    error instanceof AlreadyTrackedError ||
    error instanceof MoveRefusedError ||
    error instanceof OtherTablesError;
  if (isOurs) return error.message;
  // One error for each address (IPv4, IPv6), with the same cause.
  if (error instanceof AggregateError) return failureText(error.errors[0]);
  const advice = sqliteAdvice(error);
  if (advice !== null) return `the embedded database: ${advice}`;
  return error instanceof Error ? machineFailure(error) : null;
}

/** Why an operator's task finds nothing to work on, and what to name instead. */
export function noEmbeddedDatabase(dataDir: string): string {
  return `there is no embedded database in ${dataDir}: name the service's own by DATA_DIR or --data-dir`;
}

/** One line for work that failed and is tried again; with what to correct, if that can't help. */
export function failedWork(what: string, cause: unknown): string {
  const advice = cause instanceof AppError ? nodeAdvice(cause.cause) : failureText(cause);
  return advice === null ? `failed to ${what}; trying again` : `failed to ${what}: ${advice}`;
}

/** What the operating system says where nothing listens at an address. */
const ABSENT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND"]);

/** What to correct if the node can't answer before its address or key is; null: it may answer later. */
function nodeAdvice(cause: unknown): string | null {
  if (!(cause instanceof RpcFailure)) return null;
  const { failure, message } = cause;
  if (failure.kind === "unreachable") {
    const code = codeOf(cause.cause);
    if (code === null || !ABSENT.has(code)) return null;
    return `${message} (${code}): correct SOLANA_RPC_URL, or start the node`;
  }
  if (mayPass(cause) || failure.kind === "too-large") return null;
  const isKey = failure.kind === "http" && (failure.status === 401 || failure.status === 403);
  return isKey
    ? `the node refuses the key (HTTP ${failure.status}): correct the key in SOLANA_RPC_URL`
    : `${message}: check the address and the key in SOLANA_RPC_URL`;
}

/** The operating system's code for a failed fetch, which is the innermost cause. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return "code" in error && typeof error.code === "string" ? error.code : codeOf(error.cause);
}

/** An error of the operating system (it has a syscall) or of Postgres (it has a severity). */
function machineFailure(error: Error): string | null {
  if ("syscall" in error && "code" in error) {
    const advice = OF_SYSCALLS[`${error.syscall} ${error.code}`] ?? WHAT_TO_DO[String(error.code)];
    return advice === undefined ? error.message : `${error.message}; ${advice}`;
  }
  return "severity" in error ? `the database refuses: ${error.message}` : null;
}
