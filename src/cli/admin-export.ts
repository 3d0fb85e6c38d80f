import { randomUUID } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { EXPORTS, exportDay, parseDay } from "#src/export/export-day.ts";
import { claimName } from "#src/store/connection/backup.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { UsageError } from "./output.ts";

/** `admin export history|accuracy DAY FILE`: one day of a record as a Parquet file. */
export async function adminExport(
  { words, flags }: AdminCall,
  { store, output }: AdminDeps,
): Promise<number> {
  const [what, date = "", name, ...rest] = words;
  const kind = EXPORTS.find((one) => one === what);
  const day = parseDay(date);
  if (kind === undefined || day === null || name === undefined || rest.length > 0)
    throw new UsageError("export history|accuracy YYYY-MM-DD FILE");
  const path = resolve(name);
  const refuse = (): number => {
    output.err(`${path} exists already: an export is never written over`);
    return 1;
  };
  if (existsSync(path)) return refuse();
  // The file appears under its name when it is whole.
  const partPath = `${path}.${randomUUID()}.part`;
  try {
    const rows = await exportDay(store, { kind, day, path: partPath });
    if (!claimName(partPath, path)) return refuse();
    const { size: bytes } = statSync(path);
    if (flags.json === true) output.out(JSON.stringify({ file: path, rows, bytes }));
    else output.out(`${path}: ${rows} rows, ${bytes} bytes`);
    return 0;
  } finally {
    rmSync(partPath, { force: true });
  }
}
