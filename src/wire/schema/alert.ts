import Type from "typebox";
import { AddressText, IntegerText, NullableNumber, nullable, Timestamp } from "./value.ts";

/** An alert as the feed, the stream and a webhook tell it; what is not known is null. */
export const AlertItem = Type.Object(
  {
    id: IntegerText,
    entry_id: Type.Integer({ description: "The watchlist entry that it was for" }),
    mint: AddressText,
    token_name: nullable(Type.String()),
    token_symbol: nullable(Type.String()),
    size_sol: Type.Number(),
    kind: Type.Enum(["deterioration", "slippage", "no-exit"]),
    cause: Type.Enum(["liquidity-withdrawn", "sells", "fees-raised", "trading-paused", "unknown"]),
    share_pct: nullable(Type.Number(), "What the cause has of the fall, percent"),
    slot: Type.Integer(),
    slippage_before_pct: NullableNumber,
    slippage_after_pct: NullableNumber,
    c10_before_sol: NullableNumber,
    c10_after_sol: NullableNumber,
    depth_before_sol: NullableNumber,
    depth_after_sol: NullableNumber,
    since: Timestamp,
    created_at: Timestamp,
    text: Type.String({ description: "The alert in words, by Accept-Language" }),
    grade: nullable(
      Type.Object({
        graded_at: Timestamp,
        was_worse: Type.Boolean(),
        waited_cost_pct: NullableNumber,
      }),
      "How it came out half an hour later; null until then, and where it can't be told",
    ),
  },
  { $id: "Alert" },
);

export const ChannelKindWord = Type.Enum(["email", "webhook", "telegram"]);

export const ChannelItem = Type.Object(
  {
    id: IntegerText,
    kind: ChannelKindWord,
    target: Type.String(),
    status: Type.Enum(["pending", "verified", "failing"]),
    enabled: Type.Boolean(),
    created_at: Timestamp,
    last_delivery_at: nullable(Timestamp),
    last_error: nullable(Type.String()),
  },
  { $id: "Channel" },
);

export const ChannelsBody = Type.Object(
  {
    items: Type.Array(ChannelItem),
    dead_letters: Type.Array(
      Type.Object({
        alert_id: IntegerText,
        channel_id: IntegerText,
        kind: ChannelKindWord,
        failed_at: Timestamp,
        error: Type.String(),
      }),
    ),
  },
  { $id: "Channels" },
);

export const AddedChannelBody = Type.Object(
  {
    status: Type.Enum(["pending", "verified"]),
    id: IntegerText,
    secret: nullable(Type.String(), "A webhook's signing secret, shown this once"),
    verification: Type.String({ description: "What to do next, in a sentence" }),
  },
  { $id: "AddedChannel" },
);
