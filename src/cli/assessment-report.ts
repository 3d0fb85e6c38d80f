import { noticeOf } from "#src/api/notice.ts";
import {
  type Assessment,
  type Measurement,
  type PoolShare,
  STANDARD_SIZES,
} from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/findings.ts";
import { lamportsToSol, priceInSol } from "#src/units/to-number.ts";
import { formatTable } from "./output.ts";

const BAR_WIDTH = 40;

/** One assessment as terminal text: the figures, the slippage as bars, the pools. */
export function formatAssessment(assessment: Assessment): string {
  const { measurement } = assessment;
  const lines = [
    `${assessment.mint}  ${assessment.phase}, ${assessment.family}`,
    `state of ${new Date(assessment.stateTimeMs).toISOString()}, slot ${assessment.slot}`,
    confidenceLine(assessment),
    "",
  ];
  if (measurement === null)
    return [...lines, "Not measured: what it would pay is unknown."].join("\n");
  return [
    ...lines,
    ...figures(assessment, measurement),
    "",
    ...bars(measurement),
    "",
    pools(measurement.pools),
  ].join("\n");
}

function confidenceLine(assessment: Assessment): string {
  const confidence = assessment.blocked === null ? confidenceOf(assessment.findings) : "low";
  const notice = noticeOf(assessment, "en");
  return notice === null ? `confidence ${confidence}` : `confidence ${confidence}: ${notice}`;
}

function figures(assessment: Assessment, measurement: Measurement): readonly string[] {
  const { midPrice, depthLamports, c10Sol, retail, pro } = measurement;
  const price =
    midPrice === null ? "nothing can be sold" : `${priceInSol(midPrice, assessment.decimals)} SOL`;
  return formatTable([
    ["mid price", price],
    ["depth", `${lamportsToSol(depthLamports)} SOL`],
    ["exit capacity C10", `${c10Sol} SOL`],
    ["score", `retail ${retail.score.toFixed(1)}, pro ${pro.score.toFixed(1)}`],
    [
      "largest standard size below 10 %",
      `retail ${retail.exitMaxSol} SOL, pro ${pro.exitMaxSol} SOL`,
    ],
  ]).split("\n");
}

function bars(measurement: Measurement): readonly string[] {
  const rows = STANDARD_SIZES.map((size) => {
    const retail = measurement.retail.slippagePct[size];
    const pro = measurement.pro.slippagePct[size];
    return [size, percent(retail), percent(pro), bar(retail)];
  });
  return formatTable([["SOL", "retail", "pro", "slippage, retail (0 to 100 %)"], ...rows]).split(
    "\n",
  );
}

function percent(slippagePct: number | null): string {
  return slippagePct === null ? "no exit" : `${slippagePct.toFixed(4)} %`;
}

function bar(slippagePct: number | null): string {
  if (slippagePct === null) return "✕";
  return "█".repeat(Math.max(1, Math.round((slippagePct / 100) * BAR_WIDTH)));
}

function pools(shares: readonly PoolShare[]): string {
  const total = shares.reduce((sum, { depthLamports }) => sum + depthLamports, 0n);
  const rows = shares.map(({ venue, address, status, depthLamports, feePpm }) => [
    venue,
    address,
    status,
    `${lamportsToSol(depthLamports)}`,
    total === 0n ? "" : `${Number((depthLamports * 1000n) / total) / 10} %`,
    `${(feePpm / 10_000).toFixed(2)} %`,
  ]);
  return formatTable([["venue", "pool", "status", "depth SOL", "share", "fee"], ...rows]);
}
