import Type from "typebox";
import { AddressText, IntegerText, nullable, Timestamp } from "./value.ts";

const ChainWord = Type.Enum(["demo", "recorded", "live"]);

export const ExamplesBody = Type.Object(
  {
    chain: ChainWord,
    tokens: Type.Array(
      Type.Object({
        mint: AddressText,
        name: Type.String(),
        symbol: Type.String(),
        story: Type.Object({ es: Type.String(), en: Type.String() }),
      }),
    ),
  },
  { $id: "Examples" },
);

export const StatusBody = Type.Object(
  {
    chain: ChainWord,
    chain_age_seconds: nullable(Type.Number(), "Since the newest block's time"),
    slot: nullable(Type.Integer()),
    slot_lag: nullable(Type.Integer(), "Slots between the node's newest and the newest applied"),
    venues: Type.Array(
      Type.Object({ program: Type.String(), family: Type.String(), kind: Type.String() }),
    ),
    version: Type.String(),
  },
  { $id: "Status" },
);

export const ReadyBody = Type.Object(
  {
    status: Type.Enum(["ready", "not_ready"]),
    database: Type.Enum(["ok", "failing"]),
    chain_age_seconds: nullable(Type.Number()),
    slot_lag: nullable(Type.Integer()),
  },
  { $id: "Readiness" },
);

const AccuracyWindow = Type.Object(
  {
    seen: Type.Integer({ description: "Swaps that were executed on pools that are tracked" }),
    replayed: Type.Integer({ description: "Of these, replayed on the state before them" }),
    exact: Type.Integer({ description: "Modelled to the base unit" }),
    within_1bp: Type.Integer({ description: "Off by a basis point at most, exact ones included" }),
    worst_bps: nullable(Type.Number(), "The largest difference; null where nothing was replayed"),
    skipped: Type.Record(Type.String(), Type.Integer(), {
      description: "Seen and not replayed, by reason",
    }),
  },
  { $id: "AccuracyWindow" },
);

const QuotedWindow = Type.Object(
  {
    compared: Type.Integer({
      description: "Sales for SOL held against answers about their token, each with each",
    }),
    p10_bps: nullable(Type.Number(), "Basis points of the sale's worth; below zero: paid more"),
    p50_bps: nullable(Type.Number(), "Null where no sale was compared"),
    p90_bps: nullable(Type.Number()),
    p99_bps: nullable(Type.Number()),
  },
  { $id: "QuotedWindow" },
);

const Deployment = Type.Object(
  {
    state: Type.Enum(["upgradeable", "final", "immutable", "unknown"], {
      description:
        "upgradeable: its authority may replace it. final: nobody may any more. immutable: its loader replaces nothing, and keeps no slot. unknown: see unknown_because",
    }),
    unknown_because: nullable(
      Type.Enum(["not-read", "no-such-account", "no-code", "loader-unknown", "bytes-unreadable"]),
    ),
    read_at: nullable(Timestamp, "When a node last told of it"),
    upgrade_seen_at: nullable(
      Timestamp,
      "Since when its code is known to be another than before; null: no change was seen",
    ),
    previous_slot: nullable(Type.Integer(), "deployed_slot before that change"),
  },
  { $id: "Deployment" },
);

export const AccuracyBody = Type.Object(
  {
    venues: Type.Array(
      Type.Object({
        program: Type.String(),
        exact_pct: nullable(
          Type.Number(),
          "What confidence goes by; null where nothing was replayed",
        ),
        deployed_slot: nullable(
          Type.Integer(),
          "Slot in which the program's code was last deployed; null where it is not known or not kept",
        ),
        deployment: Deployment,
        windows: Type.Object({ hour: AccuracyWindow, day: AccuracyWindow, month: AccuracyWindow }),
      }),
    ),
    quoted_vs_executed: Type.Array(
      Type.Object({
        age_seconds: Type.Integer({ description: "Answers served up to so long before the sale" }),
        windows: Type.Object({ day: QuotedWindow, month: QuotedWindow }),
      }),
      {
        description:
          "What an answer's age costs: how much less than the answer said, at the sale's own size, sales were paid",
      },
    ),
  },
  { $id: "Accuracy" },
);

const AmountText = nullable(
  IntegerText,
  "Base units; lamports of SOL. Null where outcome is skipped",
);

const JudgedSwap = Type.Object(
  {
    program: Type.String(),
    pool: AddressText,
    slot: Type.Integer(),
    signature: Type.String({ description: "The transaction's, in base58" }),
    seen_at: Timestamp,
    deployed_slot: nullable(
      Type.Integer(),
      "Slot in which the code that executed it was deployed; null where that is not known",
    ),
    outcome: Type.Enum(["exact", "inexact", "refused", "skipped"], {
      description:
        "exact: modelled to the base unit. refused: the model would not fill what the program did. skipped: not replayed",
    }),
    skipped_because: nullable(Type.String(), "As counted in the windows of /api/accuracy"),
    input_mint: nullable(AddressText),
    output_mint: nullable(AddressText),
    amount_in: AmountText,
    executed: AmountText,
    modelled: nullable(IntegerText, "Null where outcome is refused or skipped"),
    difference: nullable(
      Type.String({ pattern: "^-?[0-9]+$" }),
      "modelled less executed, in base units of output_mint: lamports where SOL came out",
    ),
    difference_bps: nullable(
      Type.Number({ minimum: 0 }),
      "Its size in basis points of what was paid; 10000 where the model refuses; null where outcome is skipped",
    ),
  },
  { $id: "JudgedSwap" },
);

export const AccuracySwapsBody = Type.Object(
  { swaps: Type.Array(JudgedSwap, { description: "The last one first" }) },
  { $id: "AccuracySwaps" },
);
