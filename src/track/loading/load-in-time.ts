import { AppError } from "#src/platform/app-error.ts";

/** Longest time that a request waits for the first load of a token. */
const LONGEST_LOAD_MS = 8_000;

/**
 * Waits for a load, but not too long. The load continues after a timeout, so that the next request can
 * find the token loaded.
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
      }),
    );
  }, LONGEST_LOAD_MS);
  try {
    return await Promise.race([load, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
