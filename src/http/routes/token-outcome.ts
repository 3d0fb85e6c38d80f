import type { Profile } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { MarketSource } from "#src/track/market-snapshot.ts";
import { parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { exitabilityBody, type RequestedSize } from "#src/wire/exitability.ts";
import type { Language } from "#src/wire/notice.ts";
import type { TokenOutcome } from "#src/wire/schema/batch.ts";
import { STATUS_OF_CODE } from "../plugins/errors.ts";

export type ManyQuestion = {
  readonly profile: Profile;
  readonly size: RequestedSize;
  readonly language: Language;
};

/** How one of many tokens turned out: as its own request would have been answered. */
export async function outcomeOf(
  markets: Pick<MarketSource, "snapshot" | "latest">,
  id: string,
  question: ManyQuestion,
): Promise<TokenOutcome> {
  const mint = parseAddress(id);
  if (mint === null) return failed(id, 404, "not_found", "This is not a Solana address.");
  if (mint === WSOL) return failed(id, 404, "not_found", "This is SOL itself.");
  try {
    const snapshot = markets.latest(mint) ?? (await markets.snapshot(mint));
    switch (snapshot.kind) {
      case "assessed": {
        const { assessment, trend, isDeteriorating } = snapshot;
        const exitability = exitabilityBody({ assessment, trend, isDeteriorating, ...question });
        return { token_id: id, status: 200, exitability, error: null, message: null };
      }
      case "not-found":
        return failed(id, 404, "not_found", "It has no pool or curve on any program we model.");
      case "unavailable":
        return failed(id, 503, "chain_unavailable", "The chain can't be reached.");
      default: {
        const unreachable: never = snapshot;
        return unreachable;
      }
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(id, STATUS_OF_CODE[error.code], error.code, error.publicMessage);
  }
}

/** What lies beyond the caller's limit: not asked, and not counted. */
export function beyondLimit(id: string): TokenOutcome {
  return failed(id, 429, "rate_limit_exceeded", "The day's queries were used up before this one.");
}

function failed(id: string, status: number, error: string, message: string): TokenOutcome {
  const known = ([404, 429, 503] as const).find((each) => each === status) ?? 500;
  return { token_id: id, status: known, exitability: null, error, message };
}
