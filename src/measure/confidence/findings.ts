import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { Assessment, Measurement } from "../assessment.ts";
import { CALIBRATION } from "../calibration.ts";
import { endOfChain } from "../market/chain-end.ts";
import type { TokenFacts } from "../market/market.ts";
import { priceNumber } from "../market/price-curve.ts";
import { isClosedForGood, type PricedMarket } from "../market/priced-market.ts";
import type { Confidence, Finding, MintFinding } from "./finding.ts";
import { priceDoubtOf } from "./price-doubt.ts";
import { ageSecondsOf, type Coverage } from "./quality.ts";

const NO_HOPS: readonly QuotablePool[] = [];

type Evidence = { readonly coverage: Coverage; readonly measurement: Measurement | null };

/**
 * Everything that lowers confidence (method.md section 4), worst first, and within one level in the
 * order of the method's table.
 */
export function findingsOf(priced: PricedMarket, evidence: Evidence): readonly Finding[] {
  return worstFirst([
    ...executedFindings(priced),
    ...marketFindings(priced, evidence),
    ...tokenFindings(priced),
    ...poolFindings(priced),
  ]);
}

/** The findings of each level keep their order. */
export function worstFirst(found: readonly Finding[]): readonly Finding[] {
  if (found.length < 2) return found;
  const low = found.filter((finding) => levelOf(finding) === "low");
  return [...low, ...found.filter((finding) => levelOf(finding) !== "low")];
}

/** The most that one finding leaves of confidence. */
export function levelOf(finding: Finding): Exclude<Confidence, "high"> {
  switch (finding.kind) {
    case "stale":
      return finding.ageSeconds > CALIBRATION.confidence.ageLowSeconds ? "low" : "medium";
    case "spot-disagreement":
      return finding.awayPct > CALIBRATION.confidence.disagreementLowPct ? "low" : "medium";
    case "transfer-hook":
    case "permanent-delegate":
    case "pausable":
    case "starts-frozen":
    case "rewritable-reserves":
    case "live-check":
    case "chain-end":
      return "low";
    case "family-other":
    case "family-other-close":
    case "unpriced-pools":
    case "search-incomplete":
    case "short-history":
    case "price-doubt":
    case "high-fees":
    case "freeze-authority":
    case "transfer-fee-authority":
    case "transfer-hook-authority":
    case "transfer-fee-change":
    case "doubtful-orders":
    case "partly-loaded":
    case "new-deployment":
    case "executed":
      return "medium";
  }
}

/** Confidence starts high; the worst finding decides. Where the answer is blocked it is low. */
export function confidenceOf({
  blocked,
  findings,
}: Pick<Assessment, "blocked" | "findings">): Confidence {
  if (blocked !== null) return "low";
  if (findings.length === 0) return "high";
  return findings.some((finding) => levelOf(finding) === "low") ? "low" : "medium";
}

/** Whether there is too little history to judge the trend (method.md section 5). */
export function isTrendUnknown({ findings }: Pick<Assessment, "findings">): boolean {
  return findings.some(({ kind }) => kind === "short-history");
}

/** What is stated before a short history among the findings of its level. */
const BEFORE_SHORT_HISTORY: ReadonlySet<Finding["kind"]> = new Set([
  "executed",
  "stale",
  "family-other",
  "family-other-close",
  "unpriced-pools",
  "search-incomplete",
]);

/** The findings, in their order, of a token whose history has become too short for a trend since they were made. */
export function withShortHistory(
  findings: readonly Finding[],
  historySeconds: number | null,
): readonly Finding[] {
  const after = findings.findIndex(
    (finding) => levelOf(finding) !== "low" && !BEFORE_SHORT_HISTORY.has(finding.kind),
  );
  const place = after === -1 ? findings.length : after;
  return findings.toSpliced(place, 0, { kind: "short-history", historySeconds });
}

