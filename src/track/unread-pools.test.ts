import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  namedAddress,
  type PlainPool,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import {
  placeMint,
  placePool,
  placeToken,
  SOL,
  setReserves,
} from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import type { AlertChange } from "./market-report.ts";
import { Tracker } from "./tracker.ts";

const MINT = namedAddress("token");
const COIN = namedAddress("coin");
const BASE = 500_000_000_000_000n;
const MAIN = plainPool(`${MINT} main`, MINT, WSOL);
const DUST = plainPool("dust", MINT, WSOL);
const SLOTS_PER_SECOND = 3;

/** A node that leaves an account of a pool out of the first read of the pool's quote vault, and fails after that. */
class FailingChain extends ScriptedChain {
  #failsAfter: Address | null = null;

  override async readAccounts(addresses: Parameters<ScriptedChain["readAccounts"]>[0]) {
    const read = await super.readAccounts(addresses);
    if (this.#failsAfter !== null && addresses.includes(this.#failsAfter)) this.isReachable = false;
    return read;
  }

  leaveOut(pool: PlainPool, vault: "vaultA" | "vaultB" = "vaultB"): void {
    this.#failsAfter = pool.vaultB;
    this.leftOut.add(pool[vault]);
  }

  override heal(): void {
    this.#failsAfter = null;
    super.heal();
  }
}

function trackerOn(t: TestContext, chain: ScriptedChain): Tracker {
  const clock = { nowMs: () => chain.nowMs };
  const tracker = new Tracker({ source: chain, venues: [plainVenue()], clock, database: null });
  closeAfter(t, () => tracker.close());
  return tracker;
}

async function pass(chain: ScriptedChain, tracker: Tracker, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    chain.advance(SLOTS_PER_SECOND);
    tracker.tick();
    await tracker.idle();
  }
}

/** What the tracker answers, and what it finds about pools that are not read. */
async function answerOf(tracker: Tracker) {
  const snapshot = await tracker.snapshot(MINT);
  assert.ok(snapshot.kind === "assessed", snapshot.kind);
  const { blocked, measurement, findings } = snapshot.assessment;
  const doubts = findings.filter(
    ({ kind }) => kind === "unpriced-pools" || kind === "search-incomplete",
  );
  return { blocked, depthLamports: measurement?.depthLamports, doubts };
}

/** A token whose main pool is left without this account by the first read, with another pool beside it. */
async function firstLoad(
  t: TestContext,
  {
    missing,
    besideSol,
    alsoMissing,
  }: { missing: "vaultA" | "vaultB"; besideSol: bigint; alsoMissing?: Address },
) {
  const chain = new FailingChain();
  const main = placeToken(chain, MINT, 80);
  placePool(chain, DUST, { base: BASE / 800n, quote: besideSol });
  const tracker = trackerOn(t, chain);
  chain.advance(1);
  chain.leaveOut(main, missing);
  if (alsoMissing !== undefined) chain.leftOut.add(alsoMissing);
  assert.equal((await tracker.snapshot(MINT)).kind, "unavailable");
  return { chain, tracker };
}

const UNWEIGHED = {
  ...{ kind: "unpriced-pools", sharePct: null },
  ...{ venues: ["raydium-cpmm"], quoteMints: [] },
};
const WHOLE = { blocked: null, doubts: [] };

test("a token whose only pool was not read whole is never answered as without a way out", async (t) => {
  const chain = new FailingChain();
  const main = placeToken(chain, MINT, 80);
  const tracker = trackerOn(t, chain);
  chain.advance(1);
  chain.leaveOut(main);
  assert.equal((await tracker.snapshot(MINT)).kind, "unavailable");
  const { blocked, depthLamports } = await answerOf(tracker);
  assert.equal(blocked, "unpriced-majority");
  assert.equal(depthLamports, undefined);
  chain.heal();
  await pass(chain, tracker, 4);
  assert.equal((await answerOf(tracker)).depthLamports, 80n * SOL);
});

