import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useConnection } from "../lib/connection.ts";
import { formatAge } from "../lib/format.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { LATE_SECONDS, useChainAge } from "../lib/status.ts";

/** The one place that reports a problem: no network, no service, or data that are behind. */
export function ProblemBanner() {
  const { text } = usePreferences();
  const connection = useConnection();
  const { ageSeconds } = useChainAge();
  const client = useQueryClient();
  const before = useRef(connection);
  useEffect(() => {
    // What failed meanwhile is read again at once, without waiting for its own interval.
    if (connection === "fine" && before.current !== "fine") void client.invalidateQueries();
    before.current = connection;
  }, [connection, client]);
  const words = text.exit.problem;
  const isLate = ageSeconds !== null && ageSeconds > LATE_SECONDS;
  const problem =
    connection !== "fine" ? words[connection] : isLate ? words.late(formatAge(ageSeconds)) : null;
  return (
    <div role="status" className="problem-box">
      {problem === null ? null : <p className="problem">{problem}</p>}
    </div>
  );
}
