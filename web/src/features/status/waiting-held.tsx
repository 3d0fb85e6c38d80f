import { useState } from "react";
import type { Accuracy } from "#client/openapi.ts";
import { Choice } from "../../components/choice.tsx";
import { NumberTable } from "../../components/number-table.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPct, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { STANDARD_SIZES, type StandardSize } from "../../lib/standard-sizes.ts";

/** How often the ranges of what waiting cost held afterwards, by size, time waited and the token's age. */
export function WaitingHeld({ accuracy }: { readonly accuracy: Accuracy }) {
  const { text, language } = usePreferences();
  const words = text.status.waitingHeld;
  const [size, setSize] = useState<StandardSize>("1");
  const rows = accuracy.waiting_held.filter((row) => row.size === size);
  const share = (value: number | null) =>
    value === null ? <Unknown /> : formatPct(value, language);
  return (
    <section className="panel stack" aria-labelledby="waiting-held">
      <div className="row spread">
        <h2 id="waiting-held">{words.title}</h2>
        <Choice
          label={words.size}
          value={size}
          options={STANDARD_SIZES.map((value) => ({
            value,
            label: formatSol(Number(value), language),
          }))}
          onChange={setSize}
        />
      </div>
      <p className="soft">{words.lead}</p>
      {rows.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <NumberTable
          title={words.title}
          heading={words.waited}
          texts={[words.age]}
          numbers={[words.judged, words.held80, words.held98, words.below]}
          rows={rows.map(({ waited_seconds, token_age, windows: { month } }) => ({
            key: `${waited_seconds} ${token_age}`,
            heading: words.time(waited_seconds),
            texts: [words.ages[token_age]],
            numbers: [
              formatNumber(month.judged, language),
              share(month.held_80_pct),
              share(month.held_98_pct),
              share(month.below_p10_pct),
            ],
          }))}
        />
      )}
    </section>
  );
}
