import Type from "typebox";
import type { Assessment } from "#src/measure/assessment.ts";
import type { TokenFacts } from "#src/measure/market/market.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import {
  AddressText,
  IntegerText,
  NullableNumber,
  nullable,
  Timestamp,
  timestamp,
} from "../values.ts";
import { answerNow, PRESENT_OPERATION } from "./token-question.ts";

const BPS_PER_PERCENT = 100;

/** Whether the mint has a power or a setting. It is never null. */
const Status = Type.Enum(["none", "set", "unknown"], {
  description: "none: the mint has none; set: it has one; unknown: the mint account can't be read",
});

function addressSchema(description: string) {
  return Type.Object(
    { status: Status, address: nullable(AddressText, "Null unless set") },
    { description },
  );
}

const TokenBody = Type.Object(
  {
    token_id: AddressText,
    name: nullable(Type.String(), "The name in the token's metadata: untrusted text"),
    symbol: nullable(Type.String(), "The symbol in the token's metadata: untrusted text"),
    decimals: nullable(Type.Integer()),
    supply_units: nullable(IntegerText, "Total supply in base units, exact"),
    supply_tokens: nullable(Type.Number(), "Total supply in whole tokens"),
    mint_authority: addressSchema("May increase the supply"),
    freeze_authority: addressSchema("May freeze any holder's account, and thaw it"),
    permanent_delegate: addressSchema("May move or burn anybody's tokens"),
    transfer_hook: Type.Object(
      {
        status: Status,
        address: nullable(AddressText),
        authority: addressSchema("May set or replace the program"),
      },
      { description: "A program that each transfer calls, and that may refuse it" },
    ),
    transfer_fee: Type.Object(
      {
        status: Status,
        fee_pct: nullable(Type.Number(), "The fee now, in percent of the amount sent; 0: none"),
        max_fee_units: nullable(IntegerText, "Maximum for one transfer, in base units"),
        authority: addressSchema("May change it, two epochs ahead"),
        announced: Type.Object(
          {
            status: Status,
            from_epoch: nullable(Type.Integer()),
            fee_pct: NullableNumber,
            max_fee_units: nullable(IntegerText),
          },
          { description: "A fee that is announced and does not apply yet" },
        ),
      },
      { description: "Fee that is taken from each transfer; slippage includes it" },
    ),
    pausable: Type.Object(
      {
        status: Status,
        is_paused: nullable(Type.Boolean()),
        authority: addressSchema("May pause all transfers, and resume them"),
      },
      { description: "Whether all transfers can be stopped at once" },
    ),
    accounts_start_frozen: nullable(Type.Boolean(), "New holders' accounts have to be thawed"),
    is_transferable: nullable(Type.Boolean(), "False: a holder can only burn it"),
    slot: Type.Integer(),
    updated_at: Timestamp,
  },
  { $id: "Token" },
);

const NOBODY = { status: "none", address: null };
const SOMEBODY = "8h4fQdVJPmFkMJ7FzkyCY5EqCn3VdrLQKVuAtuuRNdsZ";

const TOKEN_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  name: "Three Pools",
  symbol: "THREE",
  decimals: 6,
  supply_units: "1000000000000000",
  supply_tokens: 1000000000,
  mint_authority: NOBODY,
  freeze_authority: { status: "set", address: SOMEBODY },
  permanent_delegate: NOBODY,
  transfer_hook: { ...NOBODY, authority: NOBODY },
  transfer_fee: {
    status: "set",
    fee_pct: 1,
    max_fee_units: "5000000000",
    authority: { status: "set", address: SOMEBODY },
    announced: { status: "none", from_epoch: null, fee_pct: null, max_fee_units: null },
  },
  pausable: { status: "none", is_paused: false, authority: NOBODY },
  accounts_start_frozen: false,
  is_transferable: true,
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
};

export const getToken = defineOperation({
  ...PRESENT_OPERATION,
  path: "/api/token/{id}",
  id: "getToken",
  tag: "token",
  summary: "A token's name, supply, and the powers of its mint over holders",
  description:
    "Read from the mint account itself, Token-2022 extensions included. Each power says none, set or unknown; null is never none. It lists facts and judges none of them. at_slot is refused: past mint accounts are not stored.",
  responses: {
    200: {
      description: "What is known of it; null for the rest",
      schema: TokenBody,
      example: TOKEN_EXAMPLE,
    },
  },
  handler: ({ params: { id } }, { markets }) =>
    answerNow(markets, { id, profile: "retail" }, (snapshot) => ({ body: tokenBody(snapshot) })),
});

/**
 * GET /api/token/{id}: the token's name, and the powers of its mint over holders.
 * Each of those says whether there is none, it is set, or it is not known: null never means none.
 */
function tokenBody({ assessment, name, symbol }: TokenAnswer) {
  const { token } = assessment;
  const setting = (address: (facts: TokenFacts) => string | null) => addressSetting(token, address);
  return {
    token_id: assessment.mint,
    name,
    symbol,
    decimals: assessment.decimals,
    supply_units: token === null ? null : String(token.supply),
    supply_tokens:
      token === null ? null : ratioToNumber(token.supply, 10n ** BigInt(token.decimals)),
    mint_authority: setting((facts) => facts.mintAuthority),
    freeze_authority: setting((facts) => facts.freezeAuthority),
    permanent_delegate: setting((facts) => facts.permanentDelegate),
    transfer_hook: {
      ...setting((facts) => facts.transferHook),
      authority: setting((facts) => facts.transferHookAuthority),
    },
    transfer_fee: transferFeeBody(token),
    pausable: {
      status: statusOf(token, (facts) => facts.pausable),
      is_paused: token === null ? null : (token.pausable?.isPaused ?? false),
      authority: setting((facts) => facts.pausable?.authority ?? null),
    },
    accounts_start_frozen: token?.startsFrozen ?? null,
    is_transferable: token === null ? null : !token.isNonTransferable,
    slot: toNumber(assessment.slot),
    updated_at: timestamp(assessment.stateTimeMs),
  };
}

type TokenAnswer = {
  readonly assessment: Assessment;
  readonly name: string | null;
  readonly symbol: string | null;
};

function transferFeeBody(token: TokenFacts | null) {
  const fee = token?.transferFee ?? null;
  const announced = fee?.announced ?? null;
  return {
    status: statusOf(token, (facts) => facts.transferFee),
    fee_pct: token === null ? null : (fee?.feeBps ?? 0) / BPS_PER_PERCENT,
    max_fee_units: fee === null ? null : String(fee.maximum),
    authority: addressSetting(token, (facts) => facts.transferFee?.authority ?? null),
    announced: {
      status: statusOf(token, (facts) => facts.transferFee?.announced ?? null),
      from_epoch: announced === null ? null : toNumber(announced.epoch),
      fee_pct: announced === null ? null : announced.feeBps / BPS_PER_PERCENT,
      max_fee_units: announced === null ? null : String(announced.maximum),
    },
  };
}

function addressSetting(token: TokenFacts | null, addressOf: (facts: TokenFacts) => string | null) {
  return {
    status: statusOf(token, addressOf),
    address: token === null ? null : addressOf(token),
  };
}

function statusOf(token: TokenFacts | null, settingOf: (facts: TokenFacts) => unknown) {
  if (token === null) return "unknown";
  return settingOf(token) === null ? "none" : "set";
}
