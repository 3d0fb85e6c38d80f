import Type from "typebox";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { AddressText, NullableNumber, nullable, ProfileWord, Timestamp } from "./value.ts";

const StressLadder = Type.Object({
  depth_sol: Type.Number({ description: "SOL that sellers can take out, down to price zero" }),
  precio_mid: nullable(Type.Number(), "SOL per whole token; null where nothing can be sold"),
  score: Type.Number({ minimum: 0, maximum: 100 }),
  exit_max_sol: Type.Number({ description: "The largest standard size below 10 %; 0: none" }),
  slippage: Type.Object(Object.fromEntries(STANDARD_SIZES.map((size) => [size, NullableNumber])), {
    description:
      "Percent by size in SOL, each worth that at this ladder's own mid; null: can't be sold whole",
  }),
});

const percent = (description: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 100 }), description);

/** A pool of a stressed exit. What is not known is null, and `reason` says why. */
const StressedPool = Type.Object({
  program: Type.String({ description: "The program, as in /api/status" }),
  address: AddressText,
  depth_sol: nullable(Type.Number(), "SOL that selling can take out of it now; null: not known"),
  who: Type.Enum(["known", "nobody", "unknown"], {
    description:
      "Whether it is known who can take its liquidity out; nobody: a launchpad's curve has no shares",
  }),
  reason: nullable(
    Type.Enum([
      "positions-not-read",
      "holders-not-read",
      "shares-do-not-add-up",
      "not-among-the-deepest",
      "withdrawal-not-modelled",
      "not-priced",
    ]),
    "Why it is not known; null where it is",
  ),
  leaving_sol: nullable(
    Type.Number({ minimum: 0 }),
    "What of its depth leaves with the withdrawal; null: not known",
  ),
  largest_pct: percent("Of its shares, those of the one who holds most and may withdraw"),
  burned_pct: percent("Burned, never issued, or held where nobody signs"),
  locked_pct: percent("Held by a locker that gives back fees and never the liquidity"),
  unlisted_pct: percent("In accounts beyond the twenty largest: each smaller than any of these"),
  holders_slot: nullable(Type.Integer(), "The slot at which the holders were read"),
});

/** The exits now, and after the largest withdrawal that is known to be possible. */
export const StressedExitBody = Type.Object(
  {
    token_id: AddressText,
    profile: ProfileWord,
    slot: Type.Integer(),
    updated_at: Timestamp,
    age_seconds: Type.Number({ minimum: 0 }),
    state: Type.Enum(["ok", "partial", "unknown", "bloqueado_dato"], {
      description:
        "ok: of every pool it is known who can withdraw. partial: of some; the others stand unchanged in `stressed`, which may be too good. unknown: of none, or what would be left can't be measured; there is no `stressed`",
    }),
    now: nullable(StressLadder, "Null where the token is blocked"),
    stressed: nullable(StressLadder, "Null where it is not known; never the same as safe"),
    withdrawal: nullable(
      Type.Object({
        owner: AddressText,
        owner_kind: Type.Enum(["wallet", "program"], {
          description:
            "program: a program signs for it; whether it lets anybody withdraw is not known, and taken to be so",
        }),
        depth_sol: Type.Number({ description: "What of the depth leaves" }),
        share_pct: Type.Number({ minimum: 0, maximum: 100, description: "Of the whole depth" }),
      }),
      "The largest that one owner can make; null: nobody is known who can, which is not that nobody can",
    ),
    pools: nullable(Type.Array(StressedPool), "Null where no market of the token is held"),
  },
  { $id: "StressedExit" },
);
