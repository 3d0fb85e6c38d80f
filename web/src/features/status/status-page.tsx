import { useState } from "react";
import type { Accuracy, Status } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Choice } from "../../components/choice.tsx";
import { Failure } from "../../components/failure.tsx";
import { NumberTable } from "../../components/number-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatAge, formatNumber, formatPct, formatTime } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { LATE_SECONDS, useChainAge, useStatus } from "../../lib/status.ts";
import { useTitle } from "../../lib/title.ts";
import { venueName } from "../../lib/venue-names.ts";
import { AgeCost } from "./age-cost.tsx";
import { recentUpgrades } from "./recent-upgrades.ts";
import { SkippedSwaps } from "./skipped-swaps.tsx";
import { useAccuracy, type WindowName } from "./use-accuracy.ts";
import { WaitingHeld } from "./waiting-held.tsx";
import "./status.css";

/** How current the chain state is, what is modelled, and how exact it proves to be. */
export function StatusPage() {
  const { text } = usePreferences();
  useTitle(text.status.title);
  const status = useStatus();
  const accuracy = useAccuracy();
  return (
    <div className="stack">
      <h1>{text.status.title}</h1>
      {status.data === undefined && status.error !== null ? (
        <Failure error={status.error} onRetry={() => void status.refetch()} />
      ) : status.data === undefined ? (
        <Skeleton height="40rem" />
      ) : (
        <>
          <Chain status={status.data} />
          {accuracy.isPending ? (
            <Skeleton height="30rem" />
          ) : (
            <>
              {accuracy.data === undefined ? (
                <Failure error={accuracy.error} onRetry={() => void accuracy.refetch()} />
              ) : (
                <AccuracyTable accuracy={accuracy.data} />
              )}
              {accuracy.data ? <AgeCost accuracy={accuracy.data} /> : null}
              {accuracy.data ? <WaitingHeld accuracy={accuracy.data} /> : null}
              <Venues status={status.data} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function Chain({ status }: { readonly status: Status }) {
  const { text, language } = usePreferences();
  const { slot, slot_lag: lag } = status;
  const { ageSeconds: age, isChecked } = useChainAge();
  const isCurrent = isChecked && age !== null && age <= LATE_SECONDS;
  return (
    <section className="panel stack" aria-labelledby="chain">
      <div className="row spread">
        <h2 id="chain">{text.status.chain}</h2>
        <Badge look={isCurrent ? "good" : isChecked ? "warn" : "plain"}>
          {isCurrent
            ? text.status.ok
            : isChecked && age !== null
              ? text.status.late
              : text.exit.problem.notFresh}
        </Badge>
      </div>
      <table className="facts">
        <caption className="visually-hidden">{text.status.chain}</caption>
        <tbody>
          <tr>
            <th scope="row">{text.status.origin}</th>
            <td>{text.status.origins[status.chain]}</td>
          </tr>
          <tr>
            <th scope="row">{text.status.age}</th>
            <td className="figure">{age === null ? <Unknown /> : formatAge(age)}</td>
          </tr>
          <tr>
            <th scope="row">{text.status.slot}</th>
            <td className="figure">{slot === null ? <Unknown /> : formatNumber(slot, language)}</td>
          </tr>
          <tr>
            <th scope="row">{text.status.lag}</th>
            <td className="figure">{lag ?? <Unknown />}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Venues({ status }: { readonly status: Status }) {
  const { text } = usePreferences();
  return (
    <section className="panel stack" aria-labelledby="venues">
      <h2 id="venues">{text.status.venues}</h2>
      <ul className="row venue-list">
        {status.venues.map(({ program }) => (
          <li key={program}>
            <Badge>{venueName(program)}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Programs whose code was replaced lately: what is modelled may no longer be what they do. */
function Upgrades({ accuracy }: { readonly accuracy: Accuracy | null }) {
  const { text, language } = usePreferences();
  const upgrades = recentUpgrades(accuracy?.venues ?? [], Date.now());
  return upgrades.map(({ program, seenAt }) => (
    <p key={program} className="row">
      <Badge look="warn">{text.status.upgraded}</Badge>
      <span>{text.status.upgradedSince(venueName(program), formatTime(seenAt, language))}</span>
    </p>
  ));
}

type HeadlineProps = { readonly rows: Accuracy["venues"]; readonly span: WindowName };

/** All programs together, in one sentence. */
function Headline({ rows, span }: HeadlineProps) {
  const { text, language } = usePreferences();
  let replayed = 0;
  let exact = 0;
  for (const { windows } of rows) {
    replayed += windows[span].replayed;
    exact += Math.round(windows[span].exact);
  }
  if (replayed === 0) return null;
  return (
    <p className="status-headline figure">
      {text.status.headline(formatNumber(exact, language), formatNumber(replayed, language))}
    </p>
  );
}

function AccuracyTable({ accuracy }: { readonly accuracy: Accuracy | null }) {
  const { text, language } = usePreferences();
  const [span, setSpan] = useState<WindowName>("hour");
  const rows = accuracy?.venues.filter(({ windows }) => windows[span].seen > 0) ?? [];
  const unknown = <Unknown />;
  const shareOf = (part: number, replayed: number) =>
    replayed === 0 ? unknown : formatPct((100 * part) / replayed, language);
  const paidOf = (executed: Accuracy["venues"][number]["executed"]) =>
    executed === null || executed.sales === 0 ? (
      <span className="soft">{text.status.notExecuted}</span>
    ) : (
      `${formatNumber(executed.equal, language)} / ${formatNumber(executed.sales, language)}`
    );
  return (
    <section className="panel stack" aria-labelledby="accuracy">
      <div className="row spread">
        <h2 id="accuracy">{text.status.accuracy}</h2>
        <Choice
          label={text.status.window}
          value={span}
          options={[
            { value: "hour", label: text.status.windows.hour },
            { value: "day", label: text.status.windows.day },
            { value: "month", label: text.status.windows.month },
          ]}
          onChange={setSpan}
        />
      </div>
      <Headline rows={rows} span={span} />
      <p className="soft">{text.status.accuracyLead}</p>
      <Upgrades accuracy={accuracy} />
      {rows.length === 0 ? <p>{text.status.accuracyNone}</p> : null}
      {rows.length === 0 ? null : (
        <NumberTable
          title={text.status.accuracy}
          heading={text.token.program}
          numbers={[
            text.status.seen,
            text.status.replayed,
            text.status.exact,
            text.status.executed,
            text.status.within,
            text.status.worst,
            text.status.deployed,
          ]}
          rows={rows.map(({ program, windows, deployed_slot, deployment, executed }) => {
            const { seen, replayed, exact, within_1bp, worst_bps } = windows[span];
            return {
              key: program,
              heading: venueName(program),
              numbers: [
                formatNumber(seen, language),
                formatNumber(replayed, language),
                shareOf(exact, replayed),
                paidOf(executed),
                shareOf(within_1bp, replayed),
                worst_bps === null ? unknown : `${formatNumber(worst_bps, language)} bps`,
                deployment.state === "immutable"
                  ? text.status.immutable
                  : deployed_slot === null
                    ? unknown
                    : formatNumber(deployed_slot, language),
              ],
            };
          })}
        />
      )}
      <SkippedSwaps venues={rows} span={span} />
    </section>
  );
}