describe("a pool that the first load did not read whole, beside one that is loaded", () => {
  test("is named as not priced until it is read", async (t) => {
    const { chain, tracker } = await firstLoad(t, { missing: "vaultB", besideSol: SOL / 10n });
    for (let second = 0; second < 20; second++) {
      const { blocked, depthLamports, doubts } = await answerOf(tracker);
      assert.deepEqual({ blocked, depthLamports }, { blocked: null, depthLamports: SOL / 10n });
      assert.deepEqual(doubts, [UNWEIGHED]);
      await pass(chain, tracker, 1);
    }
    chain.heal();
    await pass(chain, tracker, 4);
    assert.deepEqual(await answerOf(tracker), { ...WHOLE, depthLamports: 80n * SOL + SOL / 10n });
  });

  test("is weighed once its quote vault has arrived, although it is not read whole", async (t) => {
    const { vaultA, vaultB } = MAIN;
    const { chain, tracker } = await firstLoad(t, {
      missing: "vaultB",
      besideSol: SOL / 10n,
      alsoMissing: vaultA,
    });
    assert.deepEqual((await answerOf(tracker)).doubts, [UNWEIGHED]);
    chain.delivery = ({ address }) => (address === vaultB ? "now" : "lost");
    setReserves(chain, MAIN, { base: BASE, quote: 80n * SOL });
    await pass(chain, tracker, 1);
    assert.equal((await answerOf(tracker)).blocked, "unpriced-majority");
  });

  test("blocks the answer where its quote vault holds most of the quote", async (t) => {
    const { tracker } = await firstLoad(t, { missing: "vaultA", besideSol: SOL / 10n });
    assert.equal((await answerOf(tracker)).blocked, "unpriced-majority");
  });

  test("blocks the answer where the loaded one pays nothing", async (t) => {
    const { tracker } = await firstLoad(t, { missing: "vaultB", besideSol: 0n });
    assert.equal((await answerOf(tracker)).blocked, "unpriced-majority");
  });
});

describe("a pool that appears while answers are given, and can't be read", () => {
  async function appeared(t: TestContext) {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const tracker = trackerOn(t, chain);
    await tracker.snapshot(MINT);
    await pass(chain, tracker, 10);
    const findings: (readonly string[])[] = [];
    tracker.onSnapshot(({ assessment }) =>
      findings.push(assessment.findings.map(({ kind }) => kind)),
    );
    chain.isReachable = false;
    placePool(chain, plainPool("second", MINT, WSOL), { base: BASE, quote: 80n * SOL });
    return { chain, tracker, findings };
  }

  test("changes no answer for a moment, and is named after that until it is read", async (t) => {
    const { chain, tracker, findings } = await appeared(t);
    await pass(chain, tracker, 5);
    assert.deepEqual(await answerOf(tracker), { ...WHOLE, depthLamports: 80n * SOL });
    await pass(chain, tracker, 10);
    assert.deepEqual(await answerOf(tracker), {
      ...{ blocked: null, depthLamports: 80n * SOL, doubts: [UNWEIGHED] },
    });
    assert.ok(findings.at(-1)?.includes("unpriced-pools"), "it is pushed without a request");
    chain.heal();
    await pass(chain, tracker, 4);
    assert.deepEqual(await answerOf(tracker), { ...WHOLE, depthLamports: 160n * SOL });
  });

  test("blocks the answer at once where all other pools are closed", async (t) => {
    const chain = new ScriptedChain();
    const main = placeToken(chain, MINT, 80);
    const tracker = trackerOn(t, chain);
    await tracker.snapshot(MINT);
    for (const address of [main.address, main.vaultA, main.vaultB]) chain.set(address, null);
    await pass(chain, tracker, 5);
    assert.deepEqual(await answerOf(tracker), { ...WHOLE, depthLamports: 0n });
    chain.isReachable = false;
    placePool(chain, plainPool("second", MINT, WSOL), { base: BASE, quote: 80n * SOL });
    assert.equal((await answerOf(tracker)).blocked, "unpriced-majority");
  });

  test("is named at once where nothing else can be sold: that is not known without it", async (t) => {
    const chain = new ScriptedChain();
    const main = placeToken(chain, MINT, 80);
    const tracker = trackerOn(t, chain);
    await tracker.snapshot(MINT);
    setReserves(chain, main, { base: BASE, quote: 0n });
    await pass(chain, tracker, 10);
    assert.equal((await answerOf(tracker)).depthLamports, 0n);
    chain.isReachable = false;
    placePool(chain, plainPool("second", MINT, WSOL), { base: BASE, quote: 80n * SOL });
    await pass(chain, tracker, 2);
    assert.equal((await answerOf(tracker)).blocked, "unpriced-majority");
  });

  test("is never named if it is read in time", async (t) => {
    const { chain, tracker, findings } = await appeared(t);
    await pass(chain, tracker, 3);
    chain.heal();
    await pass(chain, tracker, 10);
    assert.deepEqual(await answerOf(tracker), { ...WHOLE, depthLamports: 160n * SOL });
    assert.ok(!findings.flat().includes("unpriced-pools"));
  });
});

