import Type from "typebox";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { AMM_OF_FAMILY } from "../words.ts";
import {
  AddressText,
  IntegerText,
  NullableNumber,
  nullable,
  ProfileWord,
  Timestamp,
} from "./value.ts";

/** Whether the mint has something: null is never an answer to that. */
const Status = Type.Enum(["none", "set", "unknown"], {
  description: "none: it has none; set: it has; unknown: the mint account can't be read",
});

function addressSetting(description: string) {
  return Type.Object(
    { status: Status, address: nullable(AddressText, "Null unless set") },
    { description },
  );
}

export const TokenBody = Type.Object(
  {
    token_id: AddressText,
    name: nullable(Type.String(), "The token's own word for itself: untrusted text"),
    symbol: nullable(Type.String(), "Untrusted text too"),
    decimals: nullable(Type.Integer()),
    supply_units: nullable(IntegerText, "All of it there is, in base units, exact"),
    supply_tokens: nullable(Type.Number(), "The same in whole tokens"),
    mint_authority: addressSetting("May make more of it"),
    freeze_authority: addressSetting("May freeze any holder's account, and thaw it"),
    permanent_delegate: addressSetting("May move or burn anybody's tokens"),
    transfer_hook: Type.Object(
      {
        status: Status,
        address: nullable(AddressText),
        authority: addressSetting("May name another program, or a first one"),
      },
      { description: "A program that each transfer calls, and that may refuse it" },
    ),
    transfer_fee: Type.Object(
      {
        status: Status,
        fee_pct: nullable(Type.Number(), "What holds now, percent of what is sent; 0: nothing"),
        max_fee_units: nullable(IntegerText, "Of one transfer at the most, in base units"),
        authority: addressSetting("May change it, two epochs ahead"),
        announced: Type.Object(
          {
            status: Status,
            from_epoch: nullable(Type.Integer()),
            fee_pct: NullableNumber,
            max_fee_units: nullable(IntegerText),
          },
          { description: "Another fee that is to come" },
        ),
      },
      { description: "What each transfer loses on its way; slippage includes it" },
    ),
    pausable: Type.Object(
      {
        status: Status,
        is_paused: nullable(Type.Boolean()),
        authority: addressSetting("May pause all transfers, and resume them"),
      },
      { description: "Whether all transfers can be stopped at once" },
    ),
    accounts_start_frozen: nullable(Type.Boolean(), "New holders' accounts have to be thawed"),
    is_transferable: nullable(Type.Boolean(), "False: whoever has it can only burn it"),
    slot: Type.Integer(),
    updated_at: Timestamp,
  },
  { $id: "Token" },
);

export const PoolsBody = Type.Object(
  {
    token_id: AddressText,
    slot: Type.Integer(),
    updated_at: Timestamp,
    state: Type.Enum(["ok", "bloqueado_dato"], { description: "As in exitability" }),
    pools: nullable(
      Type.Array(
        Type.Object({
          program: Type.String({ description: "The program, as in /api/status" }),
          amm: Type.Enum(Object.values(AMM_OF_FAMILY), {
            description: "The program's family, as in exitability",
          }),
          address: AddressText,
          quote_mint: AddressText,
          status: Type.String({
            description: "open, paused, not-open-yet, complete or migrated",
          }),
          depth_sol: Type.Number({ description: "SOL that selling can still take out of it" }),
          share_pct: nullable(Type.Number(), "Of the depth of all pools together, percent"),
          spot_price: nullable(Type.Number(), "SOL per whole token, before fees"),
          fee_pct: Type.Number({
            description:
              "What a small sale loses to fees here now: every part of the pool's own, and the token's transfer fee",
          }),
        }),
      ),
      "Null where state is bloqueado_dato: what they hold is not known; empty: there are none",
    ),
  },
  { $id: "Pools" },
);

const Leg = Type.Object({
  program: Type.String(),
  pool: AddressText,
  input_mint: AddressText,
  output_mint: AddressText,
  amount_in: IntegerText,
  amount_out: IntegerText,
});

/** A sale of any size. Where it can't be made whole, `reason` says why and every figure is null. */
export const ExitAtBody = Type.Object(
  {
    token_id: AddressText,
    profile: ProfileWord,
    slot: Type.Integer(),
    updated_at: Timestamp,
    age_seconds: Type.Number({ minimum: 0 }),
    state: Type.Enum(["ok", "bloqueado_dato", "no_exit"], {
      description: "no_exit: it can't be sold whole, for sure; bloqueado_dato: nobody can know now",
    }),
    reason: nullable(
      Type.Enum([
        "blocked",
        "no-market",
        "exceeds-supply",
        "size-not-allowed",
        "too-small",
        "insufficient-liquidity",
      ]),
      "Why it can't be sold whole; null where it can. blocked: as in exitability; no-market: no pool buys a first unit; exceeds-supply: more than there is of the token; size-not-allowed: above 10 SOL where amm is otro; too-small: worth less than a base unit or a lamport; insufficient-liquidity: the pools run out",
    ),
    size_sol: nullable(Type.Number(), "Worth at the mid price"),
    tokens_sold: nullable(Type.Number(), "Whole tokens"),
    net_sol: nullable(Type.Number(), "What arrives, after every fee but the network's"),
    net_lamports: nullable(IntegerText, "The same, exact"),
    slippage_pct: NullableNumber,
    price_impact_pct: nullable(Type.Number(), "What of the slippage is not fees"),
    average_price: nullable(Type.Number(), "SOL per whole token"),
    routes: Type.Array(
      Type.Object({
        share_pct: Type.Number(),
        net_sol: Type.Number(),
        legs: Type.Array(Leg, { minItems: 1 }),
      }),
    ),
  },
  { $id: "ExitAt" },
);

export const HistoryBody = Type.Object(
  {
    token_id: AddressText,
    step_seconds: Type.Number(),
    points: Type.Array(
      Type.Object({
        t: Timestamp,
        c10_sol: nullable(Type.Number(), "Largest size that sold below 10 % slippage"),
        depth_sol: NullableNumber,
        score: nullable(
          Type.Number({ minimum: 0, maximum: 100 }),
          "0 to 100, of the retail profile; null where the token was blocked or nothing was known",
        ),
        slippage: Type.Object(
          Object.fromEntries(STANDARD_SIZES.map((size) => [size, NullableNumber])),
        ),
        confianza: nullable(Type.Enum(["alta", "media", "baja"])),
      }),
    ),
    alerts: Type.Array(
      Type.Object({
        id: IntegerText,
        started_at: Timestamp,
        ended_at: nullable(Timestamp),
        detector: Type.String(),
        cause: Type.Enum([
          "liquidity-withdrawn",
          "sells",
          "fees-raised",
          "trading-paused",
          "unknown",
        ]),
        share_pct: nullable(
          Type.Number({ minimum: 0, maximum: 100 }),
          "What the cause took of the whole fall, percent; null where no cause is known, and for alerts recorded before it was kept",
        ),
        slot: Type.Integer(),
        c10_before_sol: Type.Number(),
        c10_after_sol: Type.Number(),
        depth_before_sol: NullableNumber,
        depth_after_sol: NullableNumber,
      }),
    ),
  },
  { $id: "History" },
);
