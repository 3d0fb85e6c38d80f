import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, address } from "#src/units/address.ts";
import { PROGRAM_CACHE } from "./pump-crate.ts";

/** Compiled programs for tests and benches by hand; no binary is ever committed. */

/** The file of each program: of the crate that `tools/fetch-programs.ts` fetches, or public copies. */
const FILES: readonly (readonly [Address, string])[] = [
  [address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"), "pump.so"],
  [address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"), "pump_amm.so"],
  [address("pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ"), "pump_fees.so"],
  [address("675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8"), "raydium_amm_v4.so"],
  [address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C"), "raydium_cpmm.so"],
  [address("CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK"), "raydium_clmm.so"],
  [address("whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc"), "whirlpool_20250911.so"],
  [address("LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo"), "dlmm_prod.so"],
  [address("cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG"), "cp_amm.so"],
  [address("dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN"), "dbc.so"],
  [address("Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB"), "damm_v1.so"],
  [address("24Uqj9JCLxUeoC3hGfh5W3s9FM9uCHDS2SG3LYwBpyTi"), "meteora_vault.so"],
  [address("LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn"), "meteora_locker.so"],
];

/** Where programs are looked for: PROGRAMS_DIR, then what was fetched. */
function programFolders(): readonly string[] {
  const own = process.env.PROGRAMS_DIR;
  return own === undefined || own === "" ? [PROGRAM_CACHE] : [own, PROGRAM_CACHE];
}

/** The compiled program, or null if no folder has its file. */
export function programFile(programId: Address): Uint8Array | null {
  const name = FILES.find(([id]) => id === programId)?.[1];
  if (name === undefined) return null;
  const path = programFolders()
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  return path === undefined ? null : readFileSync(path);
}
