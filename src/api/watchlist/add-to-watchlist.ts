import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { accountGone, statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { AddressField } from "../values.ts";
import { SizeSolField } from "./watchlist-fields.ts";

const NO_TOKENS: ReadonlySet<Address> = new Set([
  WSOL,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
]);

export const addToWatchlist = defineOperation({
  method: "post",
  path: "/api/oracle/watchlist",
  id: "addToWatchlist",
  tag: "watchlist",
  summary: "Watch a token",
  body: {
    schema: Type.Object({ mint: AddressField, size_sol: Type.Optional(SizeSolField) }),
    example: { mint: EXAMPLE_MINT, size_sol: 5 },
  },
  access: "session",
  responses: { 201: statusResponse("added", { id: Type.Integer() }, { id: 1 }) },
  errors: [...WRITE_ERRORS, "invalid_mint", "invalid_size", "limit_reached", "duplicate"],
  async handler({ caller: { userId }, body }, { watchlist }) {
    const sizeLamports = body.size_sol ?? LAMPORTS_PER_SOL;
    if (NO_TOKENS.has(body.mint))
      throw new AppError("invalid_mint", {
        publicMessage: "This is SOL itself or a program, not a token.",
      });
    const added = await watchlist.add({ userId, mint: body.mint, sizeLamports });
    switch (added.kind) {
      case "added":
        return { body: { status: "added", id: Number(added.id) } };
      case "duplicate":
        throw new AppError("duplicate", { publicMessage: "You watch this token already." });
      case "limit-reached":
        throw limitReached(added.limit);
      case "no-user":
        throw accountGone();
      default:
        return assertNever(added);
    }
  },
});

function limitReached(limit: number): AppError {
  const tokens = limit === 1 ? "1 token" : `${limit} tokens`;
  return new AppError("limit_reached", {
    publicMessage: `Your tier watches ${tokens} at most; remove an entry or change your tier.`,
  });
}
