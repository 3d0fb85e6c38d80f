import Type, { type Static } from "typebox";
import type { ExitAnswer } from "#src/measure/questions/exit-question.ts";
import { SIZE_RANGE_TEXT } from "#src/measure/questions/requested-size.ts";
import { lamportsToSol, ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { fromText, IntegerText, NullableNumber, nullable, readAs } from "../values.ts";

/** What `/at` adds to a sale: the limit of a cost, amounts in USD, the bound and the round trip. */

const LIMITS = ["cost", "liquidity", "supply", "size"] as const;

const MAX_COST_TEXT = "above 0 and at most 99 percent, with at most 4 decimals";
const PPM_PER_PERCENT = 10_000n;
const LAMPORTS_PER_SOL = 1e9;

/** From 0.0001 to 99. Without lookaheads, since generators of test data do not read them. */
const MAX_COST =
  /^((0?[1-9]|[1-8][0-9]|9[0-8])([.][0-9]{1,4})?|99([.]0{1,4})?|00?[.]([1-9][0-9]{0,3}|0[1-9][0-9]{0,2}|00[1-9][0-9]?|000[1-9]))$/;

/** Parts per million from a percentage in plain digits; null for any other text. */
function parseMaxCost(text: string): bigint | null {
  if (!MAX_COST.test(text)) return null;
  const [whole = "", digits = ""] = text.split(".");
  return BigInt(whole) * PPM_PER_PERCENT + BigInt(digits.padEnd(4, "0"));
}

const MAX_COST_DESCRIPTION = `The largest size that loses at most this share, fees included: ${MAX_COST_TEXT}`;

export const MAX_COST_FIELD = Type.Optional(
  readAs<bigint>(
    Type.String({
      pattern: MAX_COST.source,
      description: `Instead of size. ${MAX_COST_DESCRIPTION}`,
      example: "10",
    }),
    fromText(parseMaxCost),
    `max_cost must be ${MAX_COST_TEXT}, in plain digits.`,
  ),
);

export const SizeLimitWord = nullable(
  Type.Enum([...LIMITS]),
  "What stops a larger sale. cost: it costs more; liquidity: the pools run out; supply: there is no more of the token; size: the largest size that is answered. Null where no size is within the cost",
);

const BEST_POSSIBLE = [
  "No split of this sale over the token's open routes pays more, as long as no pool loses more to rounding than this allows:",
  "four units of the output, and two of the input (one on pump.fun's curve, PumpSwap and Raydium AMM v4, which round once in a sale).",
  "Meteora DLMM and DBC, Raydium CLMM and Orca Whirlpool round at every bin, curve segment or tick range:",
  "a sale over many of them can lose more units, and a better split can then pay that much more than this figure.",
  "Null with profile=retail, where one instruction sells through several pools, where a transfer fee reaches its maximum,",
  "where a pool's quotes do not fall with the amount, and where the found split pays more",
].join(" ");

export const ExitMore = {
  max_cost: nullable(
    Type.Object({ max_cost_pct: Type.Number(), limited_by: SizeLimitWord }),
    `With max_cost: the sale is the largest from ${SIZE_RANGE_TEXT} within this cost, to a millionth or one base unit. Null if the request has a size`,
  ),
  usd: nullable(
    Type.Object({
      usd_per_sol: Type.Number({
        description: "Spot price of the deepest followed pool of a stablecoin",
      }),
      size_usd: NullableNumber,
      net_usd: NullableNumber,
    }),
    "With unit=usd; null with another unit, and where no stable pool is followed",
  ),
  detail: nullable(
    Type.Object({
      best_possible_lamports: nullable(IntegerText, BEST_POSSIBLE),
      gap_bps: nullable(
        Type.Number(),
        "How far net_lamports is below best_possible_lamports, in hundredths of a percent; null where that is null",
      ),
      round_trip: nullable(
        Type.Object({
          tokens_units: IntegerText,
          buy_cost_pct: Type.Number({
            description: "What buying for size_sol loses against the mid, fees included",
          }),
          back_lamports: nullable(IntegerText, "What selling these tokens at once pays"),
          loss_pct: nullable(Type.Number(), "Share of size_sol that is lost after both, percent"),
        }),
        "Buying for size_sol now, and selling at once on the pools as the purchase left them; null where no pool sells for that much",
      ),
    }),
    "With detail=full, where the sale can be made; else null",
  ),
};

export const NO_MORE = { max_cost: null, usd: null, detail: null };

export type AskedMore = {
  readonly maxCostPpm: bigint | null;
  readonly inUsd: boolean;
};

export function exitMore(
  { exit, limitedBy, microUsd, detail }: ExitAnswer,
  { maxCostPpm, inUsd }: AskedMore,
): Static<ReturnType<typeof Type.Object<typeof ExitMore>>> {
  const sold = exit.kind === "sold" ? exit : null;
  const usdPerSol =
    microUsd === null
      ? null
      : ratioToNumber(microUsd.denominator, microUsd.numerator) * (LAMPORTS_PER_SOL / 1e6);
  const inDollars = (lamports: bigint | undefined) =>
    lamports === undefined || usdPerSol === null ? null : lamportsToSol(lamports) * usdPerSol;
  return {
    max_cost:
      maxCostPpm === null
        ? null
        : { max_cost_pct: toNumber(maxCostPpm) / 10_000, limited_by: limitedBy },
    usd:
      !inUsd || usdPerSol === null
        ? null
        : {
            usd_per_sol: usdPerSol,
            size_usd: inDollars(sold?.sizeLamports),
            net_usd: inDollars(sold?.paidLamports),
          },
    detail: detail === null || sold === null ? null : detailBody(detail, sold.paidLamports),
  };
}

function detailBody(
  { bestPossibleLamports: best, roundTrip }: NonNullable<ExitAnswer["detail"]>,
  paidLamports: bigint,
) {
  return {
    best_possible_lamports: best === null ? null : String(best),
    gap_bps:
      best === null || best === 0n ? null : 10_000 * ratioToNumber(best - paidLamports, best),
    round_trip:
      roundTrip === null
        ? null
        : {
            tokens_units: String(roundTrip.boughtBaseUnits),
            buy_cost_pct: roundTrip.buySlippagePct,
            back_lamports: roundTrip.backLamports === null ? null : String(roundTrip.backLamports),
            loss_pct: roundTrip.lossPct,
          },
  };
}
