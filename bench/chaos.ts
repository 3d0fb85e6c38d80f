import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { formatTable } from "#src/cli/output.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { openDatabase } from "#src/store/database.ts";
import { createUserForEmail, findUserByEmail, setUserTier } from "#src/store/users.ts";
import { AccessFeed } from "#src/users/access-feed.ts";
import { ApiKeys } from "#src/users/api-keys.ts";
import { TIERS, type UserTier } from "#src/users/tiers.ts";
import { Endings } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { signUp } from "#test/support/service-member.ts";
import { type Answer, startCallers, startWriters } from "./chaos-callers.ts";
import { type Deployment, deploy, type Member, type WireTo } from "./chaos-deployment.ts";
import { watchLeaders } from "./chaos-leaders.ts";

// What callers see, and for how long, while each part of a deployment dies, freezes or is cut off:
// two trackers, two replicas, an alert worker, Postgres and Redis, with a wire between every two.
// Ends with 1 where something acknowledged was lost, a limit was passed by more than docs/scale.md
// states, two trackers wrote at once, an old answer did not say so, or it did not become whole again.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    hold: { type: "string", default: "12" },
  },
});

/** For how long a cut lasts. */
const HOLD_MS = Number(values.hold) * 1_000;
const RESTARTED_AFTER_MS = 1_000;
/** An answer of an older state says so, and lowers its confidence. */
const FRESH_MS = CALIBRATION.confidence.ageMediumSeconds * 1_000;
/** An answer takes a while to be made and to arrive. */
const UNDER_WAY_MS = 2_000;
const WHOLE_FOR_MS = 3_000;
const PATIENCE_MS = 60_000;
const WHOLE_WITHIN_MS = 10_000;
/** A quiet token's state is looked at anew every fifteen seconds or so. */
const NEWS_WITHIN_MS = 30_000;
/** Long enough for answers to grow old. */
const AGEING_MS = 45_000;
const TAKEOVER_WITHIN_MS = 10_000;
/** Shorter than a window, so that two windows that follow each other are never taken for one. */
const WINDOW_MS = 55_000;
const LIMITED: UserTier = "degen";
const LIMIT = TIERS[LIMITED].fairUsePerMinute;
const GATE = TIERS.free.dailyQueries;
const STEADY_KEYS = 2;
const LIMITED_KEYS = 6;
const WRITE_EVERY_MS = 150;

type Scenario = {
  readonly name: string;
  /** Lasts until `mend`; both are told who tracks at the start. */
  readonly fail: (tracking: Member) => Promise<void> | void;
  readonly mend: (tracking: Member) => Promise<void> | void;
  readonly holdMs: number;
  /** Another tracker takes over. */
  readonly takesOver?: boolean;
};

type Row = {
  readonly scenario: string;
  readonly fresh: number;
  readonly old: number;
  readonly refused503: number;
  readonly failed500: number;
  readonly unconnected: number;
  readonly silent: number;
  readonly slowestMs: number;
  /** The oldest state that a 200 told of. */
  readonly oldestMs: number;
  /** The longest time without a fresh answer, at the replica that was worse off, and at either. */
  readonly gapMs: number;
  readonly gapOfBothMs: number;
  /** After the mending: until the last answer that was not fresh, and until states newer than it were told. */
  readonly wholeAfterMs: number | null;
  readonly newsAfterMs: number | null;
  readonly takeoverMs: number | null;
  readonly acknowledged: number;
  readonly lost: number;
  readonly overLimit: number;
  readonly overGate: number;
  readonly twoWriters: number;
  readonly oldUnsaid: number;
  readonly verdict: string;
};

const endings = new Endings();
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
  if (first === undefined || token === undefined) throw new Error("nobody can be asked");
  const scenarios = chosenScenarios(deployment);
  const keys = await makeKeys(postgres.url, scenarios.length);
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
    await scenario.fail(tracking);
    await delay(scenario.holdMs);
    await scenario.mend(tracking);
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

