import { useState } from "react";
import type { HoldersFirst, PastDay } from "#client/openapi.ts";
import { Loaded } from "../../components/loaded.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatPct, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import type { StandardSize } from "../../lib/standard-sizes.ts";
import type { IsOther } from "./missing-loss.ts";
import { missingWaits, WAITED } from "./missing-waits.ts";
import { LARGEST_OTHER_SOL, nearestStandardSize } from "./slippage-scale.ts";
import { useHoldersFirst, usePastDay } from "./use-past-day.ts";

type Props = {
  readonly mint: string;
  readonly sizeSol: number | null;
  readonly isOther: IsOther;
};

/** The exit after the largest holders have sold, and what waiting cost over the last day. */
export function PastPanel({ mint, sizeSol, isOther }: Props) {
  const { text } = usePreferences();
  const [isHoldersOpen, setHoldersOpen] = useState(false);
  const [isWaitingOpen, setWaitingOpen] = useState(false);
  const holders = useHoldersFirst(mint, isHoldersOpen);
  const day = usePastDay(mint, isWaitingOpen);
  const most = isOther === false ? Number.POSITIVE_INFINITY : LARGEST_OTHER_SOL;
  const size = nearestStandardSize(Math.min(sizeSol ?? 1, most));
  return (
    <section className="panel stack" aria-labelledby="past">
      <h2 id="past">{text.exit.past.title}</h2>
      <details onToggle={({ currentTarget }) => setHoldersOpen(currentTarget.open)}>
        <summary>{text.exit.past.holders}</summary>
        <p className="soft small">{text.exit.past.holdersLead}</p>
        {isHoldersOpen ? (
          <Loaded query={holders} height="8rem">
            {(data) => <Steps first={data} size={size} />}
          </Loaded>
        ) : null}
      </details>
      <details onToggle={({ currentTarget }) => setWaitingOpen(currentTarget.open)}>
        <summary>{text.exit.past.waiting}</summary>
        <p className="soft small">{text.exit.past.waitingLead}</p>
        {isWaitingOpen ? (
          <Loaded query={day} height="8rem">
            {(data) => <Waiting day={data} size={size} />}
          </Loaded>
        ) : null}
      </details>
    </section>
  );
}

type StepsProps = { readonly first: HoldersFirst; readonly size: StandardSize };

function Steps({ first, size }: StepsProps) {
  const { text, language } = usePreferences();
  const words = text.exit.past;
  if (first.steps === null) {
    return (
      <p>
        <Unknown />
      </p>
    );
  }
  const loss = `${words.loss} ${formatSol(Number(size), language)}, ${text.exit.ways.retail}`;
  return (
    <>
      <table className="cards-on-phone">
        <caption className="visually-hidden">{words.holders}</caption>
        <thead>
          <tr>
            <th scope="col">{words.largest}</th>
            <NumberHeadings names={[words.sold, loss]} />
          </tr>
        </thead>
        <tbody>
          {first.steps.map(({ holders, sold_by, sold_pct, slippage }) => (
            <tr key={holders}>
              <th scope="row" data-name={words.largest}>
                {sold_by}
              </th>
              <td className="number" data-name={words.sold}>
                {sold_pct === null ? <Unknown /> : formatPct(sold_pct, language, 1, 1)}
              </td>
              <td className="number" data-name={loss}>
                <Loss pct={slippage[size] ?? null} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {first.unlisted_pct === null ? null : (
        <p className="soft small">{words.unlisted(formatPct(first.unlisted_pct, language, 1))}</p>
      )}
    </>
  );
}

function Loss({ pct }: { readonly pct: number | null }) {
  const { text, language } = usePreferences();
  return pct === null ? text.exit.past.noExit : formatPct(pct, language, 1, 1);
}

type WaitingProps = { readonly day: PastDay; readonly size: StandardSize };

function Waiting({ day, size }: WaitingProps) {
  const { text, language } = usePreferences();
  const words = text.exit.past;
  const { resilience } = day;
  const missing = missingWaits(day, size);
  const percent = (value: number) => formatPct(value, language, 2);
  return (
    <>
      <table className="cards-on-phone">
        <caption>
          {words.size(formatSol(Number(size), language))}, {text.exit.ways.retail}
        </caption>
        <thead>
          <tr>
            <th scope="col">{words.waited}</th>
            <NumberHeadings names={[words.eightOfTen, words.worst]} />
          </tr>
        </thead>
        <tbody>
          {WAITED.map((seconds) => {
            const changes = day.waiting[size]?.[seconds] ?? null;
            return (
              <tr key={seconds}>
                <th scope="row">{words.seconds(seconds)}</th>
                <td className="number" data-name={words.eightOfTen}>
                  {changes === null ? (
                    <Unknown />
                  ) : (
                    words.between(percent(changes.p10_pct), percent(changes.p90_pct))
                  )}
                </td>
                <td className="number" data-name={words.worst}>
                  {changes === null ? <Unknown /> : percent(changes.p1_pct)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {missing.length === 0 ? null : <p className="soft small">{words.tooFewSamples(missing)}</p>}
      <p>
        {words.regained}:{" "}
        {resilience === null ? (
          <>
            <Unknown /> <span className="soft small">({words.tooFewSells})</span>
          </>
        ) : (
          words.regainedBy(
            formatPct(resilience.regained_pct["60"], language, 0),
            formatPct(resilience.regained_pct["300"], language, 0),
            resilience.sells,
          )
        )}
      </p>
    </>
  );
}
