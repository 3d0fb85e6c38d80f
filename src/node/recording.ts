import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "#src/platform/make-directory.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { accountText } from "./account-json.ts";
import type { SearchKey } from "./search-key.ts";

/** Stored beside the account files if the recorded node refused searches: the replaying node refuses them too. */
const REFUSALS_FILE = "refused-searches.txt";

/** A folder of recorded accounts, or a file in it, is not valid. */
export class RecordingError extends Error {
  constructor(file: string, detail: string, cause?: unknown) {
    super(`${file}: ${detail}`, { cause });
    this.name = "RecordingError";
  }
}

export type Recording = {
  /** Null: it did not exist; a recording has no file for it. */
  readonly accounts: ReadonlyMap<Address, Account | null>;
  readonly refusedSearches: readonly SearchKey[];
};

/**
 * Writes accounts to a folder, one file each, in the form that `solana account --output json`
 * writes. The folder is created; it must not hold other accounts.
 *
 * @returns how many files were written
 * @throws RecordingError where the folder holds accounts already
 */
export async function writeRecording(folder: string, recording: Recording): Promise<number> {
  makeDirectory(folder);
  const present = await readdir(folder);
  if (present.some((name) => name.endsWith(".json"))) {
    throw new RecordingError(folder, "holds accounts already; name a new folder");
  }
  let written = 0;
  for (const [address, account] of recording.accounts) {
    if (account === null) continue;
    await writeFile(join(folder, `${address}.json`), accountFileText(address, account));
    written++;
  }
  if (recording.refusedSearches.length > 0) {
    const lines = [...new Set(recording.refusedSearches)].toSorted();
    await writeFile(join(folder, REFUSALS_FILE), `${lines.join("\n")}\n`);
  }
  return written;
}

/** The searches that the recorded node refused; none without their file. */
export async function readRefusedSearches(folder: string): Promise<ReadonlySet<SearchKey>> {
  try {
    const text = await readFile(join(folder, REFUSALS_FILE), "utf8");
    return new Set(text.split("\n").filter((line) => line !== "") as SearchKey[]);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Set();
    throw error;
  }
}

/** An account as `solana account ADDRESS --output json` prints it, without line breaks. */
export function accountFileText(address: Address, account: Account): string {
  return `{"pubkey":"${address}","account":${accountText(account, "base64")}}\n`;
}
