import type { ExitAt, Exitability } from "#client/openapi.ts";

export type Dated = { readonly updated_at: string };

/** Whether what is known of a sale is of an older state of the chain than an answer. */
export function isOlder(exit: Dated, answer: Dated): boolean {
  return Date.parse(exit.updated_at) < Date.parse(answer.updated_at);
}

/**
 * A sale as far as its figures still hold: once an answer that is not older is blocked, what the
 * sale paid before is not what it pays now, and unknown until the sale is read again.
 */
export function shownExit(
  exit: ExitAt | undefined,
  answer: Pick<Exitability, "state" | "updated_at"> | undefined,
): ExitAt | undefined {
  if (exit === undefined || answer?.state !== "bloqueado_dato") return exit;
  if (exit.state === "bloqueado_dato" || isOlder(answer, exit)) return exit;
  return { ...exit, ...UNKNOWN, updated_at: answer.updated_at };
}

/** As the service answers for a sale of a blocked token. */
const UNKNOWN = {
  state: "bloqueado_dato",
  reason: "blocked",
  size_sol: null,
  tokens_sold: null,
  net_sol: null,
  net_lamports: null,
  slippage_pct: null,
  price_impact_pct: null,
  average_price: null,
  capacity_sol: null,
  routes: [],
  max_cost: null,
  usd: null,
  detail: null,
} as const satisfies Partial<ExitAt>;
