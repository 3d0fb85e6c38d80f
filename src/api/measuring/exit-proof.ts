import Type from "typebox";
import type { Profile } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { SaleOutcome, SaleProof } from "#src/proof/prover.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import { errorSchema, RateLimitBody } from "../error-bodies.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, IntegerText, nullable, ProfileWord } from "../values.ts";
import { EXIT_SIZE_FIELDS, saleOfSize, UNSELLABLE_REASONS } from "./exit-at.ts";
import {
  answerNow,
  NO_SLOT_FIELD,
  PROFILE_FIELD,
  TOKEN_ERRORS,
  TOKEN_OPERATION,
} from "./token-question.ts";

const Outcome = Type.Object({
  amount_out: nullable(IntegerText, "Base units of output_mint; null: refused"),
  refusal: nullable(Type.String(), "The model's reason, or the program's own error"),
});

const ProvedSale = Type.Object({
  program: Type.String(),
  pools: Type.Array(AddressText, {
    minItems: 1,
    description: "Several where one instruction sells through them",
  }),
  input_mint: AddressText,
  output_mint: AddressText,
  amount_in: IntegerText,
  program_id: nullable(AddressText),
  program_hash: nullable(Type.String(), "SHA-256 of the deployed code, zeros at its end left out"),
  deployed_slot: nullable(Type.Integer(), "Null also where the loader stores none"),
  modelled: Outcome,
  executed: nullable(Outcome, "Null: not executed, for the reason in unproved"),
  is_equal: nullable(Type.Boolean(), "Two refusals are equal whatever their words"),
  compute_units: Type.Integer(),
  unproved: nullable(Type.String()),
});

/** Each sale of an exit as the deployed program executed it on the accounts of the answer. */
const ExitProofBody = Type.Object(
  {
    token_id: AddressText,
    profile: ProfileWord,
    slot: Type.Integer(),
    reason: nullable(Type.Enum([...UNSELLABLE_REASONS]), "As in exitability/at"),
    modelled_lamports: nullable(IntegerText, "What the exit pays; null: it can't be sold whole"),
    is_equal: nullable(Type.Boolean(), "Of all sales; null: not every sale was executed"),
    sales: Type.Array(ProvedSale),
  },
  { $id: "ExitProof" },
);

const EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "retail",
  slot: 420000000,
  reason: null,
  modelled_lamports: "2478200000",
  is_equal: true,
  sales: [
    {
      program: "raydium-cpmm",
      pools: ["7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5"],
      input_mint: EXAMPLE_MINT,
      output_mint: WSOL,
      amount_in: "500000000000",
      program_id: "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C",
      program_hash: "af0a49f61578e94f91a968a6dacb6d22b4392c6bc07c363e76e9c97b8bad27e2",
      deployed_slot: 413000000,
      modelled: { amount_out: "2478200000", refusal: null },
      executed: { amount_out: "2478200000", refusal: null },
      is_equal: true,
      compute_units: 31250,
      unproved: null,
    },
  ],
};

export const getExitProof = defineOperation({
  ...TOKEN_OPERATION,
  isConditional: false,
  path: "/api/token/{id}/exitability/proof",
  id: "getExitProof",
  tag: "exitability",
  summary: "An exit, sale by sale, executed by the deployed programs",
  description:
    "Executes each sale of exitability/at in a local VM with the programs' deployed code, on the accounts that the answer was computed from, and compares to the lamport. Nothing is signed or sent. Where the pools refuse the size, the refusals are executed. Counts as one query; at most 10 a minute.",
  callerPerMinute: 10,
  query: Type.Object({ profile: PROFILE_FIELD, at_slot: NO_SLOT_FIELD, ...EXIT_SIZE_FIELDS }),
  responses: {
    200: {
      description: "Modelled and executed amounts",
      schema: ExitProofBody,
      example: EXAMPLE,
    },
  },
  errors: [
    ...TOKEN_ERRORS.errors,
    "invalid_profile",
    "invalid_size",
    "invalid_body",
    "proof_unavailable",
  ],
  errorSchemas: {
    ...TOKEN_ERRORS.errorSchemas,
    // The tier's limit, or the ten a minute of this endpoint.
    429: Type.Union([RateLimitBody, errorSchema(["rate_limit_exceeded"])]),
  },
  prepare: ({ query }) => saleOfSize(query),
  handler: ({ params: { id }, query: { profile }, question: saleOf }, { markets, proofOf }) =>
    answerNow(markets, { id, profile }, async ({ assessment }, mint) => {
      const sale = saleOf(assessment.decimals);
      if (sale === null) {
        throw new AppError("proof_unavailable", {
          publicMessage: "No proof: the token's decimals are unknown.",
        });
      }
      const proof = await proofOf(mint, sale);
      return { body: bodyOf({ mint, profile, proof }) };
    }),
});

function bodyOf(answer: {
  readonly mint: string;
  readonly profile: Profile;
  readonly proof: ExitProof;
}) {
  const { slot, exit, sales, isEqual } = answer.proof;
  return {
    token_id: answer.mint,
    profile: answer.profile,
    slot: toNumber(slot),
    reason: exit.kind === "unsellable" ? exit.reason : null,
    modelled_lamports: exit.kind === "sold" ? String(exit.paidLamports) : null,
    is_equal: isEqual,
    sales: sales.map(saleBody),
  };
}

/** Exported for the command line, which prints the same. */
export function saleBody(sale: SaleProof) {
  const { program } = sale;
  const slot = program?.deployedSlot ?? null;
  return {
    program: sale.venue,
    pools: sale.hops?.map(({ pool }) => pool) ?? [sale.pool],
    input_mint: sale.inputMint,
    output_mint: sale.outputMint,
    amount_in: String(sale.amountIn),
    program_id: program?.programId ?? null,
    program_hash: program?.hash ?? null,
    deployed_slot: slot === null ? null : toNumber(slot),
    modelled: outcomeBody(sale.modelled),
    executed: sale.executed === null ? null : outcomeBody(sale.executed),
    is_equal: sale.isEqual,
    compute_units: toNumber(sale.computeUnits),
    unproved: sale.unproved,
  };
}

function outcomeBody(outcome: SaleOutcome) {
  return outcome.kind === "paid"
    ? { amount_out: String(outcome.amount), refusal: null }
    : { amount_out: null, refusal: outcome.reason };
}
