import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync } from "node:fs";

export type Confined = {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: { readonly uid: number; readonly gid: number };
  /** The one place that it may write to. */
  readonly dataDir: string;
};

/** Whether a process can be given a file system that it can't write to: Linux, and root. */
export const CAN_CONFINE =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["--mount", "mount", "-o", "remount,bind,ro", "/"]).status === 0;

const READ_ONLY_BUT_DATA = [
  'mount --bind "$DATA_DIR" "$DATA_DIR"',
  "mount -o remount,bind,ro /",
  // The data directory may be on the same file system: its own mount stays as it was.
  'exec setpriv --reuid "$RUN_UID" --regid "$RUN_GID" --clear-groups --no-new-privs --bounding-set=-all -- "$@"',
].join(" && ");

/**
 * Starts a command as a container does: as another user without any capability, over a file system
 * that is read-only but for the data directory. Where that can't be had (`CAN_CONFINE`), as who we are.
 */
export function startConfined({ command, user, ...rest }: Confined): ChildProcess {
  const { directory: cwd, environment, dataDir } = rest;
  const stdio = "pipe";
  if (!CAN_CONFINE) return spawn(command[0], command.slice(1), { cwd, stdio, env: environment });
  chownSync(dataDir, user.uid, user.gid);
  const env = {
    ...environment,
    DATA_DIR: dataDir,
    RUN_UID: String(user.uid),
    RUN_GID: String(user.gid),
    PATH: process.env.PATH,
  };
  const shell = ["--mount", "sh", "-c", READ_ONLY_BUT_DATA, "confined", ...command];
  return spawn("unshare", shell, { cwd, stdio, env });
}
