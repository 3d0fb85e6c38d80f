import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { recordDemo } from "./detection/demo-recording.ts";
import { replayFiles } from "./detection/recorded.ts";
import { readOptions } from "./support/options.ts";

/**
 * Records the demo market while it is tracked live, replays the files, and compares the alerts.
 * `npm run recording -- [--minutes N] [--seed N] [--json]`
 */
const { values } = readOptions(
  "The demo market recorded while it is tracked, replayed, and the alerts compared.",
  {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
);
const minutes = Number(values.minutes);
const folder = mkdtempSync(join(tmpdir(), "recording-"));
try {
  const live = await recordDemo({ folder, minutes, seed: Number(values.seed) });
  const files = readdirSync(folder).toSorted();
  const replay = await replayFiles(files.map((name) => join(folder, name)));
  const isSame = isDeepStrictEqual(replay.alerts, live.alerts);
  const bytesPerTokenHour = Math.round((live.bytes / live.tokens / minutes) * 60);
  const changes = live.alerts.length;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ minutes, tokens: live.tokens, changes, isSame, bytesPerTokenHour })}\n`
      : `${live.tokens} tokens, ${minutes} minutes: ${changes} changes of alerts, replayed ${isSame ? "at the same chain times" : "DIFFERENTLY"}; ${bytesPerTokenHour} bytes a token and hour\n`,
  );
  if (!isSame) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
