import { MathError } from "#src/units/math-error.ts";
import { BytesEnded } from "../byte-reader.ts";
import type { Decoded, UnfillableReason, UnusableReason } from "../venue.ts";

export type Unfillable = { readonly kind: "unfillable"; readonly reason: UnfillableReason };

export function unfillable(reason: UnfillableReason): Unfillable {
  return { kind: "unfillable", reason };
}

/** Thrown inside a decoder; `decodedOrUnusable` turns it into a value. */
export class UnusableError extends Error {
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** @throws UnusableError where a decoder found other bytes than the program writes */
export function decodable<Value>(found: Value | null, what: string): Value {
  if (found === null) throw new UnusableError("undecodable", what);
  return found;
}

/** The decoded state; bytes that end early and values outside the program's integers are undecodable. */
export function decodedOrUnusable<State>(read: () => State): Decoded<State> {
  try {
    return { kind: "pool", state: read() };
  } catch (error) {
    if (error instanceof UnusableError) {
      return { kind: "unusable", reason: error.reason, detail: error.message };
    }
    if (error instanceof BytesEnded || error instanceof MathError) {
      return { kind: "unusable", reason: "undecodable", detail: error.message };
    }
    throw error;
  }
}

/** The result of a swap; unfillable where an intermediate result leaves the program's integers. */
export function filledOrUnfillable<Result>(
  swap: () => Result,
  reasonOf: (error: MathError) => UnfillableReason = () => "overflow",
): Result | Unfillable {
  try {
    return swap();
  } catch (error) {
    if (error instanceof MathError) return unfillable(reasonOf(error));
    throw error;
  }
}

/** Why a reserve pool refuses: a reserve below zero, a division by an empty one, or a width exceeded. */
export function reserveRefusal(error: MathError): UnfillableReason {
  if (error.code === "underflow") return "insufficient-liquidity";
  return error.code === "division-by-zero" ? "refused" : "overflow";
}

/** The result, or null where the program's integers would fail. */
export function nullOnMathError<Result>(compute: () => Result): Result | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof MathError) return null;
    throw error;
  }
}
