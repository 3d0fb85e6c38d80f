import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { DemoMarket, type DemoOptions } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { seededRandom } from "#demo/seeded-random.ts";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";

const START_MS = Date.UTC(2026, 10, 20, 12);
const SLOTS_PER_MINUTE = 150;

function demoMarket(options: Partial<DemoOptions> = {}): DemoMarket {
  return new DemoMarket({
    seed: 7,
    startMs: START_MS,
    programs: MARKET_PROGRAMS,
    venues: VENUES,
    ...options,
  });
}

function play(demo: DemoMarket, minutes: number): void {
  for (let slot = 0; slot < minutes * SLOTS_PER_MINUTE; slot++) demo.tick();
}

/** Every pool of a token that its own venue finds and reads, with what sales can take out of each. */
function poolsOf(demo: DemoMarket, mint: Address) {
  return VENUES.flatMap((venue) => {
    const { derived, configured, filters } = venue.search(mint, null);
    const searched = filters.flatMap((filter) =>
      [...demo.ledger.ownedBy(filter.programId)].filter((address) => {
        const data = demo.ledger.get(address)?.data;
        return data !== undefined && (filter.dataSize ?? data.length) === data.length;
      }),
    );
    return [...new Set([...derived, ...configured(), ...searched])].flatMap((address) => {
      if (demo.ledger.get(address) === null) return [];
      const outline = venue.outline(address, demo.ledger, mint);
      if (outline === null || (outline.mintA !== mint && outline.mintB !== mint)) return [];
      const decoded = venue.decode(address, demo.ledger, mint);
      if (decoded.kind !== "pool") assert.fail(`${venue.id}: ${decoded.detail}`);
      const status = venue.status(decoded.state, demo.ledger.clock);
      const reachable = venue.reachable(decoded.state, mint, 10_000);
      return [{ venue: venue.id, kind: venue.kind, address, status, reachable }];
    });
  });
}

function depthOf(demo: DemoMarket, mint: Address): bigint {
  return poolsOf(demo, mint).reduce((sum, { reachable }) => sum + reachable, 0n);
}

/** The same of the pools that the token has now, found once. */
function depthReader(demo: DemoMarket, mint: Address): () => bigint {
  const pools = poolsOf(demo, mint).map(({ address, venue }) => ({
    address,
    venue: VENUES.find(({ id }) => id === venue),
  }));
  return () =>
    pools.reduce((sum, { address, venue }) => {
      const decoded = venue?.decode(address, demo.ledger, mint);
      assert.ok(venue && decoded?.kind === "pool");
      return sum + venue.reachable(decoded.state, mint, 10_000);
    }, 0n);
}

function mintOf(symbol: string): Address {
  const found = DEMO_TOKENS.find((token) => token.symbol === symbol);
  assert.ok(found, symbol);
  return found.mint;
}

function digest(demo: DemoMarket): string {
  const hash = createHash("sha256");
  for (const { signature, logs } of demo.ledger.transactions())
    hash.update(signature + logs.join());
  for (const owner of [...VENUES.map(({ programId }) => programId), TOKEN_PROGRAM]) {
    for (const address of demo.ledger.ownedBy(owner)) {
      hash.update(address).update(demo.ledger.get(address)?.data ?? "");
    }
  }
  return hash.digest("hex");
}

test("the same seed and the same ticks make the same bytes; another seed makes others", () => {
  const [first, second, other] = [demoMarket(), demoMarket(), demoMarket({ seed: 8 })];
  for (const demo of [first, second, other]) play(demo, 1);
  assert.equal(digest(first), digest(second));
  assert.notEqual(digest(first), digest(other));
});

test("every named token is readable by its venue, carries its name, and can be sold", () => {
  const demo = demoMarket();
  play(demo, 1);
  assert.ok(demo.namedTokens.length > 0);
  for (const { mint, symbol } of demo.namedTokens) {
    assert.ok(decodeMint(demo.ledger.get(mint)), symbol);
    const open = poolsOf(demo, mint).filter(({ status }) => status === "open");
    assert.ok(open.length > 0, symbol);
    assert.ok(depthOf(demo, mint) > 0n, symbol);
  }
});

test("a market left alone stays one: pools keep their depth, and none runs away", () => {
  const demo = demoMarket({ launchEveryMinutes: null });
  const quiet = ["STEADY", "THREE", "BUCK", "TAX", "THIN", "RANGE", "BINS", "SEA", "DUO"]
    .map(mintOf)
    .filter((mint) => demo.mints.includes(mint))
    .map((mint) => ({ mint, depth: depthReader(demo, mint), before: depthOf(demo, mint) }));
  play(demo, 12);
  for (const { mint, depth, before } of quiet) {
    assert.ok(depth() * 2n > before && depth() < before * 2n, `${mint}: ${before} -> ${depth()}`);
  }
});

