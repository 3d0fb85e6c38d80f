export type MathErrorCode = "out-of-range" | "overflow" | "underflow" | "division-by-zero";

/**
 * An integer left the width that the program gives it, where the program itself would abort.
 *
 * `quoteExactIn` of a venue turns it into an unfillable quote; nothing else catches it.
 */
export class MathError extends Error {
  readonly code: MathErrorCode;
  readonly context: Readonly<Record<string, unknown>>;

  constructor(code: MathErrorCode, context: Readonly<Record<string, unknown>> = {}) {
    super(
      `${code}: ${Object.entries(context)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(" ")}`,
    );
    this.name = "MathError";
    this.code = code;
    this.context = context;
  }
}
