import { useCallback, useMemo } from "react";
import type UPlot from "uplot";
import type { AlignedData } from "uplot";
import type { Exitability } from "#client/openapi.ts";
import { LineChart } from "../../components/line-chart.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { formatNumber, formatPct, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { STANDARD_SIZES, type StandardSize } from "../../lib/standard-sizes.ts";
import { verdictOf } from "../../lib/verdict.ts";
import { markX, markY } from "./chart-marks.ts";
import { Late } from "./late.tsx";
import { type IsOther, missingLoss } from "./missing-loss.ts";
import { LARGEST_OTHER_SOL } from "./slippage-scale.ts";
import { type CurvePoint, useCurve } from "./use-curve.ts";
import { useBothProfiles } from "./use-exitability.ts";

const HEIGHT = 280;
const LIMIT_PCT = 10;
const TICKS = [0.1, 1, 10, 100, 1000];

type Props = {
  readonly mint: string;
  readonly sizeSol: number | null;
  readonly isOther: IsOther;
  readonly isPushed: boolean;
};

/** Loss over size, by one route and split, with the standard sizes as a table. */
export function SlippageCurve({ mint, sizeSol, isOther, isPushed }: Props) {
  const { text } = usePreferences();
  const curve = useCurve(mint);
  const both = useBothProfiles(mint, isPushed);
  return (
    <section className="panel stack" aria-labelledby="curve">
      <h2 id="curve">{text.exit.chart.curveTitle}</h2>
      <div className="curve-columns">
        <Loaded query={curve} height={`${HEIGHT + 80}px`}>
          {({ points, state }) => (
            <Picture
              mint={mint}
              points={points}
              sizeSol={sizeSol}
              isUnknown={state === "bloqueado_dato"}
              isOther={isOther}
            />
          )}
        </Loaded>
        <Table retail={both.retail} pro={both.pro} />
      </div>
      <Late of={[curve.data, both.pro]} />
    </section>
  );
}

type PictureProps = {
  readonly mint: string;
  readonly points: readonly CurvePoint[];
  readonly sizeSol: number | null;
  /** No point is known: none is a size that can't be sold. */
  readonly isUnknown: boolean;
  readonly isOther: IsOther;
};

function Picture({ mint, points, sizeSol, isUnknown, isOther }: PictureProps) {
  const { text, language } = usePreferences();
  const data = useMemo(
    (): AlignedData => [
      points.map(({ size_sol }) => size_sol),
      points.map(({ retail_pct }) => retail_pct),
      points.map(({ pro_pct }) => pro_pct),
    ],
    [points],
  );
  const from = points[0]?.size_sol ?? 0.1;
  const to = points.at(-1)?.size_sol ?? 100;
  const optionsFor = useCallback(
    (color: (name: string) => string) => ({
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: {
        x: {
          time: false,
          distr: 3 as const,
          log: 10 as const,
          range: [from, to] as [number, number],
        },
        y: {
          range: (_: unknown, _low: number, high: number): [number, number] => [
            0,
            Math.max(12, high * 1.1),
          ],
        },
      },
      axes: [
        {
          stroke: color("--ink-soft"),
          grid: { stroke: color("--line"), width: 1 },
          ticks: { show: false },
          size: 32,
          splits: () => TICKS.filter((tick) => tick >= from && tick <= to),
          filter: (_: unknown, sizes: number[]) => sizes,
          values: (_: unknown, sizes: number[]) =>
            sizes.map((size) => formatNumber(size, language)),
          space: 30,
        },
        {
          stroke: color("--ink-soft"),
          grid: { stroke: color("--line"), width: 1 },
          ticks: { show: false },
          values: (_: unknown, values: number[]) =>
            values.map((value) => formatPct(value, language, 0)),
          size: 56,
        },
      ],
      series: [
        {},
        { stroke: color("--curve-retail"), width: 2.5, points: { show: false } },
        { stroke: color("--curve-pro"), width: 2, dash: [6, 5], points: { show: false } },
      ],
      hooks: {
        draw: [
          (plot: UPlot) => markY(plot, LIMIT_PCT, color("--bad"), text.exit.chart.tenPercent),
          (plot: UPlot) => {
            if (sizeSol !== null)
              markX(plot, sizeSol, { color: color("--ink-soft"), word: text.exit.chart.yourSize });
          },
        ],
      },
    }),
    [language, from, to, sizeSol, text],
  );
  const show = (pct: number | null, size: number) => {
    if (pct !== null) return formatPct(pct, language);
    return isUnknown ? text.common.unknown : missingLoss(text, { isOther, sizeSol: size });
  };
  return (
    <div>
      <ul className="chart-legend">
        <li>
          <span className="chart-key" aria-hidden="true" />
          {text.exit.ways.retail}
        </li>
        <li>
          <span className="chart-key pro" aria-hidden="true" />
          {text.exit.ways.pro}
        </li>
      </ul>
      <LineChart
        label={text.token.curveLabel}
        data={data}
        height={HEIGHT}
        optionsFor={optionsFor}
        readAt={(index) => {
          const point = points[index];
          if (point === undefined) return "";
          return `${formatSol(point.size_sol, language)}: ${text.exit.ways.retail} ${show(point.retail_pct, point.size_sol)}, ${text.exit.ways.pro} ${show(point.pro_pct, point.size_sol)}`;
        }}
        file={{
          name: `${mint}-loss`,
          csv: () =>
            [
              "size_sol,one_route_pct,split_pct",
              ...points.map(
                ({ size_sol, retail_pct, pro_pct }) =>
                  `${size_sol},${retail_pct ?? ""},${pro_pct ?? ""}`,
              ),
            ].join("\n"),
        }}
      />
      <p className="chart-axis soft small" aria-hidden="true">
        {text.token.sizeLabel}
      </p>
    </div>
  );
}

type TableProps = {
  readonly retail: Exitability | undefined;
  readonly pro: Exitability | undefined;
};

function Table({ retail, pro }: TableProps) {
  const { text, language } = usePreferences();
  return (
    <ScrollBox label={text.token.curveLabel}>
      <table className="even">
        <caption className="visually-hidden">{text.token.curveLabel}</caption>
        <thead>
          <tr>
            <th scope="col">{text.token.size}</th>
            <NumberHeadings names={[text.exit.ways.retail, text.exit.ways.pro]} />
          </tr>
        </thead>
        <tbody>
          {STANDARD_SIZES.map((size) => (
            <tr key={size}>
              <th scope="row" className="figure">
                {formatSol(Number(size), language)}
              </th>
              <Slippage answer={retail} size={size} />
              <Slippage answer={pro} size={size} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Slippage({ answer, size }: { answer: Exitability | undefined; size: StandardSize }) {
  const { text, language } = usePreferences();
  if (answer === undefined || answer.state === "bloqueado_dato") {
    return <td className="number soft">{text.common.unknown}</td>;
  }
  const slippage = answer.slippage.all[size];
  // Tokens outside the main families are measured up to 10 SOL.
  if (slippage === null && answer.amm === "otro" && Number(size) > LARGEST_OTHER_SOL) {
    return <td className="number words soft">{text.token.notMeasured}</td>;
  }
  const look = verdictOf(slippage);
  const shown = look === "good" && answer.alerta_deterioro ? "plain" : look;
  return (
    <td className={`number verdict ${shown}`}>
      {slippage === null ? text.token.noExit : formatPct(slippage, language, 2, 2)}
    </td>
  );
}
