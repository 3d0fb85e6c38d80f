import type { Assessment, BlockReason } from "#src/measure/assessment.ts";
import type { Finding } from "#src/measure/confidence/finding.ts";
import type { ChainEnd } from "#src/measure/market/chain-end.ts";
import { isPaused } from "#src/measure/market/route.ts";
import { assertNever } from "#src/platform/assert-never.ts";

export type Language = "es" | "en";
type Sentence = Readonly<Record<Language, string>>;

/** English only where the header prefers it to Spanish; Spanish otherwise. */
export function preferredLanguage(
  acceptLanguage: string | undefined,
  otherwise: Language = "es",
): Language {
  if (acceptLanguage === undefined) return otherwise;
  let best = otherwise;
  let bestWeight = 0;
  for (const part of acceptLanguage.slice(0, 500).split(",")) {
    const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
    const quality = parameters.map((text) => /^\s*q=([01](?:\.\d{1,3})?)$/.exec(text)?.[1]);
    const weight = Number(quality.find((value) => value !== undefined) ?? 1);
    const language = tag.trim().split("-")[0];
    if ((language === "es" || language === "en") && weight > bestWeight) {
      best = language;
      bestWeight = weight;
    }
  }
  return best;
}

/**
 * One sentence on why confidence is below high: the block, else the worst finding; null where it is high. Where
 * an answer has too little history for a trend (method.md section 5), the sentence says that too.
 */
export function noticeOf(assessment: Assessment, language: Language): string | null {
  const reason = reasonOf(assessment, language);
  const { blocked, findings } = assessment;
  const history = findings.find((finding) => finding.kind === "short-history");
  if (reason === null || blocked !== null) return reason;
  if (history === undefined || findings[0] === history) return reason;
  const isKept = history.historySeconds !== null;
  return `${reason.replace(/\.$/, "")}; ${TREND_UNKNOWN[isKept ? "yet" : "never"][language]}`;
}

const TREND_UNKNOWN: Readonly<Record<"yet" | "never", Sentence>> = {
  yet: { es: "la tendencia aún no se conoce.", en: "the trend is not known yet." },
  never: { es: "la tendencia no se conoce.", en: "the trend is not known." },
};

