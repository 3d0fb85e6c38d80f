import type { Address } from "#src/units/address.ts";
import type { Account } from "../../account-set.ts";
import { u64AsDouble } from "../../fast-bytes.ts";
import { TOKEN_ACCOUNT } from "./token-account.ts";

/**
 * What a token account of that program holds, in base units as a double, for the fast paths; NaN
 * where it is none, or is frozen. Exact below 2^53. Which mint it is of is not checked again: a
 * token account never changes it.
 */
export function fastBalance(account: Account | null | undefined, program: Address | null): number {
  if (!account || account.owner !== program || account.data.length < TOKEN_ACCOUNT.length)
    return Number.NaN;
  return account.data[TOKEN_ACCOUNT.state] === TOKEN_ACCOUNT.initialized
    ? u64AsDouble(account.data, TOKEN_ACCOUNT.amount)
    : Number.NaN;
}
