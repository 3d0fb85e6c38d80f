import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import type { Profile, StandardSize } from "./assessment.ts";

/**
 * Every number that a measurement depends on, in one place (method.md). Each changes only with
 * evidence, and none is written anywhere else.
 */
export const CALIBRATION = {
  /** What counts as near the market, and so weighs in the mid and the family (section 1). */
  mid: {
    /** Near depth is what a route pays down to so far below the reference bid. */
    bandBps: 1_000,
    /** The reference bid is the price at which this much was sold; */
    referenceLamports: LAMPORTS_PER_SOL / 2n,
    /** or this part of what the deepest route pays until its own price fell by `deepestFall`, if less. */
    deepestShare: 10,
    deepestFall: 0.5,
    /** How far a pool's own price falls while its own near depth is paid. */
    ownNearFallBps: 1_000,
  },

  /** The score's weights per standard size, and the slippage at which a size counts half (section 3). */
  score: {
    halfWeightSlippagePct: 10,
    weights: {
      retail: { "0.5": 0.3, "1": 0.3, "2": 0.25, "5": 0.15, "10": 0, "50": 0 },
      pro: { "0.5": 0, "1": 0.1, "2": 0.15, "5": 0.25, "10": 0.3, "50": 0.2 },
    } satisfies Record<Profile, Record<StandardSize, number>>,
    exitMaxSlippagePct: 10,
  },

  /** Of the family "other", no size above this is answered (contract.md, bloqueado_tamano_amm). */
  otherFamilyLargestLamports: 10n * LAMPORTS_PER_SOL,

  /** Exit capacity C10 (section 3). */
  capacity: {
    slippageBps: 1_000n,
    largestLamports: 1_000n * LAMPORTS_PER_SOL,
    /** Sizes that are tried beside the standard ones where a transfer fee has a maximum. */
    cappedFeeSizes: [2n, 10n, 10_000n, 20_000n, 50_000n, 100_000n].map(
      (hundredths) => (hundredths * LAMPORTS_PER_SOL) / 100n,
    ),
    /** Below this there is no capacity worth the name: 0. */
    smallestLamports: 1_000n,
    /** How close the answer lies below the true capacity, as a share of it. */
    relativePrecision: 1e-6,
    /** Where the market ends in a refusal instead of a slope, this is close enough. */
    relativePrecisionAtRefusal: 1e-4,
  },

  /** The largest sale within a cost that the caller names (section 3). */
  maxCost: {
    /** The range of sizes that are answered. */
    smallestLamports: LAMPORTS_PER_SOL / 100n,
    largestLamports: 1_000n * LAMPORTS_PER_SOL,
    /** The range is tried at so many steps, from its end; the last step is divided and halved. */
    coarseSteps: 16,
    /** One over the distance of the divided step's positions, as a share. */
    precision: 2_000_000n,
    /** So many positions beyond the last that passed are tried, because rounding may let one between fail. */
    positionsAhead: 6n,
  },

  /** The bound on the best split of one position. */
  bound: {
    /** Samples beside the split's own amounts, at distances of one over these numbers; rounding makes nearer ones useless. */
    nearby: [8n, 64n, 512n],
    rounds: 64,
    /** Rounds of quotes at the ends of fee steps, if rounding is more than the gap. */
    roundsOfFewUnits: 6,
    /** The search stops where the bound is this share above the split. */
    gap: 1e-6,
    /** The largest sum of one pool's roundings, in units of its output and of its input. */
    roundingLamports: 4,
    roundingUnits: 2,
  },

  /** The split over routes (section 2). */
  split: {
    /** The search stops when no split can pay more than this share above the one found. */
    gap: 1e-5,
    /** The same for a position that an answer prices, because the largest size within a cost depends on it. */
    gapOfAnswers: 1e-8,
    rounds: 48,
    /** The most effort of a search: quotes and moves of units, those of the searches inside it included. */
    mostEffort: 12_000,
    /** The same where one question splits dozens of positions. Of 20 honest pools, half of them behind hops, none pays a millionth less. */
    mostEffortOfMany: 1_500,
    /** The same of a search inside another one, by depth. Deeper ones take the best single lane. */
    effortOfParts: [
      { least: 128, perRoute: 32 },
      { least: 64, perRoute: 8 },
    ],
    /** The exit capacity splits many sizes: the most effort of all these searches. */
    mostEffortOfCapacity: 48_000,
    /** What each of these searches may take, also once that is spent. */
    leastEffortOfSize: 1_000,
    /** If the effort was spent, lanes that split their own part and pay below this share of the best lane are left out. */
    leastOfSearched: 0.02,
    /** The search also stops if the bound is at most twice the rounding above the split, and was there this many rounds ago. */
    stallRounds: 4,
    /** Allocations below this share of the position are left to the other routes. */
    leastShare: 1e-7,
    /** In positions of at most so many base units, units are moved about at the end. */
    coarseUnits: 1_000_000n,
    coarseRounds: 6,
    /** A route whose quotes all lie this close to one hyperbola is taken for constant product. */
    hyperbolaTolerance: 1e-7,
    hyperbolaRoundingUnits: 4,
  },

  /** Where an assessment is refused (section 4). */
  block: {
    unpricedSharePct: 50,
    staleSeconds: 600,
  },

  /** Where confidence ends (section 4). */
  confidence: {
    ageMediumSeconds: 30,
    ageLowSeconds: 120,
    unpricedSharePct: 10,
    leastHistorySeconds: 300,
    /** A route with less of the near depth can't disagree with the mid. */
    disagreementShareOfNearPct: 5,
    /** Percent from the mid, beyond the difference of the fees. */
    disagreementMediumPct: 3,
    disagreementLowPct: 10,
    /**
     * The mid is in doubt where the median with this part of the near depth less, above or below, is
     * another: that part may be an attacker's (section 7).
     */
    doubtfulShareOfNearPct: 5n,
    /** What prices in doubt may change before it is named: points of the score. */
    doubtfulScorePoints: 2,
    /** Fees of selling at the mid above this are named. */
    feePct: 10,
    liveCheckExactPct: 99,
  },

  /** Series of C10 (sections 3, 5 and 6): ln(max(C10, least)), one place per interval. */
  series: {
    leastCapacitySol: 0.01,
    intervalMs: 10_000,
  },

  /** The trend (section 5). */
  trend: {
    windowMs: 1_800_000,
    leastSpanMs: 300_000,
    changeMs: 60_000,
    slopePctPerHour: 10,
    significance: 1.96,
  },

  /** The deterioration alert (section 6). */
  deterioration: {
    jumpWindowMs: 60_000,
    jumpFallPct: 30,
    /** And by so many standard deviations of the token's own changes in a minute. */
    jumpDeviations: 7,
    /**
     * Before so much history the alert can't be judged (section 4): a newborn market is all jumps.
     * Only a jump as deep as this counts then, and withdrawals, which no healthy launch has.
     */
    youngMs: 300_000,
    youngJumpFallPct: 60,
    withdrawalFallPct: 20,
    medianWindowMs: 600_000,
    drift: {
      /**
       * A fall slower than this is decay, not deterioration: natural logarithm per minute. On wild
       * tokens, where a slow fall can't be distinguished from chance, a fast one still can.
       */
      slowPerMinute: 0.01,
      fastPerMinute: 0.04,
      /**
       * What of a fall beyond decay is drift on the calmest token: natural logarithm. A
       * little over what the jump asks for, so that one fall that is not a jump is not a drift either.
       */
      leastThreshold: 0.37,
      /**
       * On a wilder one: so many times the variance of its changes per minute, over what is allowed a minute.
       * A driftless random walk passes that once in `exp(2 * factor)` of its own time units.
       */
      varianceFactor: 7,
      /** Liquidity withdrawn bit by bit, beyond a slow decay: natural logarithm. */
      withdrawnThreshold: 0.25,
      /** Changes over this long, as variance per minute: shorter ones miss what comes in waves. */
      varianceChangeMs: 300_000,
      startVariance: 0.000_4,
      /** As if it rested on so many differences of changes. */
      startDifferences: 8,
      varianceHalfLifeMinutes: 80,
      /** Changes above so many standard deviations count as that many, so that a fall does not raise its own threshold. */
      varianceClip: 3,
    },
    /** A level counts once C10 has kept it for so long: whole places of the series, and the current one. */
    heldMs: 60_000,
    day: {
      hours: 24,
      hourMs: 3_600_000,
      /** Withdrawals less additions since the highest hourly level reach half of it. */
      withdrawnPct: 50,
      /** Or half of it is gone, and withdrawals explain this share of the fall. */
      withdrawnShare: 0.4,
    },
    /** After a gap: so much of the last known level is gone. */
    gapFallPct: 50,
    cause: {
      /**
       * A fall counts up to so many times what the pools' own losses explain. They are read off near
       * depth, which is not C10; what is beyond is a mid that moved.
       */
      explainedFactor: 3,
      /**
       * Near depth is hidden where W is less than this share of what the pools have without others: twice what an
       * attacker may have.
       */
      hiddenShare: 0.1,
      /** From this fee on a small bid moves C10 further than `explainedFactor` allows. */
      dearFeePpm: 50_000,
      /** A price that moved less than this, in logarithms, was not moved by sales. */
      quietPrice: 0.02,
      constantProductTolerance: 0.05,
    },
    recoveredPct: 80,
    newLowPct: 5,
    newNormalMs: 1_800_000,
  },
} as const;

/** The numbers of the deterioration alert, as others may try them. */
export type DeteriorationRules = Widened<typeof CALIBRATION.deterioration>;
type Widened<T> = { readonly [K in keyof T]: T[K] extends number ? number : Widened<T[K]> };
