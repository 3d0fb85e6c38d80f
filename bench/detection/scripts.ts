import { NO_LOSSES } from "#src/measure/series/losses.ts";
import { between, type Random } from "#src/platform/seeded-random.ts";
import { establishedFlow, launchFlow, walkFrom } from "./flow.ts";
import { HostileView } from "./hostile-market.ts";
import {
  changeBasis,
  happen,
  moveLiquidity,
  openStage,
  playFor,
  type Reading,
  SLOT_MS,
  type Stage,
  settle,
  show,
} from "./stage.ts";
import {
  curveWith,
  pause,
  poolWith,
  priceOf,
  setFee,
  trade,
  type VirtualMarket,
} from "./virtual-market.ts";

/** A kind of market whose truth is known: how it is played, and how many are played by default. */
export type Script = {
  readonly name: string;
  readonly markets: number;
  /** Whether every market of it drains, or most do. */
  readonly isDrain: boolean;
  /** Whether one plain pool can play it, and in a few hours: then it runs through the tracker too. */
  readonly isTracked: boolean;
  readonly play: (random: Random, read: (reading: Reading) => void) => void;
};

const HOUR = 3_600;
const MINUTE = 60;
const CURVE_FULL_SOL = 85;

/** An established pool of 8 to 2,000 SOL. */
function pool(random: Random, read: (reading: Reading) => void): Stage {
  const market = poolWith(between(random, 8, 2_000), random() < 0.5 ? 3_000 : 10_000);
  return openStage(random, market, establishedFlow(random), read);
}

/** Trades quietly for a while before anything happens. */
function warmUp(stage: Stage): void {
  playFor(stage, between(stage.random, 10 * MINUTE, 90 * MINUTE));
}

/** Nothing is traded back, and the market lives on at what is left. */
function aftermath(stage: Stage): void {
  settle(stage);
  playFor(stage, HOUR);
}

const chanceOf = (random: Random, share: number): boolean => random() < share;

const wholeBetween = (random: Random, low: number, high: number): number =>
  Math.round(between(random, low, high));

/** From the first buyers to graduation and on, for a day. */
function healthyLaunch(random: Random, read: (reading: Reading) => void): void {
  const raised = between(random, 2, 8);
  const flow = launchFlow(random, raised, CURVE_FULL_SOL);
  const stage = openStage(random, curveWith(raised), flow, read);
  let minutes = 0;
  while (stage.market.real < CURVE_FULL_SOL && minutes < 12 * 60) {
    playFor(stage, MINUTE);
    minutes++;
  }
  if (stage.market.real >= CURVE_FULL_SOL) graduate(stage, 0.79 + 0.2 * random());
  stage.walk = walkFrom(stage.market, establishedFlow(random));
  playFor(stage, 24 * HOUR - minutes * MINUTE);
}

function graduate(stage: Stage, share: number): void {
  stage.feed = "blind";
  playFor(stage, between(stage.random, 10, MINUTE));
  const price = priceOf(stage.market);
  const opened = poolWith(CURVE_FULL_SOL * share, 2_500);
  stage.market = { ...opened, base: opened.quote / price };
  settle(stage);
  changeBasis(stage);
  stage.feed = "live";
  show(stage, NO_LOSSES);
}

/** A day of trading, and of providers who come and go with up to a tenth of the liquidity. */
function healthyPool(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  const visits = wholeBetween(random, 1, 12);
  for (let visit = 0; visit < visits; visit++) {
    playFor(stage, (24 * HOUR) / visits);
    const share = between(random, 0.005, 0.1);
    happen(stage, moveLiquidity(stage, chanceOf(random, 0.5) ? share : -share));
  }
}

/** Loses half of its quote over 3 to 16 hours, as most tokens do. */
function organicDecay(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  const halfLifeHours = between(random, 3, 16);
  const hourlyDrift = -Math.LN2 / halfLifeHours;
  stage.walk = walkFrom(stage.market, { ...stage.walk.flow, hourlyDrift });
  playFor(stage, 24 * HOUR);
}

function rugInOneTransaction(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  happen(stage, moveLiquidity(stage, 0.9 + 0.0999 * random()));
  aftermath(stage);
}

/** 4 to 40 withdrawals over 2 to 30 minutes, 85 to 99 % together, between which trading goes on. */
function rugInSlices(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  const slices = wholeBetween(random, 4, 40);
  const seconds = between(random, 2 * MINUTE, 30 * MINUTE);
  const left = between(random, 0.01, 0.15);
  for (let slice = 0; slice < slices; slice++) {
    happen(stage, moveLiquidity(stage, 1 - left ** (1 / slices)));
    playFor(stage, (seconds / slices) * (0.5 + random()));
  }
  aftermath(stage);
}

