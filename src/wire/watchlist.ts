import type { Assessment } from "#src/measure/assessment.ts";
import type { ExitAt } from "#src/measure/exit-at.ts";
import type { Trend } from "#src/measure/trend.ts";
import { exitabilityBody, lamportsToSol } from "./exitability.ts";
import { timestamp } from "./timestamp.ts";

const LAMPORTS_PER_SOL = 1e9;
const SMALLEST_SIZE_SOL = 0.01;
const LARGEST_SIZE_SOL = 1_000;

/** The size of an entry that names none. */
export const DEFAULT_SIZE_LAMPORTS = 1_000_000_000n;

/** A size in SOL as a body gives it, rounded to the lamport; null where it is none from 0.01 to 1000. */
export function sizeLamportsOf(size: unknown): bigint | null {
  if (typeof size !== "number") return null;
  if (!(size >= SMALLEST_SIZE_SOL && size <= LARGEST_SIZE_SOL)) return null;
  return BigInt(Math.round(size * LAMPORTS_PER_SOL));
}

export type ShownEntry = {
  readonly entry: {
    readonly id: bigint;
    readonly userId: string;
    readonly mint: string;
    readonly sizeLamports: bigint;
    readonly areAlertsEnabled: boolean;
    readonly createdAtMs: number;
  };
  /** Null where nothing is known of the token now. */
  readonly snapshot:
    | {
        readonly kind: "assessed";
        readonly assessment: Assessment;
        readonly trend: Trend;
        readonly isDeteriorating: boolean;
        readonly name: string | null;
        readonly symbol: string | null;
      }
    | { readonly kind: "not-found" }
    | { readonly kind: "unavailable" }
    | null;
  readonly exit: ExitAt | null;
};

const UNKNOWN = {
  state: null,
  score: null,
  depth_sol: null,
  exit_max_sol: null,
  slippage_pct: null,
  trend: null,
  alerta_deterioro: null,
  confianza: null,
  calidad_dato: null,
  updated_at: null,
  token_name: null,
  token_symbol: null,
} as const;

/** An item of the watchlist (contract.md section 5). */
export function watchlistItem(shown: ShownEntry) {
  const { entry } = shown;
  return {
    id: Number(entry.id),
    user_id: entry.userId,
    mint: entry.mint,
    size_sol: lamportsToSol(entry.sizeLamports),
    alerts_enabled: entry.areAlertsEnabled,
    created_at: timestamp(entry.createdAtMs),
    exitability: entryExitability(shown),
  };
}

/** Measured with profile retail, at the entry's own size; what is not known is null. */
function entryExitability({ entry, snapshot, exit }: ShownEntry) {
  if (snapshot === null || snapshot.kind === "unavailable") return UNKNOWN;
  if (snapshot.kind === "not-found") return { ...UNKNOWN, state: "not_found" as const };
  const { assessment, trend, isDeteriorating, name, symbol } = snapshot;
  // The standard size is of no account: the slippage is that of the entry's own.
  const size = { requested: lamportsToSol(entry.sizeLamports), used: "1" } as const;
  const body = exitabilityBody({
    assessment,
    trend,
    isDeteriorating,
    profile: "retail",
    size,
    language: "en",
  });
  return {
    state: body.state,
    score: body.score,
    depth_sol: body.depth_sol,
    exit_max_sol: body.exit_max_sol,
    slippage_pct: body.state === "ok" && exit?.kind === "sold" ? exit.slippagePct : null,
    trend: body.trend,
    alerta_deterioro: body.alerta_deterioro,
    confianza: body.confianza,
    calidad_dato: body.calidad_dato,
    updated_at: body.updated_at,
    token_name: name,
    token_symbol: symbol,
  };
}
