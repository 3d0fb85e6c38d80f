import { readFileSync } from "node:fs";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { FeeConfig, FeeRates } from "#src/venues/shared/pump-fees/fee-config.ts";

export type RecordedTrade = {
  readonly name: string;
  readonly side: "sell" | "buy";
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly before: {
    readonly virtualToken: bigint;
    readonly virtualQuote: bigint;
    readonly realQuote: bigint;
  };
  readonly realTokenBefore: bigint;
  readonly after: { readonly virtualToken: bigint; readonly virtualQuote: bigint };
  readonly fees: FeeConfig;
};

/**
 * The curve's recorded TradeEvents whose fees are in the event: sales, and purchases by exact input.
 * Trades of the mayhem agent, which pays no fee, are left out: no holder can make them.
 */
export function readTrades(path: string): readonly RecordedTrade[] {
  const trades: RecordedTrade[] = [];
  for (const line of readFileSync(path, "utf8").trim().split("\n")) {
    const { venue, event, derived, signature, source, exact } = JSON.parse(line);
    if (venue !== "pump-curve" || exact !== true) continue;
    const isExactIn = event.ix_name?.startsWith("buy_exact") === true;
    if (derived.side === "buy" && !isExactIn) continue;
    const bps = (value: string | undefined): bigint => BigInt(value ?? "0");
    const flat = {
      lpBps: 0n,
      protocolBps: bps(event.fee_basis_points),
      creatorBps: bps(event.creator_fee_basis_points) || bps(event.cashback_fee_basis_points),
    };
    const gross = BigInt(derived.gross_quote);
    const token = BigInt(derived.token_amount);
    const isSell = derived.side === "sell";
    const feeOf = (rate: bigint): bigint => (gross * rate + 9999n) / 10_000n;
    const before = {
      virtualToken: BigInt(derived.pre_virtual_token_reserves),
      virtualQuote: BigInt(derived.pre_virtual_quote_reserves),
      realQuote: BigInt(derived.pre_real_quote_reserves),
    };
    const net = derived.user_net_quote ?? gross - feeOf(flat.protocolBps) - feeOf(flat.creatorBps);
    trades.push({
      name: signature ?? source,
      side: derived.side,
      amountIn: isSell ? token : BigInt(derived.user_net_quote),
      amountOut: isSell ? BigInt(net) : token,
      before,
      realTokenBefore: BigInt(event.real_token_reserves) + (isSell ? -token : token),
      after: {
        virtualToken: before.virtualToken + (isSell ? token : -token),
        virtualQuote: before.virtualQuote + (isSell ? -gross : gross),
      },
      fees: { flat, tiers: [{ threshold: 0n, rates: flat }], stableTiers: [], exotic: flat },
    });
  }
  return trades;
}

export type RecordedSwap = {
  readonly name: string;
  readonly side: "sell" | "buy";
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly virtualQuote: bigint;
  /** Null if the event names no creator: then no creator fee is taken, whatever rate it shows. */
  readonly coinCreator: Address | null;
  readonly rates: FeeRates;
};

/** PumpSwap's recorded SellEvents, and BuyEvents by exact input, with the rates that they paid. */
export function readSwaps(path: string): readonly RecordedSwap[] {
  const swaps: RecordedSwap[] = [];
  for (const line of readFileSync(path, "utf8").trim().split("\n")) {
    const { venue, event, derived, signature, source, exact } = JSON.parse(line);
    if (venue !== "pumpswap" || exact !== true) continue;
    const isSell = derived.side === "sell";
    if (!isSell && event.ix_name !== "buy_exact_quote_in") continue;
    const bps = (value: string | undefined): bigint => BigInt(value ?? "0");
    swaps.push({
      name: signature ?? source,
      side: derived.side,
      amountIn: BigInt(isSell ? derived.base_in : derived.spendable_quote_in),
      amountOut: BigInt(isSell ? derived.user_net_quote : derived.base_out),
      baseReserve: BigInt(derived.base_reserve),
      quoteReserve: BigInt(derived.quote_reserve),
      virtualQuote: bps(derived.virtual_quote_reserve),
      coinCreator: isNobody(event.coin_creator) ? null : address(event.coin_creator),
      rates: {
        lpBps: bps(event.lp_fee_basis_points),
        protocolBps: bps(event.protocol_fee_basis_points),
        creatorBps:
          bps(event.coin_creator_fee_basis_points) || bps(event.cashback_fee_basis_points),
      },
    });
  }
  return swaps;
}

/** Events from before creators were paid name none. */
function isNobody(creator: string | undefined): boolean {
  return creator === undefined || creator === SYSTEM_PROGRAM;
}
