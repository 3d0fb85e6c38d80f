import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import type { History, TokenFacts } from "./use-token-data.ts";

type Known = {
  readonly answer: Pick<ExitabilityBody, "state"> | undefined;
  readonly history: Pick<History, "points"> | undefined;
  readonly facts: Pick<TokenFacts, "pausable"> | undefined;
};

/**
 * Whether a blocked token is known to be closed: its transfers are paused, or all of its pools are. The
 * history of closed pools has a capacity of zero without a depth; other blocked answers are gaps in it.
 */
export function isPaused({ answer, history, facts }: Known): boolean {
  if (answer?.state !== "bloqueado_dato") return false;
  if (facts?.pausable.is_paused === true) return true;
  const last = history?.points.at(-1);
  return last?.c10_sol === 0 && last.depth_sol === null;
}
