import Type from "typebox";
import {
  JUDGED_PROGRAMS,
  MAX_PUBLISHED_SWAPS,
  type PublishedSwap,
} from "#src/accuracy/judged-swap-reader.ts";
import { toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, countText, IntegerText, nullable, Timestamp, timestamp } from "../values.ts";
import { OPEN_OPERATION } from "./open-operation.ts";

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

const AccuracySwapsBody = Type.Object(
  { swaps: Type.Array(JudgedSwap, { description: "The last one first" }) },
  { $id: "AccuracySwaps" },
);

export const getAccuracySwaps = defineOperation({
  ...OPEN_OPERATION,
  path: "/api/accuracy/swaps",
  id: "getAccuracySwaps",
  summary: "The last swaps, one by one",
  description:
    "What each paid and what the model says, with the slot in which the code that ran was deployed. They are stored every few seconds. A swap that named its output is judged by its cost: modelled is then what amount_in buys at the modelled cost. Of a program with more than fifty a second some are left out here, and counted in /api/accuracy all the same.",
  query: Type.Object({
    program: Type.Optional(
      Type.Enum([...JUDGED_PROGRAMS], { description: "Only swaps of this program" }),
    ),
    limit: countText(
      "limit",
      { minimum: 1, maximum: MAX_PUBLISHED_SWAPS, default: 50 },
      "How many at most",
    ),
  }),
  responses: {
    200: {
      description: "The last one first",
      schema: AccuracySwapsBody,
      example: {
        swaps: [
          {
            program: "raydium-cpmm",
            pool: "7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny",
            slot: 431172512,
            signature:
              "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
            seen_at: "2026-11-20T12:00:00.000Z",
            deployed_slot: 431172301,
            outcome: "inexact",
            skipped_because: null,
            input_mint: EXAMPLE_MINT,
            output_mint: "So11111111111111111111111111111111111111112",
            amount_in: "1250000000",
            executed: "498750000",
            modelled: "498875000",
            difference: "125000",
            difference_bps: 2.51,
          },
        ],
      },
    },
  },
  errors: ["invalid_body"],
  async handler({ query: { program = null, limit } }, { accuracy }) {
    return { body: swapsBody(await accuracy.swaps.last({ program, limit })) };
  },
});

/** GET /api/accuracy/swaps. Amounts are decimal text; null: not replayed, or refused by the model. */
export function swapsBody(swaps: readonly PublishedSwap[]) {
  return { swaps: swaps.map(swapBody) };
}

function swapBody({ outcome, differenceBps, ...swap }: PublishedSwap) {
  const replayed = outcome.kind === "replayed" ? outcome : null;
  const modelled = replayed?.modelled ?? null;
  return {
    program: swap.venue,
    pool: swap.pool,
    slot: toNumber(swap.slot),
    signature: swap.signature,
    seen_at: timestamp(swap.atMs),
    deployed_slot: swap.deployedSlot === null ? null : toNumber(swap.deployedSlot),
    outcome: outcomeWord(outcome),
    skipped_because: outcome.kind === "skipped" ? outcome.reason : null,
    input_mint: replayed?.inputMint ?? null,
    output_mint: replayed?.outputMint ?? null,
    amount_in: decimal(replayed?.amountIn ?? null),
    executed: decimal(replayed?.executed ?? null),
    modelled: decimal(modelled),
    difference: decimal(
      replayed === null || modelled === null ? null : modelled - replayed.executed,
    ),
    difference_bps: differenceBps,
  };
}

function outcomeWord(outcome: PublishedSwap["outcome"]) {
  if (outcome.kind === "skipped") return "skipped";
  if (outcome.modelled === null) return "refused";
  return outcome.modelled === outcome.executed ? "exact" : "inexact";
}

function decimal(amount: bigint | null): string | null {
  return amount === null ? null : String(amount);
}
