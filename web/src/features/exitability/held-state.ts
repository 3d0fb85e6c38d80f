import type { Exitability } from "#client/openapi.ts";

/** A state of a token, and for how long answers have repeated it. */
export type HeldState = {
  readonly figures: string;
  readonly sinceMs: number;
  readonly untilMs: number;
};

type Answer = Pick<
  Exitability,
  "token_id" | "state" | "depth_sol" | "precio_mid" | "slippage" | "updated_at"
>;

/** The state after one more answer: the same one for longer, or another one. An older answer changes nothing. */
export function heldState(held: HeldState | null, answer: Answer): HeldState {
  const { token_id, state, depth_sol, precio_mid, slippage } = answer;
  const figures = JSON.stringify([token_id, state, depth_sol, precio_mid, slippage.all]);
  const atMs = Date.parse(answer.updated_at);
  if (held?.figures !== figures) return { figures, sinceMs: atMs, untilMs: atMs };
  return atMs > held.untilMs ? { ...held, untilMs: atMs } : held;
}

/**
 * The newest time at which a sale is known to have paid what it does: that of its own state, or of a
 * later answer that repeats this state. An answer of another state does not make the sale newer.
 */
export function knownAtMs(exit: { readonly updated_at: string }, held: HeldState | null): number {
  const atMs = Date.parse(exit.updated_at);
  const isSame = held !== null && held.sinceMs <= atMs;
  return isSame ? Math.max(atMs, held.untilMs) : atMs;
}
