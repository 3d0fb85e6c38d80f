import { writeFileSync } from "node:fs";
import { formatTable, type Output, terminal, UsageError } from "#src/cli/output.ts";
import { RecordingError } from "#src/node/recording.ts";
import { DETECTORS } from "./detection/detectors.ts";
import { type HeldRanges, judgeReplay, judgeWaiting, replayFiles } from "./detection/recorded.ts";
import { playScript } from "./detection/run-detection.ts";
import { SCRIPTS } from "./detection/scripts.ts";
import { judgeSeriesFile } from "./detection/series.ts";
import { playOverSockets } from "./detection/socket-markets.ts";
import { type DetectionRow, rowOf } from "./detection/tally.ts";
import { drawThresholdCurve, sweepThresholds } from "./detection/threshold-curve.ts";
import { trackScript } from "./detection/tracked-markets.ts";
import { readOptions } from "./support/options.ts";

const USAGE =
  "npm run detection -- [--seed N] [--share S] [--json] [--curve FILE.svg] | --series FILE [--json] | --recorded FILE... [--json]";

/**
 * How well deterioration is noticed, on scripted markets with known answers, beside two simple
 * baselines; with `--series`, when the alert is on in series from a file; with `--recorded`, on the
 * markets that `exitability record --follow` has written.
 */
async function detection(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readOptions(
    "Quality of deterioration alerts, on scripted markets unless files are named.",
    {
      recorded: { type: "boolean", default: false, help: "judge FILE..., markets as recorded" },
      seed: { type: "string", default: "1" },
      share: { type: "string", default: "1", help: "of the scripted markets, above 0, to 10" },
      json: { type: "boolean", default: false },
      series: { type: "string", help: "a file of series instead: prints when the alert is on" },
      curve: { type: "string", help: "draws the threshold curve as this SVG file instead" },
    },
    { args: [...args], operands: "[FILE...]" },
  );
  if (values.series !== undefined) return judgeSeriesFile(values.series, values.json, output);
  if (values.recorded) return judgeRecorded(positionals, values.json, output);
  if (positionals.length > 0) throw new UsageError(`unexpected ${positionals[0]}\n${USAGE}`);
  const seed = Number(values.seed);
  const share = Number(values.share);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new UsageError(`--seed: a whole number\n${USAGE}`);
  if (!(share > 0 && share <= 10)) throw new UsageError(`--share: above 0, to 10\n${USAGE}`);
  if (values.curve !== undefined) {
    const points = sweepThresholds({ seed, share }, (text) => output.err(text));
    writeFileSync(values.curve, drawThresholdCurve(points));
    output.err(`drawn: ${values.curve}`);
    return 0;
  }
  const rows: DetectionRow[] = [];
  const add = (row: DetectionRow) => {
    rows.push(row);
    if (values.json) output.out(JSON.stringify(row));
  };
  const say = (text: string) => output.err(text);
  playAll({ seed, share }, add, say);
  await playOverTracker({ seed, share }, add, say);
  if (!values.json) output.out(table(rows));
  return 0;
}

async function judgeRecorded(
  files: readonly string[],
  isJson: boolean,
  output: Output,
): Promise<number> {
  if (files.length === 0) throw new UsageError(`name the files\n${USAGE}`);
  // Their names begin with their times.
  const replay = await replayFiles(files.toSorted());
  const [rows, ranges] = [judgeReplay(replay), judgeWaiting(replay)];
  if (isJson) for (const row of [...rows, ...ranges]) output.out(JSON.stringify(row));
  else output.out(`${table(rows)}\n\n${waitingTable(ranges)}`);
  return 0;
}

function waitingTable(ranges: readonly HeldRanges[]): string {
  if (ranges.length === 0) return "Ranges of waiting: the recording is too short to judge them.";
  return formatTable([
    ["size, SOL", "waited", "tokens", "80 % range held", "98 % range held"],
    ...ranges.map(({ size, seconds, tokens, held80, held98 }) => [
      size,
      `${seconds} s`,
      tokens,
      percent(held80),
      percent(held98),
    ]),
  ]);
}

function percent(share: number | null): string {
  return share === null ? "-" : `${(100 * share).toFixed(1)} %`;
}

type Options = { readonly seed: number; readonly share: number };
type Add = (row: DetectionRow) => void;
type Say = (text: string) => void;

/** Every script, on the detectors alone. */
function playAll(options: Options, add: Add, say: Say): void {
  for (const [index, script] of SCRIPTS.entries()) {
    say(`${index + 1}/${SCRIPTS.length} ${script.name}`);
    playScript(script, DETECTORS, options).forEach((tally, detector) => {
      add(rowOf(script.name, DETECTORS[detector]?.name ?? "", tally));
    });
  }
}

/** A part of them through the tracker, and a part of these over a node's sockets. */
async function playOverTracker({ seed, share }: Options, add: Add, say: Say): Promise<void> {
  const tracked = SCRIPTS.filter(({ isTracked }) => isTracked);
  for (const script of tracked) {
    say(`through the tracker: ${script.name}`);
    const markets = Math.max(1, Math.round(5 * share));
    add(rowOf(script.name, "exitability, tracker", await trackScript(script, { seed, markets })));
  }
  say("over the local node's sockets");
  const drains = tracked.filter(({ isDrain }) => isDrain);
  const tallies = await playOverSockets(drains, { seed, markets: Math.ceil(2 * share) });
  for (const [script, tally] of tallies) add(rowOf(script.name, "exitability, sockets", tally));
}

function table(rows: readonly DetectionRow[]): string {
  const seconds = (value: number | null) => (value === null ? "-" : value.toFixed(1));
  return formatTable([
    [
      "scenario",
      "detector",
      "markets",
      "token-days",
      "recall",
      "precision",
      "false alarms",
      "per token-day",
      "lead p10 s",
      "lead p50 s",
      "lead > 0",
    ],
    ...rows.map((row) => [
      row.scenario,
      row.detector,
      row.markets,
      row.tokenDays.toFixed(1),
      percent(row.recall),
      percent(row.precision),
      row.falseAlarms,
      row.falseAlarmsPerTokenDay.toFixed(4),
      seconds(row.leadSecondsP10),
      seconds(row.leadSecondsP50),
      percent(row.leadPositive),
    ]),
  ]);
}

if (import.meta.main) {
  try {
    process.exitCode = await detection(process.argv.slice(2), terminal);
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof RecordingError;
    if (!isExpected) throw error;
    terminal.err(error.message);
    process.exitCode = 2;
  }
}
