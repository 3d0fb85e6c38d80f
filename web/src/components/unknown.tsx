import { useText } from "../lib/preferences.tsx";

/** What is not known is said to be unknown: never 0, never a dash. */
export function Unknown() {
  return <span className="soft">{useText().common.unknown}</span>;
}
