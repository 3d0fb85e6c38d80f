import type { Alert } from "#client/openapi.ts";
import { formatPct } from "../../lib/format.ts";
import type { AlertsText } from "../../lib/text/alerts-es.ts";
import type { Language } from "../../lib/text/language.ts";

/** What half an hour later shows of an alert. A cost that is not known is not none. */
export function gradeText(grade: Alert["grade"], words: AlertsText, language: Language): string {
  if (grade === null) return words.ungraded;
  const { was_worse: wasWorse, waited_cost_pct: cost } = grade;
  if (!wasWorse) return words.notWorse;
  if (cost === null) return words.worseUnknown;
  return cost > 0 ? words.worse(formatPct(cost, language)) : words.notWorse;
}
