import { useText } from "../lib/preferences.tsx";

/** Unknown values are shown as unknown: never 0, never a dash. */
export function Unknown() {
  return <span className="soft">{useText().common.unknown}</span>;
}
