import { useCallback, useMemo } from "react";
import type { AlignedData } from "uplot";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { LineChart } from "../../components/line-chart.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { formatNumber, formatPct, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { SIZES, type SizeKey, verdictOf } from "./slippage-scale.ts";

const HEIGHT = 280;
const LARGEST_OTHER_SOL = 10;

type Props = { readonly retail: ExitabilityBody; readonly pro: ExitabilityBody | undefined };

/** Slippage over size, both profiles, with the same numbers as a table. */
export function SlippageCurve({ retail, pro }: Props) {
  const { text, language } = usePreferences();
  const data = useMemo((): AlignedData => {
    const column = (answer: ExitabilityBody | undefined) =>
      SIZES.map((size) => answer?.slippage.all[size] ?? null);
    return [SIZES.map(Number), column(retail), column(pro)];
  }, [retail, pro]);
  const optionsFor = useCallback(
    (color: (name: string) => string) => ({
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: {
          time: false,
          distr: 3 as const,
          log: 10 as const,
          range: [0.4, 60] as [number, number],
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
          splits: () => SIZES.map(Number),
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
            values.map((value) => formatPct(value, language, 1)),
          size: 60,
        },
      ],
      series: [
        {},
        {
          stroke: color("--curve-retail"),
          width: 2.5,
          points: { size: 8, fill: color("--panel") },
        },
        {
          stroke: color("--curve-pro"),
          width: 2.5,
          dash: [7, 5],
          points: { size: 8, fill: color("--panel") },
        },
      ],
    }),
    [language],
  );
  return (
    <section className="panel stack" aria-labelledby="curve">
      <h2 id="curve">{text.token.curveTitle}</h2>
      <div className="curve-columns">
        <div>
          <ul className="chart-legend">
            <li>
              <span className="chart-key" aria-hidden="true" />
              {text.token.retailShort}
            </li>
            <li>
              <span className="chart-key pro" aria-hidden="true" />
              {text.token.proShort}
            </li>
          </ul>
          <LineChart
            label={text.token.curveLabel}
            data={data}
            height={HEIGHT}
            optionsFor={optionsFor}
          />
          <p className="chart-axis soft small" aria-hidden="true">
            {text.token.sizeLabel}
          </p>
        </div>
        <Table retail={retail} pro={pro} />
      </div>
    </section>
  );
}

function Table({ retail, pro }: Props) {
  const { text, language } = usePreferences();
  return (
    <ScrollBox label={text.token.curveLabel}>
      <table className="even">
        <caption className="visually-hidden">{text.token.curveLabel}</caption>
        <thead>
          <tr>
            <th scope="col">{text.token.size}</th>
            <th scope="col" className="number">
              {text.token.retailShort}
            </th>
            <th scope="col" className="number">
              {text.token.proShort}
            </th>
          </tr>
        </thead>
        <tbody>
          {SIZES.map((size) => (
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

/** Tokens outside the main families are measured up to 10 SOL: above it, null means unknown. */
function isBeyondFamily({ amm }: ExitabilityBody, size: SizeKey): boolean {
  return amm === "otro" && Number(size) > LARGEST_OTHER_SOL;
}

function Slippage({ answer, size }: { answer: ExitabilityBody | undefined; size: SizeKey }) {
  const { text, language } = usePreferences();
  if (answer === undefined || answer.state === "bloqueado_dato") {
    return <td className="number soft">{text.common.unknown}</td>;
  }
  const slippage = answer.slippage.all[size];
  if (slippage === null && isBeyondFamily(answer, size)) {
    return <td className="number soft">{text.token.notMeasured}</td>;
  }
  return (
    <td className={`number verdict ${verdictOf(slippage)}`}>
      {slippage === null ? text.token.noExit : formatPct(slippage, language)}
    </td>
  );
}