function chosenScenarios(deployment: Deployment): readonly Scenario[] {
  const { members, postgres, redis } = deployment;
  const named = (name: string): Member => {
    const member = members.find((candidate) => candidate.name === name);
    if (member === undefined) throw new Error(`there is no ${name}`);
    return member;
  };
  const standby = (tracking: Member) =>
    named(tracking.name === "tracker 1" ? "tracker 2" : "tracker 1");
  const replica = () => named("api 1");
  const killed = (
    name: string,
    who: (tracking: Member) => Member,
    takesOver = false,
  ): Scenario => ({
    name: `kill -9 of ${name}`,
    fail: (tracking) => who(tracking).kill(),
    mend: (tracking) => who(tracking).start(),
    holdMs: takesOver ? TAKEOVER_WITHIN_MS : RESTARTED_AFTER_MS,
    takesOver,
  });
  const cuts = (name: string, who: (tracking: Member) => Member, to: WireTo): readonly Scenario[] =>
    (["cut", "silence"] as const).map((how) => ({
      name: `${name}: ${how === "cut" ? "broken off" : "packets dropped"}`,
      fail: (tracking) => {
        for (const wire of who(tracking).wires[to]) wire[how]();
      },
      mend: (tracking) => {
        for (const wire of who(tracking).wires[to]) wire.mend();
      },
      holdMs: to === "node" ? AGEING_MS : HOLD_MS,
      takesOver: to === "postgres" && who !== replica,
    }));
  const self = (tracking: Member) => tracking;
  const nothing = () => undefined;
  const all: readonly Scenario[] = [
    { name: "nothing fails", fail: nothing, mend: nothing, holdMs: HOLD_MS },
    killed("the active tracker", self, true),
    killed("the standby", standby),
    killed("a replica", replica),
    killed("the alert worker", () => named("alerts")),
    {
      name: "the active tracker freezes",
      fail: (tracking) => tracking.service().freeze(),
      mend: (tracking) => tracking.service().thaw(),
      holdMs: HOLD_MS,
      takesOver: true,
    },
    {
      name: "Postgres crashes and is started again",
      fail: () => postgres.breakOff(),
      mend: () => postgres.start(),
      holdMs: RESTARTED_AFTER_MS,
    },
    {
      name: "Redis is killed and started again",
      fail: () => redis.kill(),
      mend: () => redis.start(),
      holdMs: HOLD_MS,
    },
    { name: "Redis FLUSHALL", fail: () => redis.flush(), mend: nothing, holdMs: HOLD_MS },
    {
      name: "Redis freezes",
      fail: () => redis.freeze(),
      mend: () => redis.thaw(),
      holdMs: HOLD_MS,
    },
    ...cuts("replica and Redis", replica, "redis"),
    ...cuts("tracker and Redis", self, "redis"),
    ...cuts("replica and Postgres", replica, "postgres"),
    ...cuts("tracker and Postgres", self, "postgres"),
    ...cuts("tracker and node", self, "node"),
  ];
  const random = seededRandom(Number(values.seed));
  const chosen = all.filter(({ name }) => name.includes(values.only));
  return chosen
    .map((scenario) => ({ scenario, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ scenario }) => scenario);
}

type Whole = Pick<Row, "wholeAfterMs" | "newsAfterMs">;

/** Waits until every replica answers every steady caller freshly, and tells of states newer than a moment. */
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

function isNewerThan(sinceMs: number): (answer: Answer) => boolean {
  return ({ ageMs, answeredAtMs }) => ageMs !== null && answeredAtMs - ageMs > sinceMs;
}

function isFresh({ status, ageMs }: Answer): boolean {
  return status === 200 && ageMs !== null && ageMs <= FRESH_MS;
}

type Seen = {
  readonly scenario: Scenario;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly answers: readonly Answer[];
  readonly replicas: readonly Member[];
  readonly wholeAfterMs: number | null;
  readonly newsAfterMs: number | null;
  readonly takeoverMs: number | null;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly twoWriters: number;
  /** Which of the callers with a daily gate asked. */
  readonly gated: number;
};

function judge(seen: Seen): Row {
  const { scenario, startedMs, endedMs, replicas, takeoverMs, lost } = seen;
  const during = seen.answers.filter(
    ({ askedAtMs, answeredAtMs }) => answeredAtMs >= startedMs && askedAtMs <= endedMs,
  );
  const steady = during.filter(({ kind }) => kind === "steady");
  const count = (is: (answer: Answer) => boolean) => steady.filter(is).length;
  const gap = (of: readonly Answer[]) => longestGap(of.filter(isFresh), startedMs, endedMs);
  const figures = {
    scenario: scenario.name,
    fresh: count(isFresh),
    old: count((answer) => answer.status === 200 && !isFresh(answer)),
    refused503: count(({ status }) => status === 503),
    failed500: during.filter(
      ({ status }) => typeof status === "number" && status >= 500 && status !== 503,
    ).length,
    unconnected: count(({ status }) => status === "refused"),
    silent: during.filter(({ status }) => status === "silent").length,
    slowestMs: Math.max(0, ...during.map((answer) => answer.answeredAtMs - answer.askedAtMs)),
    gapMs: Math.max(
      ...replicas.map(({ name }) => gap(steady.filter(({ replica }) => replica === name))),
    ),
    gapOfBothMs: gap(steady),
    oldestMs: Math.max(0, ...steady.map(({ ageMs }) => ageMs ?? 0)),
    wholeAfterMs: seen.wholeAfterMs,
    newsAfterMs: seen.newsAfterMs,
    takeoverMs,
    acknowledged: seen.acknowledged,
    lost: lost.length,
    overLimit: overLimit(seen),
    overGate: Math.max(
      0,
      during.filter(
        ({ kind, caller, status }) => kind === "gated" && caller === seen.gated && status === 200,
      ).length - GATE,
    ),
    twoWriters: seen.twoWriters,
    oldUnsaid: during.filter(isOldUnsaid).length,
  };
  return { ...figures, verdict: verdictOf(figures, seen) };
}