/** The block, else the worst finding. */
function reasonOf(assessment: Assessment, language: Language): string | null {
  const { blocked, findings } = assessment;
  const end = findings.find(({ kind }) => kind === "chain-end");
  const isExplained = blocked === "unpriced-majority" || blocked === "search-incomplete";
  if (isExplained && end !== undefined) return sentenceOf(end)[language];
  // Which venues the pools are on, or what they pay in, says more than that most can't be priced.
  const unpriced = findings.find((finding) => finding.kind === "unpriced-pools");
  if (blocked === "unpriced-majority" && unpriced !== undefined) {
    const { quoteMints, sharePct } = unpriced;
    if (quoteMints.length > 0 || sharePct === null) return unpricedSentence(unpriced)[language];
  }
  if (blocked === "all-paused" && isPausedByHops(assessment)) return HOP_PAUSED[language];
  if (blocked !== null) return BLOCKED[blocked][language];
  const [worst] = findings;
  if (worst === undefined) return null;
  const sentence = sentenceOf(worst)[language];
  const through = "through" in worst ? worst.through : undefined;
  if (through === undefined) return sentence;
  return `${THROUGH[language]} ${through}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

const THROUGH: Sentence = {
  es: "Sobre un token por el que pasa la venta,",
  en: "Of a token that the sale goes through,",
};

/** Whether the token's own pools are open, and what each pays is paused. */
function isPausedByHops({ pricedWhileBlocked }: Assessment): boolean {
  const pools = pricedWhileBlocked?.pools ?? [];
  const open = pools.filter(({ status }) => status === "open");
  return (
    open.length > 0 &&
    !pools.some(isPaused) &&
    open.every(({ hopStatus }) => hopStatus === "paused")
  );
}

const BLOCKED: Readonly<Record<BlockReason, Sentence>> = {
  "mint-unreadable": {
    es: "La cuenta del token no existe o no se puede leer: hay pools, pero no se sabe qué venden.",
    en: "The token's own account is absent or can't be read: there are pools, but what they sell is unknown.",
  },
  "unpriced-majority": {
    es: "La mayor parte de la liquidez está en pools que no se pueden leer o no se modelan.",
    en: "Most of the liquidity sits in pools that can't be read or are not modelled.",
  },
  stale: {
    es: "El último estado conocido de la cadena tiene más de 10 minutos.",
    en: "The last known chain state is more than 10 minutes old.",
  },
  "all-paused": {
    es: "Todos los pools del token están en pausa o aún no han abierto.",
    en: "Every pool of the token is paused or not open yet.",
  },
  migrating: {
    es: "La curva está completa y su pool todavía no existe.",
    en: "The curve is complete and its pool does not exist yet.",
  },
  "search-incomplete": {
    es: "La búsqueda de pools quedó incompleta y no encontró ninguno que compre: no se sabe si hay salida.",
    en: "The search for pools was incomplete and found none that buys: whether there is a way out is unknown.",
  },
  "not-transferable": {
    es: "El token no se puede transferir.",
    en: "The token can't be transferred.",
  },
};

const HOP_PAUSED: Sentence = {
  es: "Lo que pagan los pools del token no se puede vender ahora: su negociación está en pausa.",
  en: "What the token's pools pay can't be sold now: trading in it is paused.",
};

function sentenceOf(finding: Finding): Sentence {
  switch (finding.kind) {
    case "stale":
      return {
        es: `El estado de la cadena tiene ${Math.round(finding.ageSeconds)} segundos.`,
        en: `The chain state is ${Math.round(finding.ageSeconds)} seconds old.`,
      };
    case "family-other":
      return {
        es: "La mayor parte de la profundidad está en un AMM de fuera de las familias principales.",
        en: "Most of the depth is on an AMM outside the main families.",
      };
    case "family-other-close":
      return {
        es: "Los AMM de fuera de las familias principales tienen casi tanta profundidad como la familia mayor.",
        en: "AMMs outside the main families have almost as much depth as the largest family.",
      };
    case "unpriced-pools":
      return unpricedSentence(finding);
    case "chain-end":
      return chainEndSentence(finding);
    case "search-incomplete":
      return {
        es: "La búsqueda de pools aún no está completa: puede faltar alguno.",
        en: "The search for pools is not complete yet: some may be missing.",
      };
    case "short-history":
      return {
        es:
          finding.historySeconds === null
            ? "No se guarda historia: la tendencia y la alerta no se conocen."
            : "Hay menos de 5 minutos de historia: la tendencia aún no se conoce, y puede faltar una alerta.",
        en:
          finding.historySeconds === null
            ? "No history is kept: trend and alert are not known."
            : "There is less than 5 minutes of history: the trend is not known yet, and an alert may be missing.",
      };
    case "spot-disagreement":
      return {
        es: `Un pool con parte de la profundidad se aparta un ${finding.awayPct.toFixed(1)} % del precio medio, más de lo que explican sus comisiones.`,
        en: `A pool with part of the depth is ${finding.awayPct.toFixed(1)} % away from the mid, more than its fees explain.`,
      };
    case "price-doubt":
      return {
        es: `Hasta ${finding.scorePoints.toFixed(1)} puntos de la puntuación dependen de precios que sostiene poca profundidad.`,
        en: `Up to ${finding.scorePoints.toFixed(1)} points of the score rest on prices that little of the depth supports.`,
      };
    case "high-fees":
      return {
        es: `Vender al precio medio cuesta un ${finding.feePct.toFixed(1)} % en comisiones.`,
        en: `Selling at the mid costs ${finding.feePct.toFixed(1)} % in fees.`,
      };
    case "freeze-authority":
      return {
        es: "Alguien puede congelar las cuentas de este token.",
        en: "An authority can freeze accounts of this token.",
      };
    case "transfer-fee-authority":
      return {
        es: "Alguien puede cambiar la comisión de transferencia del token.",
        en: "An authority can change the token's transfer fee.",
      };
    case "transfer-hook-authority":
      return {
        es: "Alguien puede añadir un programa a cada transferencia de este token.",
        en: "An authority can add a program to each transfer of this token.",
      };
    case "transfer-fee-change":
      return {
        es: `La comisión de transferencia del token cambia en la época ${finding.epoch}.`,
        en: `The token's transfer fee changes in epoch ${finding.epoch}.`,
      };
    case "transfer-hook":
      return {
        es: "Un programa ajeno interviene en cada transferencia y puede rechazarla.",
        en: "A foreign program takes part in each transfer and can refuse it.",
      };
    case "permanent-delegate":
      return {
        es: "Un delegado permanente puede mover o quemar los tokens de cualquiera.",
        en: "A permanent delegate can move or burn anyone's tokens.",
      };
    case "pausable":
      return {
        es: "Alguien puede pausar todas las transferencias de este token.",
        en: "An authority can pause all transfers of this token.",
      };
    case "starts-frozen":
      return {
        es: "Las cuentas nuevas de este token nacen congeladas.",
        en: "New accounts of this token start frozen.",
      };
    case "rewritable-reserves":
      return {
        es: `Alguien puede reescribir las reservas del pool (${finding.venue}).`,
        en: `An authority may rewrite the reserves of the pool (${finding.venue}).`,
      };
    case "doubtful-orders":
      return {
        es: `Órdenes dudosas en un pool de ${finding.venue}: pueden ser restos de una versión anterior.`,
        en: `Doubtful orders in a pool of ${finding.venue}: they may be leftovers of an older version.`,
      };
    case "partly-loaded":
      return {
        es: `Falta parte de la liquidez de un pool de ${finding.venue}: ventas grandes que pagaría se dan por imposibles.`,
        en: `Part of the liquidity of a pool of ${finding.venue} is missing: large sales that it would pay are taken for impossible.`,
      };
    case "new-deployment":
      return {
        es: `El programa de ${finding.venue} se acaba de actualizar; faltan ejecuciones que confirmen el modelo.`,
        en: `The program of ${finding.venue} was just deployed again; executions still have to confirm the model.`,
      };
    case "executed":
      return {
        es: `El programa de ${finding.venue} no paga lo que dice nuestro modelo; esta respuesta se calculó ejecutando el programa.`,
        en: `The program of ${finding.venue} does not pay what our model says; this answer was computed by executing the program.`,
      };
    case "live-check":
      return {
        es: `Solo el ${finding.exactPct.toFixed(1)} % de las ventas vistas en ${finding.venue} se reproduce exactamente.`,
        en: `Only ${finding.exactPct.toFixed(1)} % of the swaps seen on ${finding.venue} replay exactly.`,
      };
    default:
      return assertNever(finding);
  }
}

