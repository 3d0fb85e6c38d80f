import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { formatTable } from "#src/cli/output.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { findUserByEmail, setUserTier } from "#src/store/users.ts";
import type { UserTier } from "#src/users/tiers.ts";
import { Endings } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { signUp } from "#test/support/processes/service-member.ts";
import { type Answer, startCallers, startWriters } from "./chaos/callers.ts";
import { type Deployment, deploy, type Member } from "./chaos/deployment.ts";
import { isFresh, isNewerThan, judge, LIMITED, LIMITED_KEYS, type Row } from "./chaos/judge.ts";
import { watchLeaders } from "./chaos/leaders.ts";
import { allScenarios, type Scenario } from "./chaos/scenarios.ts";
import { closeOnSignal } from "./support/close-on-signal.ts";
import { makeKeys } from "./support/deployment.ts";
import { readOptions, refuse } from "./support/options.ts";

// What callers see, and for how long, while each part of a deployment dies, freezes or is cut off:
// two trackers, two replicas, an alert worker, Postgres and Redis, with a wire between every two.
// Ends with 1 where something acknowledged was lost, a limit was passed by more than docs/scale.md
// states, two trackers wrote at once, an old answer had no notice, or the service did not recover.

const { values } = readOptions(
  "What callers see while each part of a deployment dies, freezes or is cut off.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "", help: "part of a scenario's name" },
    hold: { type: "string", default: "12", help: "seconds that a part is away" },
  },
);

/** For how long a cut lasts. */
const HOLD_MS = Number(values.hold) * 1_000;
const WHOLE_FOR_MS = 3_000;
const PATIENCE_MS = 60_000;
const STEADY_KEYS = 2;
const WRITE_EVERY_MS = 150;

const scenarios = chosenScenarios();
const endings = new Endings();
closeOnSignal(endings);
let failures = 0;
try {
  const deployment = await deploy(endings);
  const rows = await runAll(deployment);
  failures = rows.filter(({ verdict }) => verdict !== "holds").length;
  if (!values.json) report(rows);
} finally {
  await endings.close();
}
process.exit(failures === 0 ? 0 : 1);

async function runAll(deployment: Deployment): Promise<readonly Row[]> {
  const { postgres, members, node } = deployment;
  const sql = new pg.Pool({ connectionString: postgres.url, max: 4 });
  sql.on("error", () => undefined);
  endings.after(() => sql.end());
  const replicas = members.filter(({ role }) => role === "api");
  const [first] = replicas;
  const [token] = node.market.namedTokens;
  if (first === undefined || token === undefined) throw new Error("no replica or no token");
  const keys = await makeAllKeys(postgres.url, scenarios.length);
  const { accessToken } = await eventually(
    "a member",
    () => signUp(first.service(), "writer@example.com").catch(() => null),
    PATIENCE_MS,
  );
  await raise(postgres.url, "writer@example.com");
  const callers = startCallers({ ...keys, replicas, mint: token.mint });
  const writers = startWriters({ replicas, accessToken, everyMs: WRITE_EVERY_MS });
  const leaders = watchLeaders(sql);
  endings.after(() => {
    callers.stop();
    writers.stop();
    leaders.stop();
  });
  const rows: Row[] = [];
  for (const [place, scenario] of scenarios.entries()) {
    await becomeWhole(callers.answers, replicas, Date.now());
    callers.gate(keys.gatedKeys[place] ?? "");
    const tracking = members.find((member) => member.isTracking());
    if (tracking === undefined) throw new Error("nobody tracks");
    const before = { acknowledged: writers.acknowledged(), twoWriters: leaders.twoAtOnce() };
    const startedMs = Date.now();
    const scene = { ...deployment, tracking };
    await scenario.fail(scene);
    await delay(scenario.holdMs);
    await scenario.mend(scene);
    const mendedMs = Date.now();
    const whole = await becomeWhole(callers.answers, replicas, mendedMs);
    const endedMs = Date.now();
    const lost = await writers.lost(sql);
    const takenOverAtMs = leaders.raisedAtMs(startedMs);
    const row = judge({
      scenario,
      startedMs,
      endedMs,
      answers: callers.answers,
      replicas,
      ...whole,
      takeoverMs: takenOverAtMs === null ? null : takenOverAtMs - startedMs,
      acknowledged: writers.acknowledged() - before.acknowledged,
      lost,
      twoWriters: leaders.twoAtOnce() - before.twoWriters,
      gated: place,
    });
    rows.push(row);
    if (values.json) console.log(JSON.stringify(row));
    else console.error(`${row.scenario}: ${row.verdict}`);
  }
  return rows;
}