/** Sales that feed each other: 50 to 90 % of the quote over 1 to 20 minutes; one in four is bought back. */
function sellCascade(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  const sales = wholeBetween(random, 5, 40);
  const seconds = between(random, MINUTE, 20 * MINUTE);
  const left = 1 - between(random, 0.5, 0.9);
  const isBoughtBack = chanceOf(random, 0.25);
  for (let sale = 0; sale < sales; sale++) {
    happen(stage, trade(stage.market, stage.market.quote * (1 - left ** (1 / sales))));
    if (!isBoughtBack) settle(stage);
    playFor(stage, seconds / sales);
  }
  if (!isBoughtBack) settle(stage);
  playFor(stage, 2 * HOUR);
}

/** Withdrawals of 3 to 20 % over 1 to 12 hours, each long after the last, until a third or less is left. */
function stealthDrain(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  const left = between(random, 0.05, 0.33);
  const share = between(random, 0.03, 0.2);
  const slices = Math.ceil(Math.log(left) / Math.log1p(-share));
  const seconds = between(random, HOUR, 12 * HOUR);
  for (let slice = 0; slice < slices; slice++) {
    happen(stage, moveLiquidity(stage, share));
    playFor(stage, (seconds / slices) * (0.5 + random()));
  }
  aftermath(stage);
}

/** 5 to 40 times a day a provider adds 2 % to five times the liquidity and removes it within 50 s. */
function flashLiquidity(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  const visits = wholeBetween(random, 5, 40);
  for (let visit = 0; visit < visits; visit++) {
    playFor(stage, (24 * HOUR) / visits);
    const added = between(random, 0.02, 5);
    happen(stage, moveLiquidity(stage, -added));
    if (chanceOf(random, 0.5)) playFor(stage, 10 * wholeBetween(random, 1, 5));
    else stage.timeMs += SLOT_MS * wholeBetween(random, 1, 100);
    happen(stage, moveLiquidity(stage, added / (1 + added)));
  }
  playFor(stage, HOUR);
}

/** An honest pool beside other users' pools of at most 5 % of its liquidity, which come and go; half drain. */
function hostilePools(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  const strangers = { pools: new Map<string, VirtualMarket>(), unpricedSol: 0 };
  stage.hostile = { view: new HostileView(), strangers };
  playFor(stage, between(random, 10 * MINUTE, 30 * MINUTE));
  for (let attack = 0; attack < 40; attack++) {
    openStranger(stage, `stranger ${attack % 4}`);
    if (chanceOf(random, 0.5)) playFor(stage, 10 * wholeBetween(random, 1, 18));
    else stage.timeMs += SLOT_MS * wholeBetween(random, 1, 20);
    if (chanceOf(random, 0.7)) strangers.pools.delete(`stranger ${attack % 4}`);
    show(stage, NO_LOSSES);
    playFor(stage, between(random, 10, 2 * MINUTE));
  }
  if (chanceOf(random, 0.5)) {
    playFor(stage, HOUR);
    return;
  }
  strangers.unpricedSol = between(random, 0.01, 0.05) * stage.market.real;
  const left = between(random, 0.005, 0.04);
  const slices = chanceOf(random, 0.5) ? 1 : wholeBetween(random, 2, 20);
  for (let slice = 0; slice < slices; slice++) {
    openStranger(stage, "decoy");
    happen(stage, moveLiquidity(stage, 1 - left ** (1 / slices)));
    playFor(stage, between(random, 10, 4 * MINUTE));
  }
  aftermath(stage);
}

/** A bid above or below the market, or one whose fee takes what its price promises. */
function openStranger(stage: Stage, name: string): void {
  const { random, market, hostile } = stage;
  const quote = between(random, 0.005, 0.05) * market.real;
  const fee = chanceOf(random, 0.4) ? between(random, 0.05, 0.9) : 0.000_1;
  const price = (priceOf(market) * between(random, 0.85, 1.15)) / (1 - fee);
  const feePpm = Math.round(fee * 10_000) * 100;
  hostile?.strangers.pools.set(name, { ...poolWith(quote, feePpm), base: quote / price });
  show(stage, NO_LOSSES);
}

/** A provider moves its liquidity to another range: out and in again, in one transaction or some slots apart. */
function rangeShifts(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  const shifts = wholeBetween(random, 1, 4);
  for (let shift = 0; shift < shifts; shift++) {
    playFor(stage, between(random, 2 * HOUR, 8 * HOUR));
    const share = between(random, 0.05, 0.6);
    const returned = share * between(random, 0.85, 1.1);
    const slotsApart = chanceOf(random, 0.6) ? 0 : wholeBetween(random, 1, 20);
    const out = moveLiquidity(stage, share);
    if (slotsApart > 0) happen(stage, out);
    stage.timeMs += SLOT_MS * slotsApart;
    const back = moveLiquidity(stage, -returned / (1 - share));
    happen(stage, slotsApart > 0 ? back : NO_LOSSES);
  }
  playFor(stage, 2 * HOUR);
}