function marketFindings(
  priced: PricedMarket,
  { coverage, measurement }: Evidence,
): readonly Finding[] {
  const { market } = priced;
  const { confidence } = CALIBRATION;
  const found: Finding[] = [];
  const ageSeconds = ageSecondsOf(market);
  if (ageSeconds > confidence.ageMediumSeconds) found.push({ kind: "stale", ageSeconds });
  if (priced.family === "other") found.push({ kind: "family-other" });
  else if (isOtherClose(priced)) found.push({ kind: "family-other-close" });
  const { venues, quoteMints } = coverage;
  if (coverage.unpricedPct > confidence.unpricedSharePct) {
    const sharePct = Math.round(10 * coverage.unpricedPct) / 10;
    found.push({ kind: "unpriced-pools", sharePct, venues, quoteMints });
  } else if (coverage.hasUnweighed) {
    found.push({ kind: "unpriced-pools", sharePct: null, venues, quoteMints });
  }
  const end = endOfChain(priced);
  if (end !== null) found.push({ kind: "chain-end", ...end });
  if (!market.isSearchComplete) found.push({ kind: "search-incomplete" });
  const { historySeconds } = market;
  if (historySeconds === null || historySeconds < confidence.leastHistorySeconds) {
    found.push({ kind: "short-history", historySeconds });
  }
  const awayPct = farthestFromMidPct(priced);
  if (awayPct > confidence.disagreementMediumPct) {
    found.push({ kind: "spot-disagreement", awayPct: Math.round(100 * awayPct) / 100 });
  } else {
    found.push(...doubtFindings(priced, measurement));
  }
  const feePct = 100 * (priced.midRoute?.feeShare ?? 0);
  if (feePct > confidence.feePct) {
    found.push({ kind: "high-fees", feePct: Math.round(100 * feePct) / 100 });
  }
  return found;
}

/** Whether as much near depth as one attacker may have decides that the family is not "other". */
function isOtherClose({ routes, family }: PricedMarket): boolean {
  let whole = 0n;
  let other = 0n;
  let heaviest = 0n;
  for (const { pool, nearDepthLamports } of routes) {
    whole += nearDepthLamports;
    if (pool.family === "other") other += nearDepthLamports;
    if (pool.family === family) heaviest += nearDepthLamports;
  }
  const closer = whole * CALIBRATION.confidence.doubtfulShareOfNearPct;
  return other > 0n && (heaviest - other) * 100n <= closer;
}

/**
 * How far the spots of routes with enough of the near depth are from the mid, percent, beyond what the
 * difference of their fees explains.
 */
function farthestFromMidPct({ routes, midRoute }: PricedMarket): number {
  const mid = midRoute?.spotPrice ?? null;
  if (midRoute === null || mid === null) return 0;
  const whole = routes.reduce((sum, route) => sum + route.nearDepthLamports, 0n);
  const leastPct = BigInt(CALIBRATION.confidence.disagreementShareOfNearPct);
  let farthest = 0;
  for (const { spotPrice, nearDepthLamports, feeShare } of routes) {
    if (spotPrice === null || nearDepthLamports * 100n <= whole * leastPct) continue;
    const ratio = priceNumber(spotPrice) / priceNumber(mid);
    const away = Math.abs(ratio - 1) - Math.abs(feeShare - midRoute.feeShare);
    farthest = Math.max(farthest, 100 * away);
  }
  return farthest;
}

/** Prices that a small part of the near depth states, where the answer rests on them. */
function doubtFindings(priced: PricedMarket, measurement: Measurement | null): readonly Finding[] {
  if (measurement === null || measurement.midPrice === null) return [];
  const { scorePoints, movesExitMax } = priceDoubtOf(priced, measurement);
  const { doubtfulScorePoints } = CALIBRATION.confidence;
  if (scorePoints <= doubtfulScorePoints && !movesExitMax) return [];
  return [{ kind: "price-doubt", scorePoints: Math.round(10 * scorePoints) / 10 }];
}

