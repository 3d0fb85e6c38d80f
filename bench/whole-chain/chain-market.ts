import { stableAndSolMints } from "#demo/basics.ts";
import type { Performed } from "#demo/market-program.ts";
import { DEMO_DEPLOYED_SLOT, programAccounts } from "#demo/program-accounts.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { type SeededRandom, seededRandom } from "#demo/seeded-random.ts";
import type { AccountChanges } from "#src/node/ledger.ts";
import { clockAccount, clockAt, SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import { buy, type ChainToken, openToken, programOf, sell } from "./played-pools.ts";
import {
  type PlayedEvent,
  type PlayedSlot,
  type PlayedTransaction,
  timeOfSlot,
} from "./played-slot.ts";
import { SlotPlan } from "./slot-plan.ts";
import { launchpadAt, TOKEN_MIX, tokensByVenue, tradedVenueAt } from "./token-mix.ts";
import { Traders } from "./traders.ts";

export type ChainOptions = {
  readonly seed: number;
  readonly tokens: number;
  /** Time of the accounts' making. */
  readonly startMs: number;
  /** Swaps a second, outside bursts. */
  readonly swapsPerSecond: number;
  /** How much faster than on the chain tokens are launched, graduate and lose their liquidity. */
  readonly compression: number;
  /** Tokens that only `probe` trades. */
  readonly probes: number;
};

/** The higher, the more of the swaps the first tokens of a venue get: the first tenth gets 75 % by this. */
const HOT_EXPONENT = 8;
/** A trade in lamports: a median share of the pool's depth, the deviation of its logarithm, the most. */
const TRADE = { medianShare: 0.002, deviation: 0.9, mostShare: 0.05 };
/** What a quiet curve has raised, in lamports. */
const RAISED = { median: 1.5e9, deviation: 1, most: 60e9 };
/** A new token is traded so often in its first minute. */
const TRADES_OF_NEWBORN = 15;
const NEWBORN_SLOTS = 150;
const GRADUATES_AFTER_SLOTS = 25;
const RUG_BPS = 9_700;
/** More than a run takes the liquidity out of. */
const MOST_DRAINED = 4_000;
const SWAPS_AT_ONCE = 20;
const FILL_LAMPORTS = 64e9;
const LEAST_FILL_LAMPORTS = 1e6;
/** Venues whose pools the probes trade: their price follows each trade. */
const PROBED: readonly VenueId[] = ["pumpswap", "raydium-cpmm", "pump-curve", "meteora-damm-v2"];

/**
 * A market of the whole chain's size, in the programs' true account layouts, played slot by slot ahead of
 * the moment at which it is sent. The same options give the same tokens, trades and amounts.
 */
export class ChainMarket {
  /** Every account after the newest slot that was played. */
  readonly accounts = new Map<Address, Account>();
  readonly probes: readonly ChainToken[];
  readonly #options: ChainOptions;
  readonly #random: SeededRandom;
  readonly #known: AccountSet;
  readonly #traders: Traders;
  readonly #byVenue = new Map<VenueId, ChainToken[]>();
  readonly #plan: SlotPlan;
  readonly #jobs = new Map<number, (() => void)[]>();
  readonly #sweep: ChainToken[] = [];
  /** Pools whose liquidity can be taken out, in the order in which it is. */
  #drained: ChainToken[] = [];
  #place = 0;
  #startMs: number;
  #clock: Clock;
  #created = 0;
  #swept = 0;
  #probed = 0;
  #changes = new Map<Address, Account | null>();
  #transactions: PlayedTransaction[] = [];
  #events: PlayedEvent[] = [];
  #swaps = 0;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#plan = new SlotPlan(options);
    this.#startMs = options.startMs;
    this.#clock = clockAt(options.startMs);
    const { accounts } = this;
    this.#known = { get: (address) => accounts.get(address) ?? null };
    this.#traders = new Traders(this.#random);
    this.#apply(new Map([[CLOCK_SYSVAR, clockAccount(this.#clock)]]));
    this.#apply(stableAndSolMints(this.#clock.slot));
    for (const program of MARKET_PROGRAMS) {
      this.#apply(program.setup(this.#clock));
      this.#apply(programAccounts(programOf(program.venue).venue.programId, DEMO_DEPLOYED_SLOT));
    }
    for (const [venue, count] of tokensByVenue(options.tokens)) {
      const own = Array.from({ length: count }, () => this.#open(venue));
      this.#byVenue.set(venue, own);
      this.#sweep.push(...own);
    }
    for (const token of this.#sweep) if (token.venue.kind === "curve") this.#buyFirst(token);
    this.probes = this.#takeProbes();
    this.#drained = this.#drainable();
    this.#changes.clear();
  }

  /** Every token that is alive, venue by venue. */
  get tokens(): readonly ChainToken[] {
    return this.#sweep;
  }

  /** Tokens whose liquidity will be taken out, the first ones first. */
  get drained(): readonly ChainToken[] {
    return this.#drained;
  }

  get slot(): bigint {
    return this.#clock.slot;
  }

  /** The first slot that is played begins at that time, every further one 400 ms later. */
  startAt(ms: number): void {
    this.#startMs = timeOfSlot(clockAt(ms).slot) - SLOT_MS;
  }

  /** From the next slot on, the market is as planned: bursts, launches, graduations and withdrawals. */
  begin(): void {
    this.#plan.begin(this.#place);
  }

  /**
   * Leaves out slots that should have ended by now, as leaders do that produce no block in time. The chain's
   * clock keeps to the time of day, however slow the machine.
   *
   * @returns how many were left out
   */
  skipTo(ms: number): number {
    const place = Math.floor((ms - this.#startMs) / SLOT_MS) - 1;
    const skipped = Math.max(0, place - this.#place);
    this.#place += skipped;
    return skipped;
  }

  /** Plays a slot in which each of the next tokens is traded once: so the stream shows quiet ones too. */
  playSweep(tokens: number): PlayedSlot {
    this.#nextSlot();
    for (let index = 0; index < tokens; index++) {
      const token = this.#sweep[this.#swept++ % this.#sweep.length];
      if (token !== undefined) this.#buy(token, 0.3);
    }
    return this.#ended(false);
  }

  /** Plays the next slot of the plan; gives way from time to time. */
  *playInParts(): Generator<void, PlayedSlot, void> {
    this.#nextSlot();
    const planned = this.#plan.slot(this.#place);
    for (const [place, jobs] of this.#jobs) {
      if (place > this.#place) continue;
      this.#jobs.delete(place);
      for (const job of jobs) job();
    }
    for (let index = 0; index < planned.births; index++) this.#launch();
    for (let index = 0; index < planned.graduations; index++) this.#fillOne();
    for (let index = 0; index < planned.withdrawals; index++) this.#withdraw();
    for (let index = 0; index < planned.probes; index++) this.#probe();
    const already = this.#swaps;
    for (let index = already; index < planned.swaps; index++) {
      this.#trade();
      if (index % SWAPS_AT_ONCE === 0) yield;
    }
    return this.#ended(planned.isBurst);
  }

  #nextSlot(): void {
    this.#place++;
    this.#clock = clockAt(this.#startMs + this.#place * SLOT_MS);
    this.#changes = new Map();
    this.#transactions = [];
    this.#events = [];
    this.#swaps = 0;
    this.#apply(new Map([[CLOCK_SYSVAR, clockAccount(this.#clock)]]));
  }

  #ended(isBurst: boolean): PlayedSlot {
    return {
      ...{ clock: this.#clock, changes: this.#changes, transactions: this.#transactions },
      ...{ events: this.#events, swaps: this.#swaps, isBurst },
    };
  }

  #open(venue: VenueId): ChainToken {
    const { token, changes } = openToken(venue, this.#known, {
      random: this.#random,
      creator: this.#traders.any(),
      clock: this.#clock,
      number: ++this.#created,
    });
    this.#apply(changes);
    return token;
  }

  #buyFirst(token: ChainToken): void {
    const raised = RAISED.median * Math.exp(RAISED.deviation * this.#random.normal());
    const order = {
      lamports: Math.min(raised, RAISED.most),
      user: this.#traders.any(),
      clock: this.#clock,
    };
    const done = buy(this.#known, token, order);
    if (done !== null) this.#apply(done.changes);
    // What the first buyers hold is not sold again.
    token.bought = 0n;
  }

  #takeProbes(): readonly ChainToken[] {
    const probes: ChainToken[] = [];
    for (let index = 0; index < this.#options.probes; index++) {
      const venue = PROBED[index % PROBED.length];
      const own = venue === undefined ? undefined : this.#byVenue.get(venue);
      const token = own !== undefined && own.length > 1 ? own.pop() : undefined;
      if (token !== undefined) probes.push(token);
    }
    return probes;
  }

  /** Pools of every venue where liquidity can be taken out, in turns, the busiest left alone. */
  #drainable(): ChainToken[] {
    const amms = TOKEN_MIX.map(({ venue }) => this.#byVenue.get(venue) ?? []).filter(
      ([first]) => first?.venue.kind === "amm",
    );
    const longest = Math.max(...amms.map(({ length }) => length));
    const turns = Array.from({ length: longest }, (_, turn) =>
      amms.flatMap((own) => own[own.length - 1 - turn] ?? []),
    ).flat();
    return turns
      .slice(0, MOST_DRAINED)
      .filter(
        ({ program, pool }) =>
          program.changeLiquidity(this.#known, pool, RUG_BPS, this.#clock) !== null,
      );
  }

  #trade(): void {
    const own = this.#byVenue.get(tradedVenueAt(this.#random.uniform()));
    if (own === undefined) return;
    const token = own[Math.floor(this.#random.uniform() ** HOT_EXPONENT * own.length)];
    if (token !== undefined) this.#tradeIn(token);
  }

  #tradeIn(token: ChainToken): void {
    if (token.isDead) return;
    const isSale = token.bought > 0n && this.#random.uniform() < 0.5;
    if (!isSale) {
      this.#buy(token, Math.exp(TRADE.deviation * this.#random.normal()));
      return;
    }
    const share = 0.3 + 0.7 * this.#random.uniform();
    this.#keep(
      token,
      sell(this.#known, token, { share, user: this.#traders.of(token), clock: this.#clock }),
    );
  }

  #buy(token: ChainToken, factor: number): boolean {
    const share = Math.min(TRADE.medianShare * factor, TRADE.mostShare);
    const lamports = token.depthLamports * share;
    return this.#keep(
      token,
      buy(this.#known, token, { lamports, user: this.#traders.of(token), clock: this.#clock }),
    );
  }

  #keep(token: ChainToken, done: Performed | null): boolean {
    if (done === null) return false;
    this.#apply(done.changes);
    this.#swaps++;
    this.#transactions.push({
      programId: token.venue.programId,
      feePayer: this.#traders.of(token),
      accounts: done.instructionAccounts,
      data: done.instructionData,
      inner: done.innerInstructionData,
      logs: done.logs,
      signature: this.#random.bytes(64),
    });
    return true;
  }

  /** A change that is not a trade, with a transaction that names the pool. */
  #keepOutside(token: ChainToken, changes: AccountChanges): void {
    this.#apply(changes);
    this.#transactions.push({
      programId: token.venue.programId,
      feePayer: token.creator,
      accounts: [token.pool, token.mint],
      data: new Uint8Array(8),
      ...{ inner: [], logs: [], signature: this.#random.bytes(64) },
    });
  }

  #probe(): void {
    const token = this.probes[this.#probed++ % Math.max(1, this.probes.length)];
    if (token === undefined) return;
    // Above the least change that an answer shows, and in turns, so that a price stays where it is.
    const isSale = token.bought > 0n;
    const done = isSale
      ? sell(this.#known, token, { share: 1, user: this.#traders.of(token), clock: this.#clock })
      : buy(this.#known, token, {
          ...{
            lamports: token.depthLamports * 0.01,
            user: this.#traders.of(token),
            clock: this.#clock,
          },
        });
    if (done !== null && this.#keep(token, done))
      this.#events.push({ kind: "probe", ...of(token, done.changes.keys()) });
  }

  #launch(): void {
    const venue = launchpadAt(this.#random.uniform());
    const token = this.#open(venue);
    this.#buy(token, 4);
    this.#byVenue.get(venue)?.push(token);
    this.#sweep.push(token);
    this.#events.push({ kind: "born", ...of(token, [token.pool]) });
    for (let trade = 0; trade < TRADES_OF_NEWBORN; trade++) {
      const after = 1 + Math.floor(NEWBORN_SLOTS * this.#random.uniform() ** 2);
      this.#at(this.#place + after, () => this.#tradeIn(token));
    }
  }

  #at(place: number, job: () => void): void {
    const jobs = this.#jobs.get(place);
    if (jobs === undefined) this.#jobs.set(place, [job]);
    else jobs.push(job);
  }

  /** Buys up a pump curve, which moves to its pool ten seconds later. */
  #fillOne(): void {
    const curves = this.#byVenue.get("pump-curve") ?? [];
    const place = Math.floor(this.#random.uniform() * curves.length);
    const token = curves[place];
    if (token === undefined || token.isDead) return;
    for (let lamports = FILL_LAMPORTS; lamports >= LEAST_FILL_LAMPORTS; lamports /= 2) {
      const order = { lamports, user: this.#traders.of(token), clock: this.#clock };
      while (this.#keep(token, buy(this.#known, token, order)));
    }
    token.isDead = true;
    this.#at(this.#place + GRADUATES_AFTER_SLOTS, () => this.#graduate(token, place));
  }

  #graduate(token: ChainToken, place: number): void {
    const { mint, pool } = token;
    const done = token.program.graduate?.(this.#known, pool, {
      ...{ baseMint: mint, clock: this.#clock, freshAddress: this.#random.address },
      program: (venue) => programOf(venue).program,
    });
    if (done === undefined || done === null) return;
    this.#keepOutside(token, done.changes);
    const curves = this.#byVenue.get("pump-curve") ?? [];
    const last = curves.pop();
    if (last !== undefined && last !== token && curves[place] === token) curves[place] = last;
    Object.assign(token, programOf(done.venue), { pool: done.pool, bought: 0n, isDead: false });
    const pools = this.#byVenue.get(done.venue) ?? [];
    // Graduates are traded much: it takes the place of a busy one, which moves to the end.
    const hot = Math.floor((this.#random.uniform() * pools.length) / 20);
    const moved = pools[hot];
    pools[hot] = token;
    if (moved !== undefined) pools.push(moved);
    this.#events.push({ kind: "graduated", ...of(token, done.changes.keys()) });
  }

  #withdraw(): void {
    const token = this.#drained.shift();
    if (token === undefined) return;
    const changes = token.program.changeLiquidity(this.#known, token.pool, RUG_BPS, this.#clock);
    if (changes === null) return;
    this.#keepOutside(token, changes);
    token.isDead = true;
    this.#events.push({ kind: "withdrawn", ...of(token, changes.keys()) });
  }

  #apply(changes: AccountChanges): void {
    const { slot } = this.#clock;
    for (const [address, account] of changes) {
      const kept = account === null ? null : { ...account, slot };
      if (kept === null) this.accounts.delete(address);
      else this.accounts.set(address, kept);
      this.#changes.set(address, kept);
    }
  }
}

function of({ mint, venue }: ChainToken, accounts: Iterable<Address>) {
  return { mint, venue: venue.id, accounts: [...accounts] };
}