test("while a pool that a sale may go through is not read, the search counts as incomplete", async (t) => {
  const chain = new FailingChain();
  for (const mint of [MINT, COIN]) placeMint(chain, mint);
  placePool(chain, plainPool("token", MINT, COIN), { base: BASE, quote: 80n * SOL });
  const place = (name: string, sol: bigint): PlainPool =>
    placePool(chain, plainPool(name, COIN, WSOL), { base: sol, quote: sol });
  const deep = place("deep", 80n * SOL);
  place("thin", SOL / 10n);
  const tracker = trackerOn(t, chain);
  chain.advance(1);
  chain.leaveOut(deep);
  await tracker.snapshot(MINT);
  assert.deepEqual((await answerOf(tracker)).doubts, [{ kind: "search-incomplete" }]);
  chain.heal();
  await pass(chain, tracker, 4);
  assert.deepEqual((await answerOf(tracker)).doubts, []);
});

describe("after a restart, a pool that is not read yet", () => {
  /** A token of two pools, of which a new process has read the small one only; then the other holds `solLater`. */
  async function restarted(t: TestContext, solLater: bigint) {
    const database = await sqliteDatabase(t);
    const chain = new FailingChain();
    placeToken(chain, MINT, 80);
    placePool(chain, DUST, { base: BASE / 8n, quote: 10n * SOL });
    const earlier = track(chain, database);
    await earlier.snapshot(MINT);
    await pass(chain, earlier, 400);
    await earlier.close();
    setReserves(chain, MAIN, { base: (BASE * solLater) / (80n * SOL), quote: solLater });
    chain.leaveOut(MAIN);
    const tracker = track(chain, database);
    closeAfter(t, () => tracker.close());
    const changes: AlertChange["kind"][] = [];
    tracker.onReport(({ alertChange }) => {
      if (alertChange !== null) changes.push(alertChange.kind);
    });
    const depths: number[] = [];
    tracker.onSample(({ sample }) => depths.push(sample.depthSol ?? Number.NaN));
    await tracker.restore();
    await pass(chain, tracker, 20);
    const { depthLamports } = await answerOf(tracker);
    assert.equal(depthLamports, 10n * SOL);
    assert.deepEqual(changes, []);
    assert.deepEqual(depths, []);
    chain.heal();
    await pass(chain, tracker, 40);
    return changes;
  }

  test("raises no alert, neither missing nor when it is read", async (t) => {
    assert.deepEqual(await restarted(t, 80n * SOL), []);
  });

  test("raises the alert of what it lost, once it is read", async (t) => {
    assert.deepEqual(await restarted(t, SOL), ["on"]);
  });
});
