import { useCallback, useMemo, useState } from "react";
import type UPlot from "uplot";
import type { AlignedData } from "uplot";
import { Choice } from "../../components/choice.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatNumber, formatPct, formatTick, formatTime } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { type History, type HistoryAlert, type Range, useHistory } from "./use-token-data.ts";

const HEIGHT = 260;
/** Whole minutes, hours and days. */
const TICK_SECONDS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400];
const TABLE_ROWS = 24;
/** A past shorter than this is drawn as a part of it, not stretched. */
const LEAST_SPAN_SECONDS = 300;

/** Capacity and depth over time, alerts marked on the line, and the same as a table. */
export function HistoryPanel({ mint }: { readonly mint: string }) {
  const { text } = usePreferences();
  const [range, setRange] = useState<Range>("hour");
  const { data } = useHistory(mint, range, true);
  return (
    <section className="panel stack" aria-labelledby="history">
      <div className="row spread">
        <h2 id="history">{text.token.historyTitle}</h2>
        <Choice
          label={text.token.range}
          value={range}
          options={[
            { value: "hour", label: text.token.ranges.hour },
            { value: "day", label: text.token.ranges.day },
            { value: "week", label: text.token.ranges.week },
          ]}
          onChange={setRange}
        />
      </div>
      {data === undefined ? (
        <Skeleton height={`${HEIGHT + 90}px`} />
      ) : (
        <>
          <Picture history={data} range={range} />
          <AlertList alerts={data.alerts} />
        </>
      )}
    </section>
  );
}

type PictureProps = { readonly history: History; readonly range: Range };

function Picture({ history, range }: PictureProps) {
  const { text, language } = usePreferences();
  const data = useMemo((): AlignedData => {
    const points = sinceFirstKnown(history.points);
    return [
      points.map(({ t }) => Date.parse(t) / 1_000),
      points.map(({ c10_sol }) => c10_sol),
      points.map(({ depth_sol }) => depth_sol),
    ];
  }, [history]);
  const { alerts } = history;
  const optionsFor = useCallback(
    (color: (name: string) => string) => ({
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: {
          range: ({ data: [moments] }: UPlot): [number, number] => {
            const to = moments.at(-1) ?? 0;
            return [Math.min(moments[0] ?? to, to - LEAST_SPAN_SECONDS), to];
          },
        },
        y: {
          range: (_: unknown, _low: number, high: number): [number, number] => [0, high * 1.1 || 1],
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
            moments.map((moment) => formatTick(moment, language, range === "week")),
        },
        {
          stroke: color("--ink-soft"),
          grid: { stroke: color("--line"), width: 1 },
          ticks: { show: false },
          size: 60,
          values: (_: unknown, values: number[]) =>
            values.map((value) => formatNumber(value, language)),
        },
      ],
      series: [
        {},
        { stroke: color("--curve-retail"), width: 2.5 },
        { stroke: color("--curve-pro"), width: 2, dash: [7, 5] },
      ],
      hooks: { draw: [(plot: UPlot) => markAlerts(plot, alerts, color("--bad"))] },
    }),
    [alerts, language, range],
  );
  const isEmpty = history.points.every(({ c10_sol }) => c10_sol === null);
  return (
    <>
      <ul className="chart-legend">
        <li>
          <span className="chart-key" aria-hidden="true" />
          {text.token.capacity}, SOL
        </li>
        <li>
          <span className="chart-key pro" aria-hidden="true" />
          {text.token.depth}, SOL
        </li>
        <li>
          <span className="chart-key alert" aria-hidden="true" />
          {text.token.alertsTitle}
        </li>
      </ul>
      {isEmpty ? (
        <p className="soft chart-empty" style={{ height: HEIGHT }}>
          {text.token.historyEmpty}
        </p>
      ) : (
        <LineChart
          label={text.token.historyLabel}
          data={data}
          height={HEIGHT}
          optionsFor={optionsFor}
        />
      )}
      <details className="chart-table">
        <summary>{text.common.showTable}</summary>
        <PointTable history={history} />
      </details>
    </>
  );
}

/** A token requested for the first time has no history: its line begins now. */
function sinceFirstKnown(points: History["points"]): History["points"] {
  const first = points.findIndex(({ c10_sol }) => c10_sol !== null);
  return points.slice(Math.max(0, first));
}

function markAlerts(plot: UPlot, alerts: readonly HistoryAlert[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { started_at } of alerts) {
    const x = plot.valToPos(Date.parse(started_at) / 1_000, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function PointTable({ history }: { readonly history: History }) {
  const { text, language } = usePreferences();
  const every = Math.max(1, Math.ceil(history.points.length / TABLE_ROWS));
  const rows = history.points.filter((_, index) => index % every === 0).reverse();
  const cell = (value: number | null) =>
    value === null ? text.common.unknown : formatNumber(value, language);
  return (
    <ScrollBox label={text.token.historyLabel}>
      <table>
        <caption className="visually-hidden">{text.token.historyLabel}</caption>
        <thead>
          <tr>
            <th scope="col">{text.token.time}</th>
            <th scope="col" className="number">
              {text.token.capacity}, SOL
            </th>
            <th scope="col" className="number">
              {text.token.depth}, SOL
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ t, c10_sol, depth_sol }) => (
            <tr key={t}>
              <th scope="row">{formatTime(t, language)}</th>
              <td className="number">{cell(c10_sol)}</td>
              <td className="number">{cell(depth_sol)}</td>
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
        {alerts.map(({ id, started_at, cause, share_pct, c10_before_sol, c10_after_sol }) => (
          <li key={id}>
            <time dateTime={started_at}>{formatTime(started_at, language)}</time>:{" "}
            {text.token.causes[cause]}
            {share_pct === null ? "" : ` (${formatPct(share_pct, language, 0)})`}
            {c10_before_sol === null || c10_after_sol === null
              ? ""
              : `, C10 ${formatNumber(c10_before_sol, language)} → ${formatNumber(c10_after_sol, language)} SOL`}
          </li>
        ))}
      </ul>
    </div>
  );
}
