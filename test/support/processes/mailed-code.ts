import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";

const PATIENCE_MS = 10_000;

/** The code that a running service mails to an address, in a file that was not there `before`; waits for it. */
export function mailedCode(
  dataDir: string,
  email: string,
  { before = [], withinMs = PATIENCE_MS }: { before?: readonly string[]; withinMs?: number } = {},
): Promise<string> {
  const look = () =>
    mailFiles(dataDir)
      .filter((file) => !before.includes(file))
      .map((file) => codeIn(readFileSync(file, "utf8"), email))
      .find((code) => code !== null) ?? null;
  return eventually(`a mail with a code to ${email}`, look, withinMs);
}

/** The paths of all mails that a service without a mail server has written. */
export function mailFiles(dataDir: string): readonly string[] {
  const directory = join(dataDir, "mail");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => join(directory, name));
}

function codeIn(mail: string, email: string): string | null {
  return mail.includes(email) ? (/code is (\d{6})/.exec(mail)?.[1] ?? null) : null;
}
