import type { ChainSource } from "#src/chain/chain-source.ts";
import { rememberReads } from "#src/chain/remembering-source.ts";
import { createRpcSource } from "#src/chain/rpc-source.ts";
import { createLocalNode } from "#src/local-node/node.ts";
import { readRecordedAccounts } from "#src/local-node/recorded-accounts.ts";
import { RecordingError, writeRecording } from "#src/local-node/recording.ts";
import { searchKeyOf } from "#src/local-node/search-key.ts";
import { systemNowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { mintArgument } from "./mint-argument.ts";
import { type Output, UsageError } from "./output.ts";

const USAGE = "exitability record MINT DIR";

export type RecordDeps = {
  readonly source: ChainSource;
  /** One assessment as text, or null where the token has no pool. Everything is read from `source`. */
  readonly measure: (source: ChainSource, mint: Address) => Promise<string | null>;
  readonly output: Output;
};

/**
 * `record MINT DIR`: writes every account behind an assessment to DIR, the Clock sysvar included,
 * then measures from what it wrote and prints that: `measure` with ACCOUNTS_DIR=DIR says the same.
 *
 * @returns the exit code: 0 written, 1 no such token
 */
export async function record(args: readonly string[], deps: RecordDeps): Promise<number> {
  const [mintText, folder, ...rest] = args;
  if (mintText === undefined || folder === undefined || rest.length > 0) {
    throw new UsageError(`name a mint and a folder: ${USAGE}`);
  }
  const mint = mintArgument([mintText], USAGE);
  const { source, remembered } = rememberReads(deps.source);
  if ((await deps.measure(source, mint)) === null) {
    deps.output.err(`${mint}: no pool was found, so nothing was recorded`);
    return 1;
  }
  if (!remembered.accounts.has(CLOCK_SYSVAR)) await source.readAccounts([CLOCK_SYSVAR]);
  const files = await write(folder, remembered);
  for (const address of remembered.unknown) {
    deps.output.err(`${address}: the node told nothing of it; the recording has it as absent`);
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

/** Measures what was written, through a node of its own. */
async function replay(folder: string, mint: Address, deps: RecordDeps): Promise<string | null> {
  const ledger = await readRecordedAccounts(folder, systemNowMs());
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const source = createRpcSource({
    ...urls,
    origin: "recorded",
    nowMs: systemNowMs,
    random: Math.random,
  });
  try {
    return await deps.measure(source, mint);
  } finally {
    await source.close();
    await node.close();
  }
}
