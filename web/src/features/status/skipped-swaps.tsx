import type { Accuracy } from "#client/openapi.ts";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { formatNumber } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { venueName } from "../../lib/venue-names.ts";
import { countsByReason } from "./counts-by-reason.ts";
import type { WindowName } from "./use-accuracy.ts";

type Props = {
  readonly venues: Accuracy["venues"];
  readonly span: WindowName;
};

/** The swaps that were seen and not replayed, and why; nothing where there are none. */
export function SkippedSwaps({ venues, span }: Props) {
  const { text, language } = usePreferences();
  const { skipped } = text.status;
  const reasons: Readonly<Record<string, string>> = skipped.reasons;
  const rows = countsByReason(venues, span);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{skipped.title}</summary>
      <ScrollBox label={skipped.title}>
        <table>
          <caption className="visually-hidden">{skipped.title}</caption>
          <thead>
            <tr>
              <th scope="col">{text.token.program}</th>
              <th scope="col">{skipped.reason}</th>
              <NumberHeadings names={[skipped.count]} />
            </tr>
          </thead>
          <tbody>
            {rows.map(({ program, reason, count }) => (
              <tr key={`${program} ${reason}`}>
                <th scope="row">{venueName(program)}</th>
                <td>{reasons[reason] ?? reason}</td>
                <td className="number">{formatNumber(count, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
