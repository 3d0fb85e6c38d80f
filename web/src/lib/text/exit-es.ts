import { SIZE_RANGE_SOL } from "../size-range.ts";

const SIZES = `${String(SIZE_RANGE_SOL.minimum).replace(".", ",")} a ${SIZE_RANGE_SOL.maximum}`;

/** What a range needs: 200 waits that do not overlap. */
const SAMPLES = {
  "10": "10 s pide media hora",
  "60": "60 s pide 3,5 horas",
  "300": "5 min pide 17 horas",
} as const;

/** Sentences of a token's page in Spanish: the sale, its way, and who can block it. */
export const exitEs = {
  sell: "Vender",
  units: { sol: "SOL", tokens: "tokens", usd: "USD" },
  unit: "Unidad",
  chips: "Tamaños habituales en SOL",
  slider: `Tamaño en SOL, de ${SIZES}`,
  amountInvalid: {
    sol: `De ${SIZES} SOL.`,
    tokens: "Una cantidad de tokens mayor que cero.",
    usd: "Una cantidad de dólares mayor que cero.",
  },
  amountInvalidUsd: (least: string, most: string) =>
    `De ${least} a ${most}: lo que valen de ${SIZES} SOL.`,
  amountAmbiguous: (thousands: string, decimals: string) =>
    `Puede ser ${thousands} o ${decimals}: escribe uno de los dos.`,
  amountRead: (amount: string) => `Se lee como ${amount}.`,
  amountTooFine: "Este token no tiene tantos decimales.",
  unasked: "no se mide",
  usdUnknown: "Ahora no se conoce el precio de SOL en dólares.",
  way: "Ruta",
  ways: { retail: "una ruta", pro: "repartida" },
  /** The words before and after the token's name. */
  pays: (size: string, unit: "sol" | "tokens" | "usd"): readonly [string, string] => [
    `Vender ${size} ${unit === "tokens" ? "" : "en "}`,
    " ahora paga",
  ],
  /** The same for figures that were not read again since. */
  paid: (size: string, unit: "sol" | "tokens" | "usd", age: string): readonly [string, string] => [
    `Vender ${size} ${unit === "tokens" ? "" : "en "}`,
    ` pagaba, hace ${age}`,
  ],
  loses: (pct: string, sol: string) => `Pierdes un ${pct} (${sol})`,
  gains: (sol: string) => `Paga ${sol} más que al precio medio. `,
  even: "Paga lo mismo que al precio medio. ",
  parts: {
    impact: "impacto en el precio",
    poolFees: "comisiones de los pools",
    tax: "impuesto del token",
  },
  byOne: (name: string) => `Por ${name}.`,
  bySplit: (count: number) => `Repartida entre ${count} rutas:`,
  hops: (count: number) => `${count} saltos`,
  capacityShort: "Salida al 10 %, repartida",
  capacityNone: "nada",
  capacityAll: (size: string) => `más de ${size}`,
  depth: "Sacable en total",
  price: "Precio medio",
  score: "Puntuación",
  scoreOf: (score: string) => `${score} de 100`,
  live: "en vivo",
  polled: "cada 5 s",
  stateAge: (age: string) => `datos de hace ${age}`,
  stateOld: (age: string) => `Datos de hace ${age}: no están al día.`,
  copyMint: "Copiar la dirección",
  proof: {
    check: "Comprobar con los programas",
    again: "Comprobar otra vez",
    checking: "Los programas están ejecutando la venta…",
    title: "La misma venta, ejecutada por los programas desplegados",
    equal: (slot: string) =>
      `Cada programa paga exactamente lo que aquí se calculó para el slot ${slot}.`,
    different: "Un programa paga algo distinto de lo que dice nuestro modelo.",
    partly: "No se pudieron ejecutar todas las ventas.",
    nothing: "Ninguna ruta vende esto: no hay nada que ejecutar.",
    unavailable: "Sin comprobar: esta venta no se puede ejecutar aquí ahora.",
    unavailableInDemo:
      "Sin comprobar: los programas de la demostración no tienen código que ejecutar.",
    modelled: "Modelo",
    executed: "Ejecutado",
    refused: "rechazada",
    notExecuted: "no ejecutada",
    program: "Programa",
    code: "Código (SHA-256)",
    deployed: "Desplegado en el slot",
    slotUnknown: "no se guarda",
    signs: { equal: "igual", different: "distinto", unknown: "sin comprobar" },
    units: "unidades base del token cobrado",
  },
  alert: {
    causes: {
      "liquidity-withdrawn": "Se ha retirado liquidez",
      sells: "Se está vendiendo mucho",
      "fees-raised": "Han subido las comisiones",
      "trading-paused": "Se ha pausado la negociación",
      unknown: "La salida empeora deprisa",
    },
    overFor: (age: string) => `terminada hace ${age}`,
    ago: (age: string) => `hace ${age}`,
    capacity: "Salida al 10 %",
    explained: (pct: string) => `explica el ${pct} de la caída`,
  },
  blockers: {
    title: "Quién puede cerrarte la salida",
    lead: "Hechos leídos de la cadena. No juzgan intenciones.",
    withdraw: "Mayor retirada de liquidez posible",
    withdrawOne: (pct: string, sol: string) => `un dueño puede retirar el ${pct} (${sol})`,
    withdrawProgram: (pct: string, sol: string) =>
      `un programa custodia el ${pct} (${sol}); no se sabe a quién obedece`,
    withdrawHeld: (pct: string, pool: string) =>
      `un dueño tiene el ${pct} de la liquidez de ${pool}`,
    largestOwner: "Mayor dueño",
    withdrawNone: "no se conoce ningún dueño que pueda retirarla",
    withdrawUnknown: "no se sabe quién puede retirarla",
    partial: "De otros pools no se sabe quién puede retirar.",
    after: (size: string, pct: string) =>
      `Después, vender ${size} por una ruta perdería un ${pct}.`,
    afterUnknown: "No se sabe qué quedaría después.",
    afterNone: (size: string) => `Después, ${size} no se podrían vender enteros por una ruta.`,
    burned: "Liquidez quemada",
    locked: "bloqueada para siempre",
    lockedUntil: "hasta una fecha",
    lockedHint:
      "Bloqueada sin fecha de apertura: el candado devuelve comisiones y nunca la liquidez.",
    lockUntil: (pct: string, date: string) => `${pct} bloqueado hasta el ${date}`,
    lockBetween: (pct: string, first: string, last: string) =>
      `${pct} bloqueado: se abre por partes del ${first} al ${last}`,
    lockRevocable: (pct: string) =>
      `${pct} en un candado que puede anularse antes: cuenta como retirable`,
    lockUnknown: (pct: string) =>
      `${pct} en un candado de fechas desconocidas: cuenta como retirable`,
    locksMore: (count: number) => `y ${count} más`,
    freeze: "Congelar cuentas",
    mint: "Crear más tokens",
    tax: "Impuesto por transferencia",
    taxRaised: (pct: string) => `pasará al ${pct}`,
    taxMutable: "puede cambiarse",
    delegate: "Mover tus tokens",
    hook: "Código en cada transferencia",
    pause: "Pausar transferencias",
    can: "alguien puede",
    cannot: "nadie puede",
    confidence: "Confianza del dato",
  },
  past: {
    title: "Si otros venden antes, o si esperas",
    holders: "La salida después de que vendan los mayores tenedores",
    holdersLead:
      "Lo que quedaría si vendieran todo, uno tras otro. No dice que alguien vaya a vender. Los pools, los programas y lo quemado no cuentan.",
    largest: "Han vendido los mayores",
    sold: "Parte del total",
    loss: "Pérdida al vender",
    noExit: "no se vende entero",
    unlisted: (pct: string) => `El ${pct} está en cuentas menores, que no se han leído.`,
    waiting: "Lo que costó esperar en el último día",
    waitingLead:
      "Cuánto cambió lo que pagaba la misma posición mientras se esperaba. Son frecuencias del último día, no un pronóstico.",
    size: (size: string) => `Una posición de ${size}`,
    waited: "Espera",
    seconds: (seconds: string) => (seconds === "300" ? "5 min" : `${seconds} s`),
    eightOfTen: "En ocho de cada diez veces",
    worst: "Peor en una de cada cien",
    between: (from: string, to: string) => `de ${from} a ${to}`,
    tooFewSamples: (waits: readonly ("10" | "60" | "300")[]) =>
      `Aún se desconoce por falta de muestras: ${waits.map((wait) => SAMPLES[wait]).join(", ")}. No cuentan los ratos en que esta posición no se podía vender.`,
    tooFewSells: "hacen falta 30 ventas grandes en el último día",
    regained: "Después de ventas grandes el precio recuperó",
    regainedBy: (minute: string, five: string, sells: number) =>
      `${minute} de lo caído en un minuto y ${five} en cinco (${sells} ventas)`,
  },
  pools: { price: "Precio, SOL" },
  chart: {
    curveTitle: "Pérdida según el tamaño",
    tenPercent: "10 %",
    yourSize: "tu tamaño",
    atSize: (size: string) => `Pérdida al vender ${size}`,
    series: "Serie",
    seriesNames: {
      capacity: "Salida al 10 %",
      depth: "Sacable",
      price: "Precio",
      slippage: "Pérdida a mi tamaño",
    },
    keys: "Flechas izquierda y derecha para leer valores.",
    csv: "CSV",
    png: "PNG",
    save: "Guardar",
  },
  problem: {
    offline: "Sin red. Las cifras no cambian hasta que vuelva.",
    unreachable: "El servicio no responde. Se reintenta; las cifras pueden ser viejas.",
    late: (age: string) => `La cadena va con ${age} de retraso: las cifras también.`,
    notFresh: "sin comprobar",
  },
};

export type ExitText = typeof exitEs;
