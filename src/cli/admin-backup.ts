import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { backUpEmbedded } from "#src/store/connection/backup.ts";
import { databaseFileExists, openDatabase } from "#src/store/connection/database.ts";
import { SECRET_FILE } from "#src/users/auth-secret.ts";
import type { AdminCall, AdminPlaceDeps } from "./admin.ts";
import { noEmbeddedDatabase } from "./failure-text.ts";
import { UsageError } from "./output.ts";

/** `admin backup`: the embedded database as one file, as it is: no migration runs before it. */
export async function adminBackup(
  { words, flags }: AdminCall,
  { dataDir, databaseUrl, nowMs, output }: AdminPlaceDeps,
): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || rest.length > 0) throw new UsageError("backup FILE [--data-dir DIR]");
  if (databaseUrl !== null)
    throw new UsageError(
      "the database is a Postgres: pg_dump backs it up (docs/operations-backup.md)",
    );
  if (!databaseFileExists(dataDir)) {
    output.err(noEmbeddedDatabase(dataDir));
    return 1;
  }
  const file = resolve(name);
  const database = openDatabase({ databaseUrl: null, dataDir, access: "visitor" });
  try {
    const backup = await backUpEmbedded(database, file, nowMs);
    if (backup.kind === "file-exists") {
      output.err(`${file} exists already: a back-up is never written over`);
      return 1;
    }
    if (backup.kind === "nothing-to-copy") {
      output.err(
        `the database in ${dataDir} has no tables of the service, so nothing was written: name the service's own DATA_DIR`,
      );
      return 1;
    }
    if (flags.json === true) output.out(JSON.stringify({ file, bytes: backup.bytes }));
    else output.out(`${file}: ${backup.bytes} bytes, checked. ${secretAdvice(dataDir)}`);
    return 0;
  } finally {
    await database.close();
  }
}

/** The service's environment is not this command's: where it sets AUTH_SECRET, the file is not read. */
function secretAdvice(dataDir: string): string {
  const secretFile = join(dataDir, SECRET_FILE);
  return existsSync(secretFile)
    ? `Keep ${secretFile} with it, or AUTH_SECRET if the service has it set.`
    : "Keep the service's AUTH_SECRET with it.";
}
