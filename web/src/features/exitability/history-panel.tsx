import { useCallback, useMemo, useState } from "react";
import type UPlot from "uplot";
import type { AlignedData } from "uplot";
import type { History } from "#client/openapi.ts";
import { Choice } from "../../components/choice.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import {
  formatNumber,
  formatPct,
  formatPrice,
  formatSol,
  formatTick,
  formatTime,
} from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { Change } from "./alert-banner.tsx";
import { markX } from "./chart-marks.ts";
import { type IsOther, missingLoss } from "./missing-loss.ts";
import { nearestStandardSize } from "./slippage-scale.ts";
import {
  type HistoryAlert,
  type HistoryPoint,
  RANGES,
  type Range,
  useHistory,
} from "./use-token-data.ts";

const HEIGHT = 240;
/** Whole minutes, hours and days. */
const TICK_SECONDS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400];
const TABLE_ROWS = 24;
/** So few points are drawn as dots. */
const FEW_POINTS = 4;
/** A past shorter than this is drawn as a part of it, not stretched. */
const LEAST_SPAN_SECONDS = 300;

const SERIES = ["capacity", "depth", "price", "slippage"] as const;
type Series = (typeof SERIES)[number];

type Props = {
  readonly mint: string;
  readonly sizeSol: number | null;
  readonly isOther: IsOther;
};

/** One figure over time, on a scale of its own, with the alerts that began in it. */
export function HistoryPanel({ mint, sizeSol, isOther }: Props) {
  const { text } = usePreferences();
  const [range, setRange] = useState<Range>("hour");
  const [series, setSeries] = useState<Series>("capacity");
  return (
    <section className="panel stack" aria-labelledby="history">
      <div className="row spread">
        <h2 id="history">{text.token.historyTitle}</h2>
        <Choice
          label={text.token.range}
          value={range}
          options={RANGES.map((value) => ({ value, label: text.token.ranges[value] }))}
          onChange={setRange}
        />
      </div>
      <Choice
        label={text.exit.chart.series}
        value={series}
        options={SERIES.map((value) => ({ value, label: text.exit.chart.seriesNames[value] }))}
        onChange={setSeries}
      />
      <Loaded query={useHistory(mint, range)} height={`${HEIGHT + 90}px`}>
        {(data) => (
          <>
            <Picture
              history={data}
              range={range}
              series={series}
              sizeSol={sizeSol}
              isOther={isOther}
            />
            <AlertList alerts={data.alerts} />
          </>
        )}
      </Loaded>
    </section>
  );
}

type PictureProps = Omit<Props, "mint"> & {
  readonly history: History;
  readonly range: Range;
  readonly series: Series;
};

function Picture({ history, range, series, sizeSol, isOther }: PictureProps) {
  const { text, language } = usePreferences();
  const size = nearestStandardSize(sizeSol ?? 1);
  const { alerts } = history;
  const points = useMemo(() => sinceFirstKnown(history.points), [history]);
  const data = useMemo((): AlignedData => {
    const figureOf = (point: HistoryPoint): number | null => {
      if (series === "capacity") return point.c10_sol;
      if (series === "depth") return point.depth_sol;
      return series === "price" ? point.precio_mid : (point.slippage[size] ?? null);
    };
    return [points.map(({ t }) => Date.parse(t) / 1_000), points.map(figureOf)];
  }, [points, series, size]);
  const show = useCallback(
    (value: number, digits?: number) =>
      series === "slippage"
        ? formatPct(value, language, digits ?? 2)
        : series === "price"
          ? `${formatPrice(value, language)}\u00a0SOL`
          : formatSol(value, language),
    [series, language],
  );
  const optionsFor = useCallback(
    (color: (name: string) => string) => ({
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: {
        x: {
          range: ({ data: [moments] }: UPlot): [number, number] => {
            const to = moments.at(-1) ?? 0;
            return [Math.min(moments[0] ?? to, to - LEAST_SPAN_SECONDS), to];
          },
        },
        y: {
          // A price is read by its change, every other figure by its height above zero.
          range: (_: unknown, low: number, high: number): [number, number] =>
            series === "price" && low !== null
              ? [low - (high - low || high) * 0.1, high + (high - low || high) * 0.1]
              : [0, high * 1.1 || 1],
        },
      },
      axes: [
        {
          stroke: color("--ink-soft"),
          grid: { show: false },
          ticks: { show: false },
          size: 32,
          space: 80,
          incrs: TICK_SECONDS,
          values: (_: unknown, moments: number[]) =>
            moments.map((moment, place) => formatTick(moment, language, moments[place - 1])),
        },
        {
          stroke: color("--ink-soft"),
          grid: { stroke: color("--line"), width: 1 },
          ticks: { show: false },
          size: series === "price" ? 76 : 60,
          values: (_: unknown, values: number[]) =>
            values.map((value) =>
              series === "slippage"
                ? formatPct(value, language, 4)
                : series === "price"
                  ? formatPrice(value, language)
                  : formatNumber(value, language),
            ),
        },
      ],
      series: [
        {},
        {
          stroke: color("--curve-retail"),
          width: 2.5,
          // A few points do not make a line yet: they are dots.
          points: {
            show: (plot: UPlot) => (plot.data[0]?.length ?? 0) < FEW_POINTS,
            size: 8,
            fill: color("--curve-retail"),
          },
        },
      ],
      hooks: {
        draw: [
          (plot: UPlot) => {
            // The newest is first, and is named where the words of two would overlap: all are listed below.
            let freeUntil = Number.POSITIVE_INFINITY;
            for (const { started_at, cause } of alerts)
              freeUntil = markX(plot, Date.parse(started_at) / 1_000, {
                color: color("--bad"),
                word: text.token.causes[cause],
                freeUntil,
              });
          },
        ],
      },
    }),
    [alerts, language, series, text],
  );
  /** A loss that is missing at a known capacity is one that can't be made, or is not measured. */
  const missingAt = ({ c10_sol }: HistoryPoint) =>
    series !== "slippage" || c10_sol === null
      ? text.common.unknown
      : missingLoss(text, { isOther, sizeSol: Number(size) });
  const readAt = (index: number) => {
    const point = points[index];
    const value = data[1]?.[index];
    if (point === undefined) return "";
    const shown = value === null || value === undefined ? missingAt(point) : show(value);
    return `${formatTime(point.t, language)}: ${shown}`;
  };
  const isEmpty = points.every(({ c10_sol }) => c10_sol === null);
  if (isEmpty)
    return (
      <p className="soft chart-empty" style={{ height: HEIGHT }}>
        {text.token.historyEmpty}
      </p>
    );
  const name =
    series === "slippage"
      ? `${text.exit.chart.atSize(formatSol(Number(size), language))}, ${text.exit.ways.retail}`
      : `${text.exit.chart.seriesNames[series]}, SOL`;
  return (
    <>
      <p className="soft small">{name}</p>
      <LineChart
        label={name}
        data={data}
        height={HEIGHT}
        optionsFor={optionsFor}
        readAt={readAt}
        file={{ name: `${history.token_id}-${series}-${range}`, csv: () => csvOf(points) }}
      />
      <details className="chart-table">
        <summary>{text.common.showTable}</summary>
        <PointTable points={points} />
      </details>
    </>
  );
}

