import type { Channel } from "#src/store/channels.ts";
import type { BeforeAfter, UserAlert } from "#src/store/user-alerts.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { quotedName } from "./untrusted-text.ts";

export type ChannelLanguage = Channel["language"];

/** The symbol, else the name, in quotes, and always the short address, which its author cannot choose freely. */
export function tokenLabel(alert: Pick<UserAlert, "mint" | "tokenName" | "tokenSymbol">): string {
  const address = `${alert.mint.slice(0, 4)}…${alert.mint.slice(-4)}`;
  const name = quotedName(alert.tokenSymbol ?? "") ?? quotedName(alert.tokenName ?? "");
  return name === null ? address : `${name} (${address})`;
}

/** The alert in a few sentences: the size, what changed, why, and since when. */
export function alertText(alert: UserAlert, language: ChannelLanguage): string {
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
  readonly exit: (label: string, alert: UserAlert) => string;
  readonly capacity: (c10Sol: BeforeAfter) => string | null;
  readonly depth: (depthSol: BeforeAfter) => string | null;
  readonly cause: (alert: UserAlert) => string;
  readonly since: (ms: number) => string;
};

const CAUSE_TEXT: Readonly<Record<ChannelLanguage, Readonly<Record<string, string>>>> = {
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

/** A cause that explains less is left out. */
const LEAST_SHARE = 0.01;

const BLOCK_TEXT: Readonly<Record<ChannelLanguage, Readonly<Record<string, string>>>> = {
  en: {
    "mint-unreadable": "the mint account can't be read",
    "unpriced-majority": "most of the liquidity is in pools that can't be priced",
    stale: "the chain state is too old",
    "all-paused": "all trading is paused",
    migrating: "the curve is complete and its pool does not exist yet",
    "search-incomplete": "the search for pools was incomplete",
    "not-transferable": "the token can't be transferred",
  },
  es: {
    "mint-unreadable": "no se puede leer la cuenta del mint",
    "unpriced-majority": "la mayor parte de la liquidez está en pools que no se pueden valorar",
    stale: "el estado de la cadena es demasiado antiguo",
    "all-paused": "todo el mercado está en pausa",
    migrating: "la curva está completa y su pool aún no existe",
    "search-incomplete": "la búsqueda de pools quedó incompleta",
    "not-transferable": "el token no se puede transferir",
  },
};

const WORDS: Readonly<Record<ChannelLanguage, Words>> = {
  en: {
    exit: (label, { sizeLamports, kind, cause, slippagePct }) => {
      const position = `${label}: a position of ${sol(sizeLamports, "en")} SOL`;
      const before = slippagePct.before === null ? "" : `, ${pct(slippagePct.before, "en")} before`;
      if (kind === "no-exit") return `${position} can't be sold whole any more${before}.`;
      if (kind === "blocked") {
        return cause === "all-paused"
          ? `${position} has not been sellable for more than a minute${before}.`
          : `${position}: its exit has been unknown for more than a minute${before}.`;
      }
      if (slippagePct.after === null) return `${position}: its exit is deteriorating fast.`;
      return `${position} sells at ${pct(slippagePct.after, "en")} slippage${before}.`;
    },
    capacity: ({ before, after }) =>
      before === null || after === null
        ? null
        : `What sells within 10 % went from ${figure(before, "en")} to ${figure(after, "en")} SOL${gone(before, after, "en")}.`,
    depth: ({ before, after }) =>
      before === null || after === null
        ? null
        : `The pools' depth went from ${figure(before, "en")} to ${figure(after, "en")} SOL.`,
    cause: (alert) => {
      const { kind, cause, slot } = alert;
      if (kind === "blocked") return `The reason: ${BLOCK_TEXT.en[cause] ?? cause} (slot ${slot}).`;
      const parts = explained(alert, "en");
      if (parts.length === 0) return `The cause is not known (slot ${slot}).`;
      return `Explained share of that loss: ${parts.join(", ")} (slot ${slot}).`;
    },
    since: (ms) => `Since ${moment(ms)} UTC.`,
  },
  es: {
    exit: (label, { sizeLamports, kind, cause, slippagePct }) => {
      const position = `${label}: una posición de ${sol(sizeLamports, "es")} SOL`;
      const before = slippagePct.before === null ? "" : `, antes ${pct(slippagePct.before, "es")}`;
      if (kind === "no-exit") return `${position} ya no se puede vender entera${before}.`;
      if (kind === "blocked") {
        return cause === "all-paused"
          ? `${position} no se puede vender desde hace más de un minuto${before}.`
          : `${position}: su salida se desconoce desde hace más de un minuto${before}.`;
      }
      if (slippagePct.after === null) return `${position}: su salida se deteriora deprisa.`;
      return `${position} se vende con un deslizamiento del ${pct(slippagePct.after, "es")}${before}.`;
    },
    capacity: ({ before, after }) =>
      before === null || after === null
        ? null
        : `Lo que se vende dentro del 10 % pasó de ${figure(before, "es")} a ${figure(after, "es")} SOL${gone(before, after, "es")}.`,
    depth: ({ before, after }) =>
      before === null || after === null
        ? null
        : `La profundidad de los pools pasó de ${figure(before, "es")} a ${figure(after, "es")} SOL.`,
    cause: (alert) => {
      const { kind, cause, slot } = alert;
      if (kind === "blocked") return `El motivo: ${BLOCK_TEXT.es[cause] ?? cause} (slot ${slot}).`;
      const parts = explained(alert, "es");
      if (parts.length === 0) return `No se conoce la causa (slot ${slot}).`;
      return `Parte explicada de esa pérdida: ${parts.join(", ")} (slot ${slot}).`;
    },
    since: (ms) => `Desde las ${moment(ms)} UTC.`,
  },
};

/** The share of the earlier capacity that is gone; which cause explains how much of it is another figure. */
function gone(before: number, after: number, language: ChannelLanguage): string {
  const lost = Math.floor((1 - after / before) * 100);
  if (!(lost > 0)) return "";
  const share = `${lost} %`;
  return language === "en" ? `: ${share} of it is gone` : `: se ha perdido el ${share}`;
}

/** Each cause with the share of the loss that it explains, the largest first. */
function explained(
  { cause, share, causes }: UserAlert,
  language: ChannelLanguage,
): readonly string[] {
  const known = causes === null ? [[cause, share] as const] : Object.entries(causes);
  return known
    .flatMap(([kind, part]) => {
      const text = CAUSE_TEXT[language][kind];
      return text === undefined || part === null || part < LEAST_SHARE ? [] : [{ text, part }];
    })
    .toSorted((a, b) => b.part - a.part)
    .map(({ text, part }) => `${text} ${wholePct(part)} %`);
}

/** To the nearest whole percent, but 100 only for all of it. */
function wholePct(part: number): number {
  return part < 1 ? Math.min(99, Math.round(part * 100)) : 100;
}

function sol(lamports: bigint, language: ChannelLanguage): string {
  return decimal(String(ratioToNumber(lamports, LAMPORTS_PER_SOL)), language);
}

function pct(value: number, language: ChannelLanguage): string {
  return `${decimal(value.toFixed(1), language)} %`;
}

/** At most three significant digits below 100. */
function figure(value: number, language: ChannelLanguage): string {
  return decimal(value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))), language);
}

function decimal(text: string, language: ChannelLanguage): string {
  return language === "es" ? text.replace(".", ",") : text;
}

function moment(ms: number): string {
  return timestamp(ms).slice(0, 19).replace("T", " ");
}

/** UTC ISO-8601 with milliseconds and `Z`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
