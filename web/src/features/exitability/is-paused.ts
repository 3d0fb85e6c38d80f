import type { Exitability, Token } from "#client/openapi.ts";
import type { HistoryPoint } from "./use-token-data.ts";

type Known = {
  readonly answer: Pick<Exitability, "state"> | undefined;
  readonly history:
    | { readonly points: readonly Pick<HistoryPoint, "c10_sol" | "depth_sol">[] }
    | undefined;
  readonly facts: Pick<Token, "pausable"> | undefined;
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