/** Of the token, and of each token that sales go through: what stops that one stops this one as well. */
function tokenFindings(priced: PricedMarket): readonly Finding[] {
  const { token, hopTokens, pools } = priced.market;
  const found: Finding[] = token === null ? [] : mintFindings(token);
  const hops = countedHops(priced);
  for (const mint of new Set(hops.map(({ baseMint }) => baseMint))) {
    const facts = hopTokens?.get(mint);
    if (facts === undefined) continue;
    found.push(...mintFindings(facts).map((finding) => ({ ...finding, through: mint })));
  }
  const isHooked = hasHook(pools) || hasHook(hops);
  if (isHooked && !found.some(({ kind }) => kind === "transfer-hook"))
    found.push({ kind: "transfer-hook" });
  return found;
}

/** The hops of routes with more than a small share of the near depth; of all, if none has any. */
function countedHops({ open }: PricedMarket): readonly QuotablePool[] {
  if (open.every(({ hops }) => hops.length === 0)) return NO_HOPS;
  const whole = open.reduce((sum, route) => sum + route.nearDepthLamports, 0n);
  const least = whole * BigInt(CALIBRATION.confidence.disagreementShareOfNearPct);
  return open
    .filter(({ nearDepthLamports }) => whole === 0n || nearDepthLamports * 100n > least)
    .flatMap(({ hops }) => hops);
}

function mintFindings(token: TokenFacts): MintFinding[] {
  const found: MintFinding[] = [];
  if (token.freezeAuthority !== null) found.push({ kind: "freeze-authority" });
  if (token.transferFee !== null && token.transferFee.authority !== null) {
    found.push({ kind: "transfer-fee-authority" });
  }
  const announced = token.transferFee?.announced ?? null;
  if (announced !== null) found.push({ kind: "transfer-fee-change", epoch: announced.epoch });
  if (token.transferHook !== null) found.push({ kind: "transfer-hook" });
  if (token.transferHookAuthority !== null) found.push({ kind: "transfer-hook-authority" });
  if (token.permanentDelegate !== null) found.push({ kind: "permanent-delegate" });
  const { pausable } = token;
  if (pausable !== null && pausable.authority !== null) found.push({ kind: "pausable" });
  if (token.startsFrozen) found.push({ kind: "starts-frozen" });
  return found;
}

function hasHook(pools: PricedMarket["market"]["pools"]): boolean {
  return pools.some(
    ({ status, cautions }) => !isClosedForGood(status) && cautions.includes("transfer-hook"),
  );
}

/** What such an answer pays is exact: neither the live check nor a new deployment applies to it. */
function executedFindings({ market, open }: PricedMarket): readonly Finding[] {
  const { executedVenues } = market;
  if (executedVenues === undefined || executedVenues.size === 0) return [];
  return venuesOf(open.flatMap(({ pool, hops }) => [pool, ...hops]))
    .filter((venue) => executedVenues.has(venue))
    .map((venue) => ({ kind: "executed", venue }));
}

/** Hops count as the token's own pools: what is wrong with one of them makes the answer as doubtful. */
function poolFindings({ market, open }: PricedMarket): readonly Finding[] {
  const found: Finding[] = [];
  const own = market.pools.filter((pool) => !isClosedForGood(pool.status));
  const trading = [...own, ...open.flatMap(({ hops }) => hops)];
  for (const kind of ["rewritable-reserves", "doubtful-orders", "partly-loaded"] as const) {
    const venues = venuesOf(trading.filter(({ cautions }) => cautions.includes(kind)));
    found.push(...venues.map((venue) => ({ kind, venue })));
  }
  for (const venue of venuesOf(trading)) {
    if (market.executedVenues?.has(venue) === true) continue;
    const exactPct = market.exactPctByVenue.get(venue);
    if (exactPct !== undefined && exactPct < CALIBRATION.confidence.liveCheckExactPct) {
      found.push({ kind: "live-check", venue, exactPct });
    }
    if (market.newDeployments?.has(venue) === true) found.push({ kind: "new-deployment", venue });
  }
  return found;
}

function venuesOf(pools: readonly QuotablePool[]): readonly VenueId[] {
  return pools.length === 0 ? [] : [...new Set(pools.map(({ venue }) => venue))];
}
