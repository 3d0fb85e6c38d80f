import { AppError } from "#src/platform/app-error.ts";

/** A question waits at most so long for the first load of a token. */
const LONGEST_LOAD_MS = 8_000;

/**
 * The load goes on when the caller is answered: the next question finds it done.
 *
 * @throws AppError chain_unavailable if it takes too long
 */
export async function loadInTime<Result>(load: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new AppError("chain_unavailable", {
        publicMessage:
          "The Solana node is slow: the token is still being loaded; try again in a moment.",
        context: { afterMs: LONGEST_LOAD_MS },
        retryable: true,
      }),
    );
  }, LONGEST_LOAD_MS);
  try {
    return await Promise.race([load, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
