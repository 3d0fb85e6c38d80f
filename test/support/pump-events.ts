import { readFileSync } from "node:fs";
import type { FeeConfig } from "#src/venues/pump-fees/fee-config.ts";

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
