import { type FormEvent, useState } from "react";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPct, formatSol, plainText, shortAddress } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import type { EntryChange, WatchlistItem } from "../../lib/watchlist.ts";

type Props = {
  readonly items: readonly WatchlistItem[];
  readonly readSize: (text: string) => number | null;
  readonly onChange: (change: EntryChange) => void;
  readonly onRemove: (id: number) => void;
};

/** Each entry at its own size, live; the size and the alerts can be changed in place. */
export function WatchlistTable({ items, readSize, onChange, onRemove }: Props) {
  const { text } = usePreferences();
  return (
    <ScrollBox label={text.watchlist.title}>
      <table>
        <caption className="visually-hidden">{text.watchlist.title}</caption>
        <thead>
          <tr>
            <th scope="col">{text.common.token}</th>
            <th scope="col">{text.watchlist.size}</th>
            <th scope="col" className="number">
              {text.watchlist.slippage}
            </th>
            <th scope="col" className="number">
              {text.watchlist.score}
            </th>
            <th scope="col" className="number">
              {text.watchlist.exitMax}
            </th>
            <th scope="col">{text.watchlist.trend}</th>
            <th scope="col">{text.watchlist.alerts}</th>
            <th scope="col">
              <span className="visually-hidden">{text.common.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row
              key={item.id}
              item={item}
              readSize={readSize}
              onChange={onChange}
              onRemove={() => onRemove(item.id)}
            />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

type RowProps = {
  readonly item: WatchlistItem;
  readonly readSize: Props["readSize"];
  readonly onChange: Props["onChange"];
  readonly onRemove: () => void;
};

function Row({ item, readSize, onChange, onRemove }: RowProps) {
  const { text, language } = usePreferences();
  const { exitability: measured } = item;
  const name =
    plainText(measured.token_symbol) ?? plainText(measured.token_name) ?? shortAddress(item.mint);
  return (
    <tr>
      <th scope="row">
        <Link href={`/token/${item.mint}`}>
          <bdi>{name}</bdi>
        </Link>
      </th>
      <td>
        <SizeField item={item} name={name} readSize={readSize} onChange={onChange} />
      </td>
      <td className="number">
        <Slippage item={item} />
      </td>
      <td className="number">
        {measured.score === null ? <Unknown /> : formatNumber(measured.score, language, 1)}
      </td>
      <td className="number">
        {measured.exit_max_sol === null ? <Unknown /> : formatSol(measured.exit_max_sol, language)}
      </td>
      <td>
        {measured.trend === null ? <Unknown /> : text.token.trends[measured.trend]}{" "}
        {measured.alerta_deterioro === true ? (
          <Badge look="bad">{text.watchlist.deteriorating}</Badge>
        ) : null}
      </td>
      <td>
        <label className="row">
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
        <Button
          isSmall
          look="quiet"
          onClick={onRemove}
          aria-label={`${text.common.remove}: ${name}`}
        >
          {text.common.remove}
        </Button>
      </td>
    </tr>
  );
}

/** Null slippage is "no exit" only where the token was measured; else it is unknown. */
function Slippage({ item }: { readonly item: WatchlistItem }) {
  const { text, language } = usePreferences();
  const { state, slippage_pct } = item.exitability;
  if (slippage_pct !== null) return formatPct(slippage_pct, language);
  return state === "ok" ? <Badge look="bad">{text.token.noExit}</Badge> : <Unknown />;
}

type SizeProps = Omit<RowProps, "onRemove"> & { readonly name: string };

function SizeField({ item, name, readSize, onChange }: SizeProps) {
  const { text, language } = usePreferences();
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null) {
    return (
      <Button
        isSmall
        look="quiet"
        onClick={() => setDraft(String(item.size_sol))}
        aria-label={`${formatNumber(item.size_sol, language)}, ${text.watchlist.size}: ${name}`}
      >
        <span className="figure">{formatNumber(item.size_sol, language)}</span>
        <span aria-hidden="true">✎</span>
      </Button>
    );
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    const size = readSize(draft ?? "");
    if (size === null) return;
    onChange({ id: item.id, size_sol: size });
    setDraft(null);
  }
  return (
    <form className="row size-form" onSubmit={submit}>
      <input
        inputMode="decimal"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        aria-label={`${text.watchlist.size}: ${name}`}
        aria-invalid={readSize(draft) === null}
      />
      <Button type="submit" isSmall disabled={readSize(draft) === null}>
        {text.common.save}
      </Button>
    </form>
  );
}
