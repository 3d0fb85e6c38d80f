import { CALIBRATION, type DeteriorationRules } from "#src/measure/calibration.ts";
import { type NamedDetector, ownDetector } from "./detectors.ts";
import { playScript } from "./run-detection.ts";
import { SCRIPTS } from "./scripts.ts";

/** What all thresholds times `factor` would give. */
export type CurvePoint = {
  readonly factor: number;
  readonly falseAlarmsPerHundredDays: number;
  readonly tokenDays: number;
  /** Of drains in slices and of sell cascades: the share with an alert before half of an exit was lost. */
  readonly slicesInTime: number;
  readonly cascadesInTime: number;
};

const FACTORS = [0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.6, 2, 2.6];
const HEALTHY = ["healthy launches", "healthy pools", "organic decay"];

/** The detector's numbers with every threshold, as a logarithm of the fall, times `factor`. */
function scaledRules(factor: number): DeteriorationRules {
  const rules = CALIBRATION.deterioration;
  const scaledPct = (pct: number) => -100 * Math.expm1(factor * Math.log1p(-pct / 100));
  return {
    ...rules,
    jumpFallPct: scaledPct(rules.jumpFallPct),
    youngJumpFallPct: scaledPct(rules.youngJumpFallPct),
    withdrawalFallPct: scaledPct(rules.withdrawalFallPct),
    jumpDeviations: rules.jumpDeviations * factor,
    drift: {
      ...rules.drift,
      leastThreshold: rules.drift.leastThreshold * factor,
      varianceFactor: rules.drift.varianceFactor * factor,
      withdrawnThreshold: rules.drift.withdrawnThreshold * factor,
    },
  };
}

/** Plays healthy and draining markets once, under every factor's detector at the same time. */
export function sweepThresholds(
  options: { readonly seed: number; readonly share: number },
  say: (text: string) => void,
): readonly CurvePoint[] {
  const detectors: readonly NamedDetector[] = FACTORS.map((factor) =>
    ownDetector(String(factor), scaledRules(factor)),
  );
  const play = (name: string) => {
    say(name);
    const script = SCRIPTS.find((candidate) => candidate.name === name);
    if (script === undefined) throw new Error(`no script is named ${name}`);
    return playScript(script, detectors, options);
  };
  const healthy = HEALTHY.map(play);
  const slices = play("rug in slices");
  const cascades = play("sell cascade");
  return FACTORS.map((factor, index) => {
    const of = (tallies: ReturnType<typeof play>) => tallies[index];
    const tokenDays = healthy.reduce((sum, tallies) => sum + (of(tallies)?.days ?? 0), 0);
    const alarms = healthy.reduce((sum, tallies) => sum + (of(tallies)?.falseAlarms ?? 0), 0);
    return {
      factor,
      tokenDays,
      falseAlarmsPerHundredDays: (100 * alarms) / tokenDays,
      slicesInTime: inTime(of(slices)),
      cascadesInTime: inTime(of(cascades)),
    };
  });
}

function inTime(
  tally: { readonly leadSeconds: number[]; readonly lost: number } | undefined,
): number {
  if (tally === undefined || tally.lost === 0) return 0;
  return tally.leadSeconds.filter((seconds) => seconds > 0).length / tally.lost;
}

const TITLE = "Drains noticed in time against false alarms, all thresholds scaled together";
const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 64;
const RIGHT = 24;
const TOP = 48;
const BOTTOM = 64;
const LEAST_ALARMS = 0.05;
const MOST_ALARMS = 2_000;

/** Recall against false alarms, the chosen thresholds marked, as an SVG picture. */
export function drawThresholdCurve(points: readonly CurvePoint[]): string {
  const tokenDays = points[0]?.tokenDays ?? 0;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title" font-family="sans-serif" font-size="12">`,
    `<title id="title">${TITLE}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="24" font-size="14" fill="#222">${TITLE}</text>`,
    ...axes(),
    target(),
    curve(points, (point) => point.slicesInTime, "#1f6f8b"),
    curve(points, (point) => point.cascadesInTime, "#b5562b"),
    legend(0, "#1f6f8b", "rugs in slices"),
    legend(1, "#b5562b", "sell cascades"),
    `<text x="${LEFT}" y="${HEIGHT - 10}" fill="#555">${Math.round(tokenDays)} healthy token-days; filled: the calibration; a point at the left edge had no false alarm at all</text>`,
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function across(alarms: number): number {
  const clamped = Math.min(Math.max(alarms, LEAST_ALARMS), MOST_ALARMS);
  const share = Math.log(clamped / LEAST_ALARMS) / Math.log(MOST_ALARMS / LEAST_ALARMS);
  return Math.round(10 * (LEFT + share * (WIDTH - LEFT - RIGHT))) / 10;
}

function up(recall: number): number {
  return Math.round(10 * (HEIGHT - BOTTOM - recall * (HEIGHT - TOP - BOTTOM))) / 10;
}

function axes(): readonly string[] {
  const lines: string[] = [];
  for (const recall of [0, 0.25, 0.5, 0.75, 1]) {
    lines.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${up(recall)}" y2="${up(recall)}" stroke="#ddd"/>`,
      `<text x="${LEFT - 8}" y="${up(recall) + 4}" text-anchor="end" fill="#555">${100 * recall} %</text>`,
    );
  }
  for (const alarms of [0.1, 1, 10, 100, 1_000]) {
    lines.push(
      `<line x1="${across(alarms)}" x2="${across(alarms)}" y1="${up(0)}" y2="${up(1)}" stroke="#eee"/>`,
      `<text x="${across(alarms)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#555">${alarms}</text>`,
    );
  }
  lines.push(
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 28}" text-anchor="middle" fill="#222">false alarms per 100 healthy token-days</text>`,
  );
  return lines;
}

function target(): string {
  return `<line x1="${across(1)}" x2="${across(1)}" y1="${up(0)}" y2="${up(1)}" stroke="#888" stroke-dasharray="4 4"/><text x="${across(1) + 6}" y="${up(0) - 8}" fill="#555">target: at most 1</text>`;
}

function curve(
  points: readonly CurvePoint[],
  recallOf: (point: CurvePoint) => number,
  color: string,
): string {
  const at = (point: CurvePoint) =>
    `${across(point.falseAlarmsPerHundredDays)},${up(recallOf(point))}`;
  const marks = points.map((point) => {
    const [x, y] = at(point).split(",");
    const isChosen = point.factor === 1;
    return `<circle cx="${x}" cy="${y}" r="${isChosen ? 6 : 3.5}" fill="${isChosen ? color : "#fff"}" stroke="${color}"><title>thresholds x ${point.factor}</title></circle>`;
  });
  return [
    `<polyline points="${points.map(at).join(" ")}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
    ...marks,
  ].join("\n");
}

function legend(row: number, color: string, text: string): string {
  const y = up(0.25) + 18 * row;
  return `<circle cx="${WIDTH - 150}" cy="${y - 4}" r="4" fill="${color}"/><text x="${WIDTH - 140}" y="${y}" fill="#222">${text}</text>`;
}