function csvOf(points: readonly HistoryPoint[]): string {
  const sizes = Object.keys(points[0]?.slippage ?? {});
  const rows = points.map(({ t, c10_sol, depth_sol, precio_mid, slippage }) =>
    [t, c10_sol, depth_sol, precio_mid, ...Object.values(slippage)]
      .map((value) => value ?? "")
      .join(","),
  );
  const head = [
    "time",
    "c10_sol",
    "depth_sol",
    "precio_mid",
    ...sizes.map((size) => `loss_${size}_sol_pct`),
  ];
  return [head.join(","), ...rows].join("\n");
}

/** A token requested for the first time has no history: its line begins now. */
function sinceFirstKnown(points: readonly HistoryPoint[]): readonly HistoryPoint[] {
  const first = points.findIndex(({ c10_sol }) => c10_sol !== null);
  return points.slice(Math.max(0, first));
}

function PointTable({ points }: { readonly points: readonly HistoryPoint[] }) {
  const { text, language } = usePreferences();
  const every = Math.max(1, Math.ceil(points.length / TABLE_ROWS));
  const rows = points.toReversed().filter((_, index) => index % every === 0);
  const cell = (value: number | null) =>
    value === null ? text.common.unknown : formatNumber(value, language);
  return (
    <ScrollBox label={text.token.historyTitle}>
      <table>
        <caption className="visually-hidden">{text.token.historyTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{text.token.time}</th>
            <NumberHeadings
              names={[
                `${text.exit.chart.seriesNames.capacity}, SOL`,
                `${text.exit.chart.seriesNames.depth}, SOL`,
                `${text.exit.chart.seriesNames.price}, SOL`,
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ t, c10_sol, depth_sol, precio_mid }) => (
            <tr key={t}>
              <th scope="row">{formatTime(t, language)}</th>
              <td className="number">{cell(c10_sol)}</td>
              <td className="number">{cell(depth_sol)}</td>
              <td className="number">
                {precio_mid === null ? text.common.unknown : formatPrice(precio_mid, language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function AlertList({ alerts }: { readonly alerts: readonly HistoryAlert[] }) {
  const { text, language } = usePreferences();
  return (
    <div className="stack">
      <h3>{text.token.alertsTitle}</h3>
      {alerts.length === 0 ? <p className="soft">{text.token.alertsEmpty}</p> : null}
      <ul className="alert-list">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <strong>{text.token.causes[alert.cause]}</strong>{" "}
            <time className="soft small" dateTime={alert.started_at}>
              {formatTime(alert.started_at, language)}
            </time>
            <Change alert={alert} hasShare />
          </li>
        ))}
      </ul>
    </div>
  );
}