function verdictOf(row: Omit<Row, "verdict">, { scenario, replicas, lost }: Seen): string {
  const { wholeAfterMs, newsAfterMs, takeoverMs } = row;
  const mostOver = (replicas.length - 1) * LIMIT;
  const isLate = (ms: number | null, withinMs: number) => ms === null || ms > withinMs;
  const broken = [
    lost.length > 0 && `lost ${lost.slice(0, 3).join(", ")}`,
    row.overLimit > mostOver && `a limit was passed by ${row.overLimit}, stated are ${mostOver}`,
    row.overGate > 0 && `a daily gate was passed by ${row.overGate}`,
    row.twoWriters > 0 && "two trackers wrote at once",
    row.oldUnsaid > 0 && `${row.oldUnsaid} old answers did not say so`,
    row.failed500 > 0 && `${row.failed500} answers were 500`,
    row.silent > 0 && `${row.silent} requests were not answered`,
    isLate(wholeAfterMs, WHOLE_WITHIN_MS) && "not whole again in time",
    isLate(newsAfterMs, NEWS_WITHIN_MS) && "nothing new was told in time",
    scenario.takesOver === true &&
      isLate(takeoverMs, TAKEOVER_WITHIN_MS) &&
      "nobody took over in time",
  ].filter((what) => what !== false);
  return broken.length === 0 ? "holds" : broken.join("; ");
}

function longestGap(good: readonly Answer[], startMs: number, endMs: number): number {
  const times = good.map(({ answeredAtMs }) => answeredAtMs).sort((a, b) => a - b);
  let last = startMs;
  let longest = 0;
  for (const time of [...times, endMs]) {
    longest = Math.max(longest, time - last);
    last = time;
  }
  return longest;
}

/** The most that one caller got above the limit within one window that touches the scenario. */
function overLimit({ answers, startedMs, endedMs }: Seen): number {
  let most = 0;
  for (let caller = 0; caller < LIMITED_KEYS; caller++) {
    const times = answers
      .filter((answer) => answer.kind === "limited" && answer.caller === caller)
      .filter(({ status, askedAtMs }) => status === 200 && askedAtMs >= startedMs - WINDOW_MS)
      .filter(({ askedAtMs }) => askedAtMs <= endedMs)
      .map(({ askedAtMs }) => askedAtMs)
      .sort((a, b) => a - b);
    let from = 0;
    for (const [place, time] of times.entries()) {
      while ((times[from] ?? time) < time - WINDOW_MS) from++;
      most = Math.max(most, place - from + 1);
    }
  }
  return Math.max(0, most - LIMIT);
}

/** Told as if it were young, though it is older than what has to be said. */
function isOldUnsaid({ ageMs, confidence }: Answer): boolean {
  return ageMs !== null && ageMs > FRESH_MS + UNDER_WAY_MS && confidence === "alta";
}

type Keys = {
  readonly steadyKeys: readonly string[];
  readonly limitedKeys: readonly string[];
  readonly gatedKeys: readonly string[];
};

async function makeKeys(databaseUrl: string, scenarios: number): Promise<Keys> {
  const store = openDatabase({ databaseUrl, dataDir: "" });
  const feed = new AccessFeed({ db: store.db, nowMs: Date.now });
  const apiKeys = new ApiKeys({ store, feed, prefix: "exi", nowMs: Date.now });
  const make = async (tier: UserTier, many: number) => {
    const keys: string[] = [];
    for (let number = 0; number < many; number++) {
      const email = `${tier}-${number}@example.com`;
      await createUserForEmail(store, email, Date.now());
      const user = await findUserByEmail(store.db, email);
      if (user === null) throw new Error("a user just made is gone");
      await setUserTier(store.db, { userId: user.id, tier }, Date.now());
      keys.push((await apiKeys.activate(user.id))?.text ?? "");
    }
    return keys;
  };
  const keys = {
    steadyKeys: await make("pro", STEADY_KEYS),
    limitedKeys: await make(LIMITED, LIMITED_KEYS),
    gatedKeys: await make("free", scenarios),
  };
  await store.close();
  return keys;
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
