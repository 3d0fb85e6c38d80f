import { noticeOf } from "#src/api/notice.ts";
import {
  type Assessment,
  type Measurement,
  type PoolShare,
  type Profile,
  STANDARD_SIZE_LAMPORTS,
  STANDARD_SIZES,
  type StandardSize,
} from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import { isSizeAllowed, slippageAtSize } from "#src/measure/ladder.ts";
import type { ExitAt, UnsellableReason } from "#src/measure/questions/exit-at.ts";
import { lamportsToSol, priceInSol } from "#src/units/to-number.ts";
import { formatTable, type Paint, plain, type Tone, wrap } from "./output.ts";

const BAR_WIDTH = 40;
const GAP = 2;
const POOL_DECIMALS = 1;

/** The sale of one size, as asked for. */
export type AskedSale = {
  readonly sizeSol: number;
  readonly profile: Profile;
  readonly exit: ExitAt;
};

export type ReportOptions = { readonly asked?: AskedSale; readonly paint?: Paint | undefined };

/** One assessment as terminal text: the figures, the slippage as bars, the pools. */
export function formatAssessment(assessment: Assessment, options: ReportOptions = {}): string {
  const { asked, paint = plain } = options;
  const { measurement, family } = assessment;
  const lines = [
    `${paint(assessment.mint, "strong")}  ${assessment.phase}, ${family}`,
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
    ...(asked === undefined ? [] : [askedLine(asked), ""]),
    ...bars(assessment, measurement, paint),
    "",
    pools(measurement.pools),
  ].join("\n");
}

const UNSELLABLE: Readonly<Record<UnsellableReason, string>> = {
  blocked: "unknown: not measured",
  "no-market": "cannot be sold: no pool buys",
  "exceeds-supply": "cannot be sold: more than the supply",
  "size-not-allowed": "not answered: above the limit of the family other",
  "too-small": "cannot be sold: less than one unit",
  "insufficient-liquidity": "cannot be sold whole: liquidity runs out",
};

/** Exactly the size that was asked for, not the standard size next to it. */
function askedLine({ sizeSol, profile, exit }: AskedSale): string {
  const what = `selling ${sizeSol} SOL, ${profile}:`;
  if (exit.kind === "unsellable") return `${what} ${UNSELLABLE[exit.reason]}`;
  const { slippagePct, paidLamports } = exit;
  return `${what} loses ${slippagePct.toFixed(4)} %, pays ${lamportsToSol(paidLamports)} SOL`;
}

function confidenceLine(assessment: Assessment): string {
  const confidence = confidenceOf(assessment);
  const notice = noticeOf(assessment, "en");
  return wrap(notice === null ? `confidence ${confidence}` : `confidence ${confidence}: ${notice}`);
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

function bars(
  { family }: Assessment,
  { retail, pro }: Measurement,
  paint: Paint,
): readonly string[] {
  const isAllowed = (size: StandardSize) => isSizeAllowed(family, STANDARD_SIZE_LAMPORTS[size]);
  const rows = STANDARD_SIZES.map((size) =>
    isAllowed(size)
      ? [size, percent(slippageAtSize(retail, size)), percent(slippageAtSize(pro, size))]
      : [size, "by rule", "by rule"],
  );
  const [heading = "", ...lines] = formatTable([["SOL", "retail", "pro"], ...rows]).split("\n");
  const width = Math.max(heading.length, ...lines.map((line) => line.length)) + GAP;
  const drawn = STANDARD_SIZES.map((size, index) => {
    const text = (lines[index] ?? "").padEnd(width);
    const slippagePct = slippageAtSize(retail, size);
    return isAllowed(size) ? text + paint(bar(slippagePct), toneOf(slippagePct)) : text.trimEnd();
  });
  const table = [`${heading.padEnd(width)}slippage, retail (0 to 100 %)`, ...drawn];
  if (STANDARD_SIZES.every(isAllowed)) return table;
  const limitSol = lamportsToSol(CALIBRATION.otherFamilyLargestLamports);
  return [
    ...table,
    "",
    `by rule: tokens of the family other (otro) are answered up to ${limitSol} SOL.`,
  ];
}

function percent(slippagePct: number | null): string {
  return slippagePct === null ? "no exit" : `${slippagePct.toFixed(4)} %`;
}

function bar(slippagePct: number | null): string {
  if (slippagePct === null) return "✕";
  return "█".repeat(Math.max(1, Math.round((slippagePct / 100) * BAR_WIDTH)));
}

function toneOf(slippagePct: number | null): Tone {
  if (slippagePct === null) return "bad";
  return slippagePct < CALIBRATION.score.exitMaxSlippagePct ? "good" : "fair";
}

/** With the longest name of a venue and a pool that is open, a line has 80 columns. */
function pools(shares: readonly PoolShare[]): string {
  const rows = shares.map(({ venue, address, status, depthLamports, feePpm }) => [
    venue,
    address,
    lamportsToSol(depthLamports).toFixed(POOL_DECIMALS),
    `${(feePpm / 10_000).toFixed(2)} %`,
    status === "open" ? "" : status,
  ]);
  return formatTable([["venue", "pool", "SOL", "fee", ""], ...rows]);
}
