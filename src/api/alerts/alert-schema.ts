import Type from "typebox";
import { EXAMPLE_MINT, EXAMPLE_TIME } from "../examples.ts";
import { AddressText, IntegerText, NullableNumber, nullable, Timestamp } from "../values.ts";

export const CauseWord = Type.Enum([
  "liquidity-withdrawn",
  "sells",
  "fees-raised",
  "trading-paused",
  "unknown",
]);

/** An alert as the feed, the stream and webhooks return it. Unknown values are null. */
export const AlertItem = Type.Object(
  {
    id: IntegerText,
    entry_id: Type.Integer({ description: "The watchlist entry that it was for" }),
    mint: AddressText,
    token_name: nullable(Type.String()),
    token_symbol: nullable(Type.String()),
    size_sol: Type.Number(),
    kind: Type.Enum(["deterioration", "slippage", "no-exit", "blocked"]),
    cause: CauseWord,
    share_pct: nullable(Type.Number(), "The share of the loss that the cause explains, percent"),
    gone_pct: nullable(
      Type.Number(),
      "The share of the earlier exit capacity that is gone, percent",
    ),
    causes: nullable(
      Type.Object({
        "liquidity-withdrawn": Type.Number(),
        sells: Type.Number(),
        "fees-raised": Type.Number(),
        "trading-paused": Type.Number(),
      }),
      "The share of the loss that each cause explains, percent",
    ),
    slot: Type.Integer(),
    commitment: Type.Enum(["processed", "confirmed"], { description: "Of the slot, at the alert" }),
    taken_back_at: nullable(Timestamp, "When its slot was dropped: the fall is void"),
    slippage_before_pct: NullableNumber,
    slippage_after_pct: NullableNumber,
    c10_before_sol: NullableNumber,
    c10_after_sol: NullableNumber,
    depth_before_sol: NullableNumber,
    depth_after_sol: NullableNumber,
    since: Timestamp,
    created_at: Timestamp,
    text: Type.String({
      description:
        "The alert in words, by Accept-Language; in a webhook, by that of the request that added it",
    }),
    grade: nullable(
      Type.Object({
        graded_at: Timestamp,
        was_worse: Type.Boolean(),
        waited_cost_pct: NullableNumber,
      }),
      "How it came out half an hour later; null until then, and if it is not known",
    ),
  },
  { $id: "Alert" },
);

export const ALERT_EXAMPLE = {
  id: "7",
  entry_id: 1,
  mint: EXAMPLE_MINT,
  token_name: "Three Pools",
  token_symbol: "THREE",
  size_sol: 5,
  kind: "slippage",
  cause: "liquidity-withdrawn",
  share_pct: 82,
  gone_pct: 75.2,
  causes: { "liquidity-withdrawn": 82, sells: 18, "fees-raised": 0, "trading-paused": 0 },
  slot: 420_000_000,
  commitment: "confirmed",
  taken_back_at: null,
  slippage_before_pct: 4.2,
  slippage_after_pct: 31.5,
  c10_before_sol: 12.5,
  c10_after_sol: 3.1,
  depth_before_sol: 240,
  depth_after_sol: 61,
  since: EXAMPLE_TIME,
  created_at: EXAMPLE_TIME,
  text: "THREE: a position of 5 SOL sells at 31.5 % slippage, 4.2 % before.",
  grade: null,
};
