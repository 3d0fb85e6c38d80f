import type { Address } from "#src/units/address.ts";
import type { TransferFeeSchedule } from "../shared/token/transfer-fee.ts";

/** A price level. Amounts in base units; `price` is Y per X, Q64.64. */
export type Bin = {
  readonly id: number;
  readonly amountX: bigint;
  readonly amountY: bigint;
  /** What the positions' shares in it add up to. */
  readonly liquiditySupply: bigint;
  readonly price: bigint;
  readonly orders: BinOrders;
};

/** Limit orders of a bin, all on one side: asks hold X, bids hold Y. */
export type BinOrders = {
  readonly isAskSide: boolean;
  /** What is left of the batch that is being filled. */
  readonly processedRemaining: bigint;
  /** Orders placed since. */
  readonly open: bigint;
};

/** What the pair's creator fixed. Rates in the program's own scales. */
export type DlmmParameters = {
  /** Basis points between two bins' prices. */
  readonly binStep: number;
  readonly baseFactor: number;
  readonly baseFeePowerFactor: number;
  readonly variableFeeControl: number;
  readonly maxVolatilityAccumulator: number;
  /** Seconds. */
  readonly filterPeriod: number;
  /** Seconds. */
  readonly decayPeriod: number;
  readonly reductionFactorBps: number;
  readonly protocolShareBps: number;
  /** Whether bins' order fields count (a pair that pays farming rewards has none). */
  readonly hasLimitOrders: boolean;
  /** Fees always in Y; else always in what is handed in. */
  readonly collectsOnlyY: boolean;
};

/** What the variable fee remembers between swaps. */
export type Volatility = {
  readonly accumulator: number;
  readonly reference: number;
  /** Bin id that distances are counted from. */
  readonly indexReference: number;
  /** Unix seconds. */
  readonly lastUpdateTimestamp: bigint;
};

/** From when on the pair trades; null: at once. */
export type Activation = { readonly by: "slot" | "time"; readonly point: bigint };

/** One pair and the bins that one swap can reach. */
export type DlmmState = {
  readonly parameters: DlmmParameters;
  readonly isEnabled: boolean;
  /** Whether no transfer passes: an issuer froze a vault or paused a mint, or its tokens can't be transferred. */
  readonly isStuck: boolean;
  readonly activation: Activation | null;
  readonly mintX: Address;
  readonly mintY: Address;
  readonly transferFeeX: TransferFeeSchedule | null;
  readonly transferFeeY: TransferFeeSchedule | null;
  /** Balances of the two reserves; null where they could not be read. They also hold unclaimed fees. */
  readonly reserveX: bigint | null;
  readonly reserveY: bigint | null;
  readonly protocolFeeX: bigint;
  readonly protocolFeeY: bigint;
  readonly volatility: Volatility;
  readonly activeId: number;
  /** Every bin in reach that holds something, ascending by id. */
  readonly bins: readonly Bin[];
  /** Directions in which a marked array is not there: what lies beyond `bins` is unknown. */
  readonly endsUnknown: { readonly down: boolean; readonly up: boolean };
  /** So on the way to SOL or a stable: large sales are refused that the program would fill. */
  readonly isPartlyLoaded: boolean;
  /** Order fields are set in an array older than limit orders: probably leftover bytes. */
  readonly hasDoubtfulOrders: boolean;
};
