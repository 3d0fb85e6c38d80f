import { createHmac, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StorageError } from "#src/store/connection/storage-fault.ts";

/** In the folder of the embedded database. */
export const SECRET_FILE = "auth-secret";
const SECRET_BYTES = 32;
const SHORTEST = 32;

/**
 * The secret that signs sessions: the operator's, or one generated once and stored beside the embedded
 * database, in a file that only its owner can read.
 *
 * @throws StorageError if the file holds less than a whole secret: a process that was killed while it wrote the
 *   file leaves it empty
 */
export function loadAuthSecret(settings: {
  /** Null: there is an embedded database, and `dataDir` is its folder. */
  readonly authSecret: string | null;
  readonly dataDir: string;
}): string {
  const { authSecret, dataDir } = settings;
  if (authSecret !== null) return authSecret;
  const file = join(dataDir, SECRET_FILE);
  try {
    const made = randomBytes(SECRET_BYTES).toString("base64url");
    writeFileSync(file, made, { mode: 0o600, flag: "wx", flush: true });
    return made;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    const secret = readFileSync(file, "utf8");
    if (secret.length >= SHORTEST) return secret;
    throw new StorageError(
      `${file} holds no whole secret: restore it from a back-up, or delete it, after which all users sign in again and each webhook receiver needs its new signing secret`,
    );
  }
}

/** Derives a secret per purpose, so that a leaked one does not reveal another. */
export function secretFor(purpose: string, authSecret: string): string {
  return createHmac("sha256", authSecret).update(`exitability:${purpose}`).digest("base64url");
}