/** Those whose name was asked for, in an order drawn by the seed. */
function chosenScenarios(): readonly Scenario[] {
  const random = seededRandom(Number(values.seed));
  const chosen = allScenarios(HOLD_MS).filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0) refuse(`No scenario has "${values.only}" in its name.`);
  return chosen
    .map((scenario) => ({ scenario, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ scenario }) => scenario);
}

type Whole = Pick<Row, "wholeAfterMs" | "newsAfterMs">;

/** Waits until every replica gives every steady caller fresh answers with states newer than a given time. */
async function becomeWhole(
  answers: readonly Answer[],
  replicas: readonly Member[],
  sinceMs: number,
): Promise<Whole> {
  const untilMs = sinceMs + PATIENCE_MS;
  let whole: Whole = { wholeAfterMs: null, newsAfterMs: null };
  while (Date.now() < untilMs) {
    await delay(250);
    const steady = answers.filter(
      ({ kind, askedAtMs }) => kind === "steady" && askedAtMs >= sinceMs,
    );
    const lastBadMs = steady
      .filter((answer) => !isFresh(answer))
      .reduce((last, { answeredAtMs }) => Math.max(last, answeredAtMs), sinceMs);
    const nowMs = Date.now();
    const of = ({ name }: Member) => steady.filter(({ replica }) => replica === name);
    const isWhole =
      nowMs - lastBadMs > WHOLE_FOR_MS &&
      replicas.every((replica) =>
        of(replica).some((answer) => isFresh(answer) && answer.answeredAtMs > nowMs - 1_000),
      );
    const newsAt = replicas.map((replica) => of(replica).find(isNewerThan(sinceMs))?.answeredAtMs);
    const isNew = newsAt.every((atMs) => atMs !== undefined);
    whole = {
      wholeAfterMs: isWhole ? lastBadMs - sinceMs : null,
      newsAfterMs: isNew ? Math.max(...newsAt.map((atMs) => atMs ?? 0)) - sinceMs : null,
    };
    if (isWhole && isNew) return whole;
  }
  return whole;
}

/** Callers with room, callers at their limit, and one at a daily gate for each scenario. */
async function makeAllKeys(databaseUrl: string, scenarios: number) {
  const make = async (tier: UserTier, count: number) => {
    const place = { databaseUrl, dataDir: "", environment: {} };
    const keys = await makeKeys(place, { count, tier, name: tier });
    return keys.map(({ text }) => text);
  };
  return {
    steadyKeys: await make("pro", STEADY_KEYS),
    limitedKeys: await make(LIMITED, LIMITED_KEYS),
    gatedKeys: await make("free", scenarios),
  };
}

/** To a tier that watches many tokens. */
async function raise(databaseUrl: string, email: string): Promise<void> {
  const store = openDatabase({ databaseUrl, dataDir: "" });
  const user = await findUserByEmail(store.db, email);
  if (user === null) throw new Error(`${email} is not there`);
  await setUserTier(store.db, { userId: user.id, tier: "pro" }, Date.now());
  await store.close();
}

function report(rows: readonly Row[]): void {
  const heading = [
    ...["scenario", "fresh", "old", "503", "500", "no connection", "slowest ms"],
    ...["oldest ms", "gap ms", "of both", "whole after ms", "news after ms", "takeover ms"],
    ...["acknowledged", "lost"],
    ...["over limit", "over gate", "two writers", "verdict"],
  ];
  const lines = rows.map((row) => [
    ...[row.scenario, row.fresh, row.old, row.refused503, row.failed500, row.unconnected],
    ...[row.slowestMs, row.oldestMs, row.gapMs, row.gapOfBothMs, row.wholeAfterMs ?? "never"],
    ...[
      row.newsAfterMs ?? "never",
      row.takeoverMs ?? "",
      row.acknowledged,
      row.lost,
      row.overLimit,
      row.overGate,
    ],
    ...[row.twoWriters, row.verdict],
  ]);
  console.log(formatTable([heading, ...lines]));
}