test("the rug goes in one slot, the leak in slices, and both come back", () => {
  const programs = MARKET_PROGRAMS.filter(({ venue }) => venue === "pumpswap");
  const demo = demoMarket({ launchEveryMinutes: null, programs });
  const rugDepth = depthReader(demo, mintOf("RUG"));
  const leakDepth = depthReader(demo, mintOf("LEAK"));
  play(demo, 7);
  const [rugBefore, leakBefore] = [rugDepth(), leakDepth()];
  let largestFall = 0;
  let held = leakBefore;
  for (let slot = 0; slot < 2 * SLOTS_PER_MINUTE; slot++) {
    demo.tick();
    const now = leakDepth();
    largestFall = Math.max(largestFall, 1 - Number((now * 1000n) / held) / 1000);
    held = now;
  }
  assert.ok(rugDepth() < rugBefore / 100n);
  assert.ok(held < leakBefore && largestFall < 0.15, `${held} of ${leakBefore}, ${largestFall}`);
  play(demo, 49);
  assert.ok(rugDepth() > rugBefore / 2n);
  assert.ok(leakDepth() > leakBefore / 2n);
});

test("a bought-up launch graduates: its curve closes and a pool opens", () => {
  const programs = MARKET_PROGRAMS.filter(({ venue }) => venue.startsWith("pump"));
  const demo = demoMarket({ launchEveryMinutes: null, programs });
  const mint = mintOf("GRAD");
  assert.ok(poolsOf(demo, mint).every(({ kind }) => kind === "curve"));
  play(demo, 20);
  const amm = poolsOf(demo, mint).find(({ kind }) => kind === "amm");
  assert.equal(amm?.status, "open");
  const curve = poolsOf(demo, mint).find(({ kind }) => kind === "curve");
  assert.notEqual(curve?.status, "open");
});

test("tokens whose story is their launch curve stay on it for half an hour, well above its first price", () => {
  const demo = demoMarket({ launchEveryMinutes: null });
  for (let minutes = 0; minutes < 30; minutes += 10) {
    for (const symbol of ["CURVE", "DBC", "LETSGO"]) {
      const pools = poolsOf(demo, mintOf(symbol)).map(({ kind, status }) => [kind, status]);
      assert.deepEqual(pools, [["curve", "open"]], `${symbol} after ${minutes} minutes`);
      assert.ok(depthOf(demo, mintOf(symbol)) > 5_000_000_000n, symbol);
    }
    play(demo, 10);
  }
});

test("launches happen without a request", () => {
  const demo = demoMarket({ launchEveryMinutes: 1 });
  const before = demo.mints.length;
  play(demo, 5);
  assert.ok(demo.mints.length >= before + 4);
});

test("launches that are over leave nothing behind, graduated ones too, and take nothing of others", () => {
  const demo = demoMarket({ launchEveryMinutes: 0.1 });
  const named = new Set(demo.mints);
  const launchesOf = () => demo.mints.filter((mint) => !named.has(mint));
  const closed = new Set<Address>();
  demo.ledger.listen({
    onAccount: (address, account) => void (account === null && closed.add(address)),
    onTransaction: () => undefined,
    onSlot: () => undefined,
  });
  play(demo, 2.1);
  const first = launchesOf().slice(0, 5);
  for (const mint of first) assert.ok(demo.script(mint, { kind: "migrate" }));
  const pools = first.flatMap((mint) => poolsOf(demo, mint));
  assert.ok(pools.some(({ kind }) => kind === "amm"));
  play(demo, 2.1);
  const { size } = demo.ledger;
  play(demo, 4.2);
  for (const mint of first) assert.equal(demo.ledger.get(mint), null);
  for (const { address } of pools) assert.ok(closed.has(address));
  assert.ok(demo.ledger.size < 1.2 * size, `${demo.ledger.size} accounts after ${size}`);
  const others = [...named, ...launchesOf().slice(0, 5)];
  for (const mint of others) assert.ok(poolsOf(demo, mint).length > 0, mint);
});

test("a script rugs, trades, pauses and migrates what its programs allow, and nothing else", () => {
  const demo = demoMarket({ launchEveryMinutes: null });
  const steady = mintOf("STEADY");
  const before = depthOf(demo, steady);
  assert.ok(demo.script(steady, { kind: "trade", side: "sell", sol: 10 }));
  assert.ok(depthOf(demo, steady) < before);
  assert.ok(demo.script(steady, { kind: "liquidity", shareBps: 9_900 }));
  assert.ok(depthOf(demo, steady) < before / 50n);
  assert.ok(!demo.script(steady, { kind: "migrate" }));
  assert.ok(demo.script(mintOf("CURVE"), { kind: "migrate" }));
  assert.ok(poolsOf(demo, mintOf("CURVE")).some(({ kind }) => kind === "amm"));
});

test("catching up plays what was missed, and jumps where that is too much", () => {
  const demo = demoMarket();
  demo.catchUp(START_MS + 4_000);
  assert.equal(demo.ledger.clock.unixTimestamp, BigInt(START_MS / 1000 + 4));
  const slot = demo.ledger.clock.slot;
  demo.catchUp(START_MS + 3_600_000);
  assert.equal(demo.ledger.clock.unixTimestamp, BigInt(START_MS / 1000 + 3_600));
  assert.equal(demo.ledger.clock.slot, slot + 8_990n);
});

test("a made-up signature is 64 bytes of base58", () => {
  const random = seededRandom(3);
  for (let count = 0; count < 200; count++) {
    assert.equal(base58Decode(random.signature())?.length, 64);
  }
});