/** To 6 % and more: beyond that nothing sells within 10 % for long. */
function feeRaise(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  happen(stage, setFee(stage.market, wholeBetween(random, 62_000, 900_000)));
  aftermath(stage);
}

function tradingPaused(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  warmUp(stage);
  happen(stage, pause(stage.market));
  playFor(stage, HOUR);
}

/** The curve fills, nothing can be sold for a while, and the new pool is anything from half to more. */
function migration(random: Random, read: (reading: Reading) => void): void {
  const raised = between(random, 60, 80);
  const flow = launchFlow(random, raised, CURVE_FULL_SOL);
  const stage = openStage(random, curveWith(raised), flow, read);
  playFor(stage, HOUR);
  graduate(stage, between(random, 0.3, 1.2));
  stage.walk = walkFrom(stage.market, establishedFlow(random));
  playFor(stage, 3 * HOUR);
}

/** The feed is silent for 10 s to an hour; the market falls meanwhile, or does not. */
function feedGaps(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  for (let gap = 0; gap < 4; gap++) {
    playFor(stage, between(random, HOUR, 3 * HOUR));
    stage.feed = "blind";
    const seconds = between(random, 10, HOUR);
    playFor(stage, seconds / 2);
    if (chanceOf(random, 0.5)) {
      trade(stage.market, stage.market.quote * between(random, 0.1, 0.25));
      settle(stage);
    }
    playFor(stage, seconds / 2);
    stage.feed = "live";
  }
  playFor(stage, HOUR);
}

/** A provider goes stale, another takes over and sees what the first one missed. */
function providerSwitches(random: Random, read: (reading: Reading) => void): void {
  const stage = pool(random, read);
  for (let change = 0; change < 4; change++) {
    playFor(stage, between(random, HOUR, 3 * HOUR));
    stage.feed = "frozen";
    if (chanceOf(random, 0.5)) {
      trade(stage.market, stage.market.quote * between(random, 0.1, 0.25));
      settle(stage);
    }
    playFor(stage, between(random, 10, 5 * MINUTE));
    stage.feed = "live";
    changeBasis(stage);
  }
  playFor(stage, HOUR);
}

/** Reads come back empty, which is not an answer; or older than what is known, which changes nothing. */
function rpcZerosAndRollbacks(random: Random, read: (reading: Reading) => void): void {
  const kept: Reading[] = [];
  const stage = pool(random, (reading) => {
    kept.push(reading);
    if (kept.length > 60) kept.shift();
    read(reading);
  });
  for (let fault = 0; fault < 12; fault++) {
    playFor(stage, between(random, 5 * MINUTE, 40 * MINUTE));
    if (chanceOf(random, 0.5)) {
      stage.feed = "empty";
      playFor(stage, 10 * wholeBetween(random, 1, 6));
      stage.feed = "live";
    } else {
      const old = kept.slice(0, wholeBetween(random, 1, 30));
      for (const reading of old) {
        const { seen } = reading;
        read({ ...reading, seen: seen === null ? null : { ...seen, c10Sol: seen.c10Sol / 3 } });
      }
    }
  }
  playFor(stage, HOUR);
}

const CALM = { isDrain: false, isTracked: false };
const FAULTY = { isDrain: false, isTracked: true };
const DRAIN = { isDrain: true, isTracked: true };

export const SCRIPTS: readonly Script[] = [
  { name: "healthy launches", markets: 400, ...CALM, play: healthyLaunch },
  { name: "healthy pools", markets: 800, ...CALM, play: healthyPool },
  { name: "organic decay", markets: 200, ...CALM, play: organicDecay },
  { name: "range shifts", markets: 200, ...CALM, play: rangeShifts },
  { name: "rug in one transaction", markets: 600, ...DRAIN, play: rugInOneTransaction },
  { name: "rug in slices", markets: 600, ...DRAIN, play: rugInSlices },
  { name: "sell cascade", markets: 600, ...DRAIN, play: sellCascade },
  { name: "fee raise", markets: 200, ...DRAIN, play: feeRaise },
  { name: "trading paused", markets: 200, ...DRAIN, play: tradingPaused },
  { name: "migrations", markets: 600, ...CALM, play: migration },
  { name: "feed gaps", markets: 400, ...FAULTY, play: feedGaps },
  { name: "provider switches", markets: 400, ...FAULTY, play: providerSwitches },
  { name: "RPC zeros and rollbacks", markets: 300, ...FAULTY, play: rpcZerosAndRollbacks },
  { name: "stealth drain", markets: 200, isDrain: true, isTracked: false, play: stealthDrain },
  { name: "flash liquidity", markets: 200, ...CALM, play: flashLiquidity },
  { name: "hostile pools", markets: 40, isDrain: true, isTracked: false, play: hostilePools },
];
