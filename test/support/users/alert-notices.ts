import type { AlertNotices } from "#src/alerts/finding-writer.ts";

/** For tests that look for alerts themselves. */
export const NO_NOTICES: AlertNotices = {
  onRecording: () => undefined,
  onRecorded: () => undefined,
};
