import { exitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import type { RequestedSize } from "#src/measure/questions/requested-size.ts";
import { parseSize, sizeToLamports } from "#src/measure/questions/requested-size.ts";
import { systemClock } from "#src/platform/clock.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { formatAssessment } from "./assessment-report.ts";
import type { Output } from "./output.ts";
import { record, recordArguments } from "./record.ts";
import { type SaleArguments, saleArguments } from "./sale-arguments.ts";

const USAGE = "exitability measure MINT [--size SOL] [--profile retail|pro] [--json]";

/** Prints one assessment, as a table with a small curve, or with `--json` as the service's answer. */
export async function measure(args: readonly string[], output: Output): Promise<number> {
  const question = saleArguments(args, USAGE, parseSize);
  const chain = await openChain(readConfig(process.env).chain, {
    clock: systemClock,
    random: Math.random,
  });
  try {
    const market = await loadOnce(chain.source, question.mint);
    if (market === null) {
      output.err(`${question.mint} has no pool or curve on any program we model`);
      return 1;
    }
    output.out(
      question.isJson ? answerText(assess(market), question) : reportOn(market, question, output),
    );
    return 0;
  } finally {
    await chain.close();
  }
}

/** `record MINT DIR` on the configured chain. */
export async function recordAssessment(args: readonly string[], output: Output): Promise<number> {
  const question = recordArguments(args);
  const chain = await openChain(readConfig(process.env).chain, {
    clock: systemClock,
    random: Math.random,
  });
  try {
    return await record(question, {
      source: chain.source,
      output,
      measure: async (source, mint) => {
        const market = await loadOnce(source, mint);
        return market === null ? null : formatAssessment(assess(market), { paint: output.paint });
      },
    });
  } finally {
    await chain.close();
  }
}

/** Null if the token has no known pool. */
async function loadOnce(source: ChainSource, mint: Address): Promise<Market | null> {
  const loaded = await loadMarket({ source, venues: VENUES, clock: systemClock }, mint);
  return loaded.kind === "not-found" ? null : loaded.market;
}

function reportOn(market: Market, { size, profile }: Question, { paint }: Output): string {
  const sizeSol = size.requested;
  const lamports = sizeToLamports(sizeSol) ?? 0n;
  const asked = { sizeSol, profile, exit: exitAt(market, lamports, profile) };
  return formatAssessment(assess(market), { asked, paint });
}

function answerText(assessment: Assessment, { size, profile }: Question): string {
  const answer = { assessment, trend: "stable", isDeteriorating: false } as const;
  return JSON.stringify(exitabilityBody({ ...answer, size, profile, language: "es" }));
}

type Question = SaleArguments<RequestedSize>;
