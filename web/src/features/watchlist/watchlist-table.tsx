import { Fragment, useState } from "react";
import type { WatchlistItem } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { Unknown } from "../../components/unknown.tsx";
import {
  formatAge,
  formatNumber,
  formatPct,
  formatSol,
  plainText,
  shortAddress,
} from "../../lib/format.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { LATE_SECONDS } from "../../lib/status.ts";
import { verdictOf } from "../../lib/verdict.ts";
import type { EntryChange } from "../../lib/watchlist.ts";
import { outcomeOf } from "./outcome-of.ts";
import { RemoveButton } from "./remove-button.tsx";
import { SizeField } from "./size-field.tsx";

const COLUMNS = 8;

export type EntryFailure = { readonly id: number; readonly error: unknown };

type Props = {
  readonly items: readonly WatchlistItem[];
  /** What could not be done with an entry. */
  readonly failure: EntryFailure | null;
  readonly onChange: (change: EntryChange) => void;
  readonly onRemove: (id: number) => Promise<unknown>;
};

/** Each entry at its own size, live: a table, and on a phone cards with the same cells. */
export function WatchlistTable({ items, failure, onChange, onRemove }: Props) {
  const { text } = usePreferences();
  // A removed entry can be taken back for a while; the request follows afterwards.
  const [leaving, setLeaving] = useState<readonly number[]>([]);
  function mark(id: number, isLeaving: boolean): void {
    setLeaving((held) => [...held.filter((each) => each !== id), ...(isLeaving ? [id] : [])]);
  }
  return (
    <table className="cards-on-phone watched">
      <caption className="visually-hidden">{text.watchlist.title}</caption>
      <thead>
        <tr>
          <th scope="col">{text.common.token}</th>
          <th scope="col">{text.watchlist.size}</th>
          <NumberHeadings
            names={[text.watchlist.pays, text.watchlist.slippage, text.watchlist.score]}
          />
          <th scope="col">{text.watchlist.age}</th>
          <th scope="col">{text.watchlist.alerts}</th>
          <th scope="col">
            <span className="visually-hidden">{text.common.remove}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <Fragment key={item.id}>
            <Row
              item={item}
              isLeaving={leaving.includes(item.id)}
              onChange={onChange}
              onLeaving={(isLeaving) => mark(item.id, isLeaving)}
              onRemove={() => {
                // An entry that could not be removed is not shown as removed.
                onRemove(item.id).catch(() => mark(item.id, false));
              }}
            />
            {failure?.id === item.id ? (
              <tr>
                <td colSpan={COLUMNS} className="watch-failure">
                  <Failure error={failure.error} />
                </td>
              </tr>
            ) : null}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

type RowProps = {
  readonly item: WatchlistItem;
  readonly isLeaving: boolean;
  readonly onChange: Props["onChange"];
  readonly onLeaving: (isLeaving: boolean) => void;
  readonly onRemove: () => void;
};

function Row({ item, isLeaving, onChange, onLeaving, onRemove }: RowProps) {
  const { text, language } = usePreferences();
  const { exitability: measured } = item;
  const name =
    plainText(measured.token_symbol, 12) ??
    plainText(measured.token_name) ??
    shortAddress(item.mint);
  const isAlerting = measured.alerta_deterioro === true;
  const nowMs = useNowMs();
  const ageSeconds =
    measured.updated_at === null ? null : (nowMs - Date.parse(measured.updated_at)) / 1_000;
  const isOld = (ageSeconds ?? 0) > LATE_SECONDS;
  const looks = [isAlerting ? "alerting" : "", isLeaving ? "leaving" : "", isOld ? "old" : ""];
  return (
    <tr className={looks.join(" ").trim()}>
      <th scope="row">
        <Link
          className="watched-name"
          href={`/token/${item.mint}?size=${item.size_sol}&profile=retail`}
        >
          <bdi>{name}</bdi>
        </Link>{" "}
        {isAlerting ? (
          <Badge look="bad">{text.watchlist.deteriorating}</Badge>
        ) : (
          <Trend measured={measured} />
        )}
      </th>
      <td data-name={text.watchlist.size}>
        <SizeField item={item} name={name} />
      </td>
      <td className="number" data-name={text.watchlist.pays}>
        <Paid item={item} />
      </td>
      <td className="number" data-name={text.watchlist.slippage}>
        <Slippage item={item} isOld={isOld} />
      </td>
      <td className="number" data-name={text.watchlist.score}>
        {measured.score === null ? <Unknown /> : formatNumber(measured.score, language, 1)}
      </td>
      <td data-name={text.watchlist.age}>
        {ageSeconds === null ? (
          <Unknown />
        ) : (
          <span className={`figure small ${isOld ? "stale" : "soft"}`}>
            {formatAge(ageSeconds)}
          </span>
        )}
      </td>
      <td data-name={text.watchlist.alerts}>
        <label className="switch">
          <input
            type="checkbox"
            checked={item.alerts_enabled}
            onChange={(event) => onChange({ id: item.id, alerts_enabled: event.target.checked })}
          />
          <span className="visually-hidden">
            {text.watchlist.alertsOn}: {name}
          </span>
        </label>
      </td>
      <td className="number">
        <RemoveButton name={name} isLeaving={isLeaving} onLeaving={onLeaving} onRemove={onRemove} />
      </td>
    </tr>
  );
}

/** The trend of a token that can be measured; a stable one is not worth a word. */
function Trend({
  measured: { state, trend },
}: {
  readonly measured: WatchlistItem["exitability"];
}) {
  const { text } = usePreferences();
  if (state === "bloqueado_dato" || trend === null || trend === "stable") return null;
  return <Badge look={trend === "improving" ? "plain" : "warn"}>{text.token.trends[trend]}</Badge>;
}

type OutcomeProps = { readonly item: WatchlistItem };

/** What the position would pay: its size less what it loses. */
function Paid({ item }: OutcomeProps) {
  const { text, language } = usePreferences();
  const outcome = outcomeOf(item);
  switch (outcome.kind) {
    case "sold":
      return formatSol(outcome.paidSol, language);
    case "no-exit":
      return text.exit.capacityNone;
    case "not-measured":
    case "no-pool":
      return <span className="soft">{text.exit.unasked}</span>;
    case "unknown":
      return <Unknown />;
  }
}

/** A loss is shown as good only while it is current, and no alert is on. */
function Slippage({ item, isOld }: OutcomeProps & { readonly isOld: boolean }) {
  const { text, language } = usePreferences();
  const outcome = outcomeOf(item);
  switch (outcome.kind) {
    case "sold": {
      const verdict = verdictOf(outcome.slippagePct);
      const isAlerting = item.exitability.alerta_deterioro === true;
      const look = verdict === "good" && (isAlerting || isOld) ? "plain" : verdict;
      return (
        <span className={`verdict ${look}`}>{formatPct(outcome.slippagePct, language, 2, 2)}</span>
      );
    }
    case "no-exit":
      return <Badge look="bad">{text.token.noExit}</Badge>;
    case "not-measured":
      return <span className="soft words">{text.token.notMeasured}</span>;
    case "no-pool":
      return <span className="soft words">{text.token.notFoundTitle}</span>;
    case "unknown":
      return <Unknown />;
  }
}
