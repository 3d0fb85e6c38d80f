import { parseArgs } from "node:util";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { rememberReads } from "#src/chain/remembering-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { createLocalNode } from "#src/node/node.ts";
import { readRecordedAccounts } from "#src/node/recorded-accounts.ts";
import { RecordingError, writeRecording } from "#src/node/recording.ts";
import { searchKeyOf } from "#src/node/search-key.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { mintArgument } from "./mint-argument.ts";
import { type Output, UsageError } from "./output.ts";

const USAGE = "exitability record MINT DIR";

export type RecordDeps = {
  readonly source: ChainSource;
  /** One assessment as text; null if the token has no pool. Reads only from `source`. */
  readonly measure: (source: ChainSource, mint: Address) => Promise<string | null>;
  readonly output: Output;
};

export type RecordArguments = { readonly mint: Address; readonly folder: string };

/** `MINT DIR`. @throws UsageError that names the right arguments; the error of parseArgs */
export function recordArguments(args: readonly string[]): RecordArguments {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const [mintText, folder, ...rest] = positionals;
  if (mintText === undefined || folder === undefined || rest.length > 0) {
    throw new UsageError(`name a mint and a folder: ${USAGE}`);
  }
  return { mint: mintArgument([mintText], USAGE), folder };
}

/**
 * Writes every account of an assessment to the folder, with the Clock sysvar, then measures from these
 * files and prints the result, which `measure` with the folder as ACCOUNTS_DIR prints too.
 *
 * @returns the exit code: 0 written, 1 no such token
 */
export async function record({ mint, folder }: RecordArguments, deps: RecordDeps): Promise<number> {
  const { source, remembered } = rememberReads(deps.source);
  if ((await deps.measure(source, mint)) === null) {
    deps.output.err(`${mint}: no pool was found, so nothing was recorded`);
    return 1;
  }
  if (!remembered.accounts.has(CLOCK_SYSVAR)) await source.readAccounts([CLOCK_SYSVAR]);
  const files = await write(folder, remembered);
  for (const address of remembered.unknown) {
    deps.output.err(`${address}: the node returned nothing; it is recorded as absent`);
  }
  deps.output.out((await replay(folder, mint, deps)) ?? "");
  deps.output.out(`\n${files} accounts in ${folder}; measure them again with:`);
  deps.output.out(`  ACCOUNTS_DIR=${folder} npx exitability measure ${mint}`);
  return 0;
}

async function write(
  folder: string,
  remembered: ReturnType<typeof rememberReads>["remembered"],
): Promise<number> {
  try {
    return await writeRecording(folder, {
      accounts: remembered.accounts,
      refusedSearches: remembered.refusedSearches.map(searchKeyOf),
    });
  } catch (error) {
    if (error instanceof RecordingError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Measures the written files, through a node of its own. */
async function replay(folder: string, mint: Address, deps: RecordDeps): Promise<string | null> {
  const ledger = await readRecordedAccounts(folder, systemClock.nowMs());
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const source = createRpcSource({
    ...urls,
    origin: "recorded",
    clock: systemClock,
    random: Math.random,
  });
  try {
    return await deps.measure(source, mint);
  } finally {
    await source.close();
    await node.close();
  }
}
