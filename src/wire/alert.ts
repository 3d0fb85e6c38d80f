import { lamportsToSol } from "./exitability.ts";
import type { Language } from "./notice.ts";
import { timestamp } from "./timestamp.ts";
import { CAUSE_WORD } from "./words.ts";

type BeforeAfter = { readonly before: number | null; readonly after: number | null };

/** An alert as it was recorded. */
export type ShownAlert = {
  readonly id: bigint;
  readonly entryId: bigint;
  readonly mint: string;
  /** The token's own words: untrusted text. */
  readonly tokenName: string | null;
  readonly tokenSymbol: string | null;
  readonly sizeLamports: bigint;
  readonly kind: "deterioration" | "slippage" | "no-exit";
  /** Measure's word for the main cause, and its share of the fall, 0 to 1. */
  readonly cause: string;
  readonly share: number | null;
  readonly slot: bigint;
  readonly slippagePct: BeforeAfter;
  readonly c10Sol: BeforeAfter;
  readonly depthSol: BeforeAfter;
  readonly sinceMs: number;
  readonly createdAtMs: number;
  readonly grade: {
    readonly gradedAtMs: number;
    readonly wasWorse: boolean;
    readonly waitedCostPct: number | null;
  } | null;
};

/** An item of the feed, of the stream and of a webhook: what is not known is null. */
export function alertItem(alert: ShownAlert, language: Language) {
  const { grade } = alert;
  return {
    id: String(alert.id),
    entry_id: Number(alert.entryId),
    mint: alert.mint,
    token_name: alert.tokenName,
    token_symbol: alert.tokenSymbol,
    size_sol: lamportsToSol(alert.sizeLamports),
    kind: alert.kind,
    cause: CAUSE_WORD[alert.cause] ?? "unknown",
    share_pct: alert.share === null ? null : Math.round(alert.share * 1_000) / 10,
    slot: Number(alert.slot),
    slippage_before_pct: alert.slippagePct.before,
    slippage_after_pct: alert.slippagePct.after,
    c10_before_sol: alert.c10Sol.before,
    c10_after_sol: alert.c10Sol.after,
    depth_before_sol: alert.depthSol.before,
    depth_after_sol: alert.depthSol.after,
    since: timestamp(alert.sinceMs),
    created_at: timestamp(alert.createdAtMs),
    text: alertText(alert, language),
    grade:
      grade === null
        ? null
        : {
            graded_at: timestamp(grade.gradedAtMs),
            was_worse: grade.wasWorse,
            waited_cost_pct: grade.waitedCostPct,
          },
  };
}

/** What a token is called: its symbol, else its name, else its address; one line, nothing hidden in it. */
export function tokenLabel(alert: Pick<ShownAlert, "mint" | "tokenName" | "tokenSymbol">): string {
  for (const text of [alert.tokenSymbol, alert.tokenName]) {
    const plain = (text ?? "").replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "").trim();
    if (plain !== "") return plain.slice(0, 32);
  }
  return `${alert.mint.slice(0, 4)}…${alert.mint.slice(-4)}`;
}

/** The alert in a few sentences: the size, what changed, why, and since when. */
export function alertText(alert: ShownAlert, language: Language): string {
  const words = WORDS[language];
  return [
    words.exit(tokenLabel(alert), alert),
    words.capacity(alert.c10Sol),
    words.depth(alert.depthSol),
    words.cause(alert),
    words.since(alert.sinceMs),
  ]
    .filter((sentence) => sentence !== null)
    .join(" ");
}

type Words = {
  readonly exit: (label: string, alert: ShownAlert) => string;
  readonly capacity: (c10Sol: BeforeAfter) => string | null;
  readonly depth: (depthSol: BeforeAfter) => string | null;
  readonly cause: (alert: ShownAlert) => string;
  readonly since: (ms: number) => string;
};

const CAUSE_TEXT: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    withdrawn: "a liquidity withdrawal",
    sold: "sells",
    fees: "raised fees",
    paused: "trading paused",
  },
  es: {
    withdrawn: "una retirada de liquidez",
    sold: "ventas",
    fees: "una subida de comisiones",
    paused: "una pausa del mercado",
  },
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    exit: (label, { sizeLamports, kind, slippagePct }) => {
      const position = `${label}: a position of ${sol(sizeLamports, "en")} SOL`;
      const before = slippagePct.before === null ? "" : `, ${pct(slippagePct.before, "en")} before`;
      if (kind === "no-exit") return `${position} can't be sold whole any more${before}.`;
      if (slippagePct.after === null) return `${position}: its exit is deteriorating fast.`;
      return `${position} sells at ${pct(slippagePct.after, "en")} slippage${before}.`;
    },
    capacity: ({ before, after }) =>
      before === null || after === null
        ? null
        : `What sells within 10 % went from ${figure(before, "en")} to ${figure(after, "en")} SOL.`,
    depth: ({ before, after }) =>
      before === null || after === null
        ? null
        : `The pools' depth went from ${figure(before, "en")} to ${figure(after, "en")} SOL.`,
    cause: ({ cause, share, slot }) => {
      const text = CAUSE_TEXT.en[cause];
      if (text === undefined) return `The cause is not known (slot ${slot}).`;
      if (share === null) return `The cause: ${text}, in slot ${slot}.`;
      return `${(share * 100).toFixed(0)} % of the fall is ${text} in slot ${slot}.`;
    },
    since: (ms) => `Since ${moment(ms)} UTC.`,
  },
  es: {
    exit: (label, { sizeLamports, kind, slippagePct }) => {
      const position = `${label}: una posición de ${sol(sizeLamports, "es")} SOL`;
      const before = slippagePct.before === null ? "" : `, antes ${pct(slippagePct.before, "es")}`;
      if (kind === "no-exit") return `${position} ya no se puede vender entera${before}.`;
      if (slippagePct.after === null) return `${position}: su salida se deteriora deprisa.`;
      return `${position} se vende con un deslizamiento del ${pct(slippagePct.after, "es")}${before}.`;
    },
    capacity: ({ before, after }) =>
      before === null || after === null
        ? null
        : `Lo que se vende dentro del 10 % pasó de ${figure(before, "es")} a ${figure(after, "es")} SOL.`,
    depth: ({ before, after }) =>
      before === null || after === null
        ? null
        : `La profundidad de los pools pasó de ${figure(before, "es")} a ${figure(after, "es")} SOL.`,
    cause: ({ cause, share, slot }) => {
      const text = CAUSE_TEXT.es[cause];
      if (text === undefined) return `No se conoce la causa (slot ${slot}).`;
      if (share === null) return `La causa: ${text}, en el slot ${slot}.`;
      return `El ${(share * 100).toFixed(0)} % de la caída es ${text} en el slot ${slot}.`;
    },
    since: (ms) => `Desde las ${moment(ms)} UTC.`,
  },
};

function sol(lamports: bigint, language: Language): string {
  return decimal(String(lamportsToSol(lamports)), language);
}

function pct(value: number, language: Language): string {
  return `${decimal(value.toFixed(1), language)} %`;
}

/** Three figures are enough to read. */
function figure(value: number, language: Language): string {
  return decimal(value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))), language);
}

function decimal(text: string, language: Language): string {
  return language === "es" ? text.replace(".", ",") : text;
}

function moment(ms: number): string {
  return timestamp(ms).slice(0, 19).replace("T", " ");
}
