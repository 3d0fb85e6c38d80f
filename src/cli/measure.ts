import { parseArgs } from "node:util";
import { readConfig } from "#src/config.ts";
import { openChain } from "#src/main.ts";
import { assess } from "#src/measure/assess.ts";
import { systemNowMs } from "#src/platform/clock.ts";
import { loadMarket } from "#src/track/load-market.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { exitabilityBody } from "#src/wire/exitability.ts";
import { parseSize } from "#src/wire/size.ts";
import { formatAssessment } from "./assessment-report.ts";
import { type Output, UsageError } from "./output.ts";

const USAGE = "exitability measure MINT [--size SOL] [--profile retail|pro] [--json]";

/** One assessment, as a table with a small curve, or with `--json` as the service answers it. */
export async function measure(args: readonly string[], output: Output): Promise<number> {
  const { mint, size, profile, isJson } = readArguments(args);
  const chain = await openChain(readConfig(process.env).chain, {
    nowMs: systemNowMs,
    random: Math.random,
  });
  try {
    const deps = { source: chain.source, venues: VENUES, nowMs: systemNowMs };
    const loaded = await loadMarket(deps, mint);
    if (loaded.kind === "not-found") {
      output.err(`${mint} has no pool or curve on any program we model`);
      return 1;
    }
    const assessment = assess(loaded.market);
    const answer = { assessment, trend: "stable", isDeteriorating: false } as const;
    output.out(
      isJson
        ? JSON.stringify(exitabilityBody({ ...answer, size, profile, language: "es" }))
        : formatAssessment(assessment),
    );
    return 0;
  } finally {
    await chain.close();
  }
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      size: { type: "string", default: "1" },
      profile: { type: "string", default: "retail" },
      json: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const size = parseSize(values.size);
  if (size === null) throw new UsageError("--size must be a number of SOL from 0.01 to 1000");
  const profile = values.profile;
  if (profile !== "retail" && profile !== "pro") {
    throw new UsageError("--profile must be retail or pro");
  }
  return { mint: mintOf(positionals), size, profile, isJson: values.json } as const;
}

function mintOf(positionals: readonly string[]): Address {
  const [text, ...more] = positionals;
  if (text === undefined || more.length > 0) throw new UsageError(`name one mint: ${USAGE}`);
  const mint = parseAddress(text);
  if (mint === null) throw new UsageError(`${text} is not a Solana address`);
  return mint;
}