/** Anyone can create pools that pay in tokens of their own. The others are only counted. */
const MOST_QUOTE_MINTS = 3;

function unpricedSentence({
  sharePct,
  venues,
  quoteMints,
}: Extract<Finding, { readonly kind: "unpriced-pools" }>): Sentence {
  const names = venues.join(", ");
  const mints = quoteMints.slice(0, MOST_QUOTE_MINTS).join(", ");
  const left = quoteMints.length - MOST_QUOTE_MINTS;
  const es =
    mints === "" ? "" : `; cotizan en ${mints}${left > 0 ? ` y ${left} más` : ""}, sin ruta a SOL`;
  const en =
    mints === ""
      ? ""
      : `; they pay in ${mints}${left > 0 ? ` and ${left} more` : ""}, without a way to SOL`;
  return sharePct === null
    ? {
        es: `Hay pools conocidos que no se pueden valorar ni pesar (${names}${es}).`,
        en: `There are known pools that can be neither priced nor weighed (${names}${en}).`,
      }
    : {
        es: `Pools sin valorar guardan el ${sharePct.toFixed(0)} % de la liquidez (${names}${es}).`,
        en: `Pools that are not priced hold ${sharePct.toFixed(0)} % of the liquidity (${names}${en}).`,
      };
}

const CHAIN_END: Readonly<Record<ChainEnd, Sentence>> = {
  loop: {
    es: "la cadena vuelve a un token anterior",
    en: "the chain leads back to an earlier token",
  },
  "too-deep": {
    es: "la cadena tiene más de cinco saltos",
    en: "the chain has more than five further hops",
  },
  "unknown-coin": { es: "no se conoce ningún pool suyo", en: "no pool of it is known" },
  "full-curve": {
    es: "su curva está completa y su pool todavía no existe",
    en: "its curve is complete and its pool does not exist yet",
  },
  paused: { es: "sus pools están en pausa", en: "its pools are paused" },
  "no-buyer": { es: "sus pools no pagan nada ahora", en: "its pools pay nothing now" },
};

function chainEndSentence({
  reason,
  mint,
}: Extract<Finding, { readonly kind: "chain-end" }>): Sentence {
  return {
    es: `La cadena de cotizaciones se corta en ${mint}: ${CHAIN_END[reason].es}.`,
    en: `The chain of quotes ends at ${mint}: ${CHAIN_END[reason].en}.`,
  };
}
