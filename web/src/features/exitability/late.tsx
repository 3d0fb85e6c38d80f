import { formatAge } from "../../lib/format.ts";
import { useNowMs } from "../../lib/now.ts";
import { useText } from "../../lib/preferences.tsx";
import { LATE_SECONDS } from "../../lib/status.ts";
import type { Dated } from "./shown-exit.ts";

/** Panels are read again less often than the answer: they are a little older without being late. */
const MOST_SECONDS = LATE_SECONDS + 15;

type Props = { readonly of: readonly (Dated | undefined)[] };

/** The age of the oldest figures of a panel, as soon as they are not current: each panel is read separately. */
export function Late({ of }: Props) {
  const text = useText();
  const times = of.flatMap((each) => (each === undefined ? [] : Date.parse(each.updated_at)));
  const ageSeconds = (useNowMs() - Math.min(...times)) / 1_000;
  if (ageSeconds <= MOST_SECONDS) return null;
  return <p className="small figure stale">{text.exit.stateOld(formatAge(ageSeconds))}</p>;
}
