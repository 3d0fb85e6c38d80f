import { parseArgs } from "node:util";
import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { observedSource } from "#src/chain/observed-source.ts";
import { searchKeyOf } from "#src/node/search-key.ts";
import { UpdateFiles } from "#src/node/update-files.ts";
import { systemClock, type WallClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { failedWork } from "./failure-text.ts";
import { mintArgument } from "./mint-argument.ts";
import { type Output, UsageError } from "./output.ts";
import { stopSignal } from "./stop-signal.ts";

const USAGE = "exitability record --follow DIR MINT... [--max-mb N]";
const MAX_TOKENS = 200;
const MAX_MB = 100_000;
const FILES = 20;

/** The same source, which writes every account that passes to the files. */
export function recordedSource(
  source: ChainSource,
  files: Pick<UpdateFiles, "add">,
  clock: WallClock,
): ChainSource {
  return observedSource(source, {
    onUpdate: ({ address, account, slot }) =>
      files.add({ kind: "account", address, account, slot }, clock.nowMs()),
    onSearch: (filter, result) => {
      if (result.kind === "refused") {
        files.add({ kind: "refused", key: searchKeyOf(filter) }, clock.nowMs());
        return;
      }
      for (const [address, account] of result.accounts) {
        files.add({ kind: "account", address, account, slot: account.slot }, clock.nowMs());
      }
    },
    onGap: () => files.add({ kind: "gap" }, clock.nowMs()),
  });
}

/** Loads the tokens and keeps them tracked. @returns those that were found */
export async function trackRecorded(
  tracker: Tracker,
  files: Pick<UpdateFiles, "add">,
  { mints, clock }: { readonly mints: readonly Address[]; readonly clock: WallClock },
): Promise<readonly Address[]> {
  const found: Address[] = [];
  for (const mint of mints) {
    if ((await tracker.snapshot(mint)).kind !== "assessed") continue;
    found.push(mint);
    files.add({ kind: "token", mint }, clock.nowMs());
    tracker.setWatched(found);
  }
  return found;
}

/**
 * `record --follow DIR MINT...`: tracks the tokens as the service does, and writes every account that
 * the tracker receives to files in DIR until stopped. `npm run detection -- --recorded` replays them.
 *
 * @returns the exit code: 0 recorded, 1 no such token or the files could not be written
 */
export async function recordFollow(args: readonly string[], output: Output): Promise<number> {
  const { folder, mints, totalBytes } = readArguments(args);
  const clock = systemClock;
  const chain = await openChain(readConfig(process.env).chain, { clock, random: Math.random });
  const files = new UpdateFiles({ folder, totalBytes, fileBytes: totalBytes / FILES });
  const tracker = new Tracker({
    source: recordedSource(chain.source, files, clock),
    venues: VENUES,
    clock,
    database: null,
    onFailure: (what, cause) => output.err(failedWork(what, cause)),
  });
  const startedMs = clock.nowMs();
  try {
    await files.begin(startedMs);
    tracker.start();
    const found = await trackRecorded(tracker, files, { mints, clock });
    const missing = mints.filter((mint) => !found.includes(mint));
    for (const mint of missing) output.err(`${mint}: no pool was found, or the chain is away`);
    if (found.length === 0) return 1;
    output.out(`recording ${found.length} tokens to ${folder}, at most ${totalBytes / 1e6} MB`);
    await Promise.race([stopSignal(), files.failed]);
  } finally {
    await tracker.close();
    await files.close();
    await chain.close();
  }
  output.out(summary(files, (clock.nowMs() - startedMs) / 3_600_000));
  if (files.failure === null) return 0;
  output.err(files.failure.message);
  return 1;
}

function summary({ bytes, tokens, leftOut }: UpdateFiles, hours: number): string {
  const each = Math.round(bytes / Math.max(1, tokens) / hours);
  const lines = [`${bytes} bytes in ${hours.toFixed(2)} hours: ${each} per token and hour`];
  if (leftOut > 0) lines.push(`${leftOut} updates left out: too many accounts`);
  return lines.join("\n");
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      follow: { type: "boolean", default: true },
      "max-mb": { type: "string", default: "2000" },
    },
    allowPositionals: true,
  });
  const [folder, ...texts] = positionals;
  if (folder === undefined || texts.length === 0 || texts.length > MAX_TOKENS) {
    throw new UsageError(`name a folder and 1 to ${MAX_TOKENS} mints: ${USAGE}`);
  }
  const maxMb = Number(values["max-mb"]);
  if (!(maxMb >= 1 && maxMb <= MAX_MB)) throw new UsageError(`--max-mb: 1 to ${MAX_MB}`);
  const mints = texts.map((text) => mintArgument([text], USAGE));
  return { folder, mints: [...new Set(mints)], totalBytes: Math.round(maxMb * 1e6) };
}
