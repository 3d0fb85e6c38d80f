import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useConnection } from "../lib/connection.ts";
import { formatAge } from "../lib/format.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { LATE_SECONDS, useChainAge, useStatus } from "../lib/status.ts";

/** The one place that reports a problem: no network, no service, or data that are behind. */
export function ProblemBanner() {
  const { text } = usePreferences();
  const connection = useConnection();
  const { isChecked } = useChainAge();
  const ageSeconds = useStatus().data?.chain_age_seconds ?? 0;
  const client = useQueryClient();
  const before = useRef(connection);
  useEffect(() => {
    // What failed meanwhile is read again at once, without waiting for its own interval.
    if (connection === "fine" && before.current !== "fine")
      void client.invalidateQueries({
        predicate: ({ state }) => state.status === "error" || state.fetchFailureCount > 0,
      });
    before.current = connection;
  }, [connection, client]);
  const words = text.exit.problem;
  // The age in the last answer, not the age by now: while a tab is hidden nothing is read, and the chain is not late.
  const isLate = isChecked && ageSeconds > LATE_SECONDS;
  const problem =
    connection !== "fine" ? words[connection] : isLate ? words.late(formatAge(ageSeconds)) : null;
  return (
    <div role="status" className="problem-box">
      {problem === null ? null : <p className="problem">{problem}</p>}
    </div>
  );
}
