import { Ledger } from "#src/node/ledger.ts";
import { clockAt, SLOT_MS } from "#src/node/slot-clock.ts";
import { type Address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import { TOKEN_PROGRAM, USDC } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import { decodeTokenAccount } from "#src/venues/shared/token/token-account.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import { stableAndSolMints } from "./basics.ts";
import { buyUp, fillCurve, graduate, noticeFullCurve, type PlayedProgram } from "./curve.ts";
import { lockAccount, shareTakers } from "./locked-shares.ts";
import type { MarketProgram } from "./market-program.ts";
import { DEMO_SUPPLY, demoMintAccounts } from "./mint.ts";
import {
  changePoolLiquidity,
  type DemoPool,
  quoteMintOf,
  quoteUnitsPerLamport,
  sweepPool,
} from "./pool.ts";
import { DEMO_DEPLOYED_SLOT, programAccounts } from "./program-accounts.ts";
import { applyScript, type DemoScript } from "./script.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { STORIES, type Story } from "./stories.ts";
import { holderAccounts } from "./token-accounts.ts";
import {
  type LiveToken,
  sceneOf,
  type TradeLottery,
  tradeLottery,
  tradeOnce,
} from "./token-life.ts";
import { type DemoToken, type PoolPlan, TOKEN_PLANS } from "./tokens.ts";

export type DemoOptions = {
  readonly seed: number;
  /** The market's first moment; it moves on by ticks alone. */
  readonly startMs: number;
  readonly programs: readonly MarketProgram[];
  readonly venues: readonly Venue<unknown>[];
  /** Unnamed tokens beside the named ones, for load. */
  readonly extraTokens?: number;
  /** Of all of them together. */
  readonly extraTradesPerMinute?: number;
  /** Minutes between launches on a curve; null: none. */
  readonly launchEveryMinutes?: number | null;
};

const MINUTE_SLOTS = 60_000 / SLOT_MS;
/** Stories move liquidity in steps; interval between steps. */
const STORY_EVERY_SLOTS = 5n;
const LEAST_STEP = 0.02;
/** Fees that trades leave in pools are swept about every two minutes. */
const SWEEP_EVERY_SLOTS = 300n;
const LAUNCHES_KEPT = 20;
const USERS = 24;
/** Where the service was asleep for longer, time jumps instead of being played. */
const MAX_CATCH_UP_TICKS = 250;
const SOL_PER_USDC_POOL = 20_000;
const LAMPORTS = toNumber(LAMPORTS_PER_SOL);

type NewToken = {
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  readonly kind: "classic" | "token-2022";
  readonly transferFeeBps: number;
  readonly pools: readonly PoolPlan[];
  readonly tradesPerMinute: number;
  readonly marketCapSol: number;
  readonly plot: Story;
};

/**
 * A market that never was: tokens in the programs' true account layouts, launched, bought, sold,
 * drained and graduated. The same options and the same ticks give the same bytes.
 */
export class DemoMarket {
  readonly ledger: Ledger;
  readonly #options: DemoOptions;
  readonly #random: SeededRandom;
  /** Apart, so that sweeps change no trade. */
  readonly #sweepRandom: SeededRandom;
  readonly #users: readonly Address[];
  readonly #tokens = new Map<Address, LiveToken>();
  readonly #named: DemoToken[] = [];
  #launches: LiveToken[] = [];
  /** Null after the set of tokens has changed. */
  #lottery: TradeLottery | null = null;
  #nextMs: number;
  #launchedCount = 0;

  constructor(options: DemoOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#sweepRandom = seededRandom(options.seed + 1);
    this.#users = Array.from({ length: USERS }, () => walletLike(this.#random.address()));
    this.#nextMs = options.startMs + SLOT_MS;
    this.ledger = new Ledger(clockAt(options.startMs));
    this.ledger.apply(stableAndSolMints(this.ledger.clock.slot));
    for (const program of options.programs) {
      this.ledger.apply(program.setup(this.ledger.clock));
      this.#deploy(program.venue, DEMO_DEPLOYED_SLOT);
    }
    this.#openUsdcPool();
    for (const plan of TOKEN_PLANS) {
      const live = this.#create(plan);
      if (live === null) continue;
      this.#giveHolders(live);
      this.#named.push(plan);
    }
    this.#createExtras();
  }

  /** The named tokens whose programs can be played. */
  get namedTokens(): readonly DemoToken[] {
    return this.#named;
  }

  /** Every token that trades now, launches and unnamed ones included. */
  get mints(): readonly Address[] {
    return [...this.#tokens.keys()];
  }

  /** Plays one slot. */
  tick(): void {
    const { slot } = this.ledger.clock;
    if (slot % STORY_EVERY_SLOTS === 0n) this.#tellStories();
    this.#launchNow(slot);
    this.#trade();
    this.#graduateDue();
    if (slot % SWEEP_EVERY_SLOTS === 0n) this.#sweep();
    this.ledger.advance(clockAt(this.#nextMs));
    this.#nextMs += SLOT_MS;
  }

  /** Plays the slots up to a wall-clock time; after a long sleep only the last few of them. */
  catchUp(nowMs: number): void {
    const behind = Math.floor((nowMs - this.#nextMs) / SLOT_MS) + 1;
    if (behind > MAX_CATCH_UP_TICKS) this.#nextMs += (behind - MAX_CATCH_UP_TICKS) * SLOT_MS;
    while (this.#nextMs <= nowMs) this.tick();
  }

  /** Makes something happen to a token within this slot. False where none of its pools can do it. */
  script(mint: Address, script: DemoScript): boolean {
    const token = this.#tokens.get(mint);
    if (token === undefined) return false;
    if (script.kind !== "migrate") {
      return applyScript(this.ledger, token.pools, script, this.#random);
    }
    return fillCurve(this.ledger, token, this.#random) && this.#graduate(token);
  }

  /** Redeploys a venue's program in this slot, as its authority may; its behaviour does not change. */
  upgrade(venue: VenueId): void {
    this.#deploy(venue, this.ledger.clock.slot);
  }

  #deploy(venue: VenueId, slot: bigint): void {
    const programId = this.#program(venue)?.venue.programId;
    if (programId !== undefined) this.ledger.apply(programAccounts(programId, slot));
  }

  #program(venue: VenueId): PlayedProgram | null {
    const program = this.#options.programs.find((candidate) => candidate.venue === venue);
    const found = this.#options.venues.find((candidate) => candidate.id === venue);
    return program === undefined || found === undefined ? null : { program, venue: found };
  }

  /** Null where one of its pools can't be played. */
  #create(token: NewToken): LiveToken | null {
    const places = token.pools.map((pool) => ({ pool, played: this.#firstPlayed(pool.venues) }));
    if (places.length === 0 || places.some(({ played }) => played === null)) return null;
    const { slot } = this.ledger.clock;
    const price = (token.marketCapSol * LAMPORTS) / toNumber(DEMO_SUPPLY);
    const accounts = new Set<Address>();
    const pools = this.ledger.noting(accounts, () => {
      this.ledger.apply(demoMintAccounts({ ...token, slot }));
      return places.flatMap(({ pool, played }) =>
        played === null ? [] : [this.#openPool(token.mint, pool, played, price)],
      );
    });
    const isCurve = pools.some(({ venue }) => venue.kind === "curve");
    const live: LiveToken = {
      mint: token.mint,
      plot: token.plot,
      bornAtSlot: slot,
      firstPrice: isCurve ? null : price,
      pools,
      accounts,
      tradesPerMinute: token.tradesPerMinute,
      mood: { value: 0, atSlot: slot },
      graduatesAtSlot: null,
    };
    this.#tokens.set(token.mint, live);
    this.#lottery = null;
    if (isCurve) buyUp(this.ledger, live, this.#random);
    return live;
  }

  /** Gives the traders tokens that lie in no pool; the others are with owners of whom there is no account. */
  #giveHolders({ mint, accounts }: LiveToken): void {
    const held = Array.from(accounts, (address) => decodeTokenAccount(this.ledger.get(address)));
    const pooled = held.reduce(
      (sum, token) => sum + (token?.mint === mint ? token.amount : 0n),
      0n,
    );
    const { slot } = this.ledger.clock;
    const program = this.ledger.get(mint)?.owner ?? TOKEN_PROGRAM;
    const given = { mint, program, amount: DEMO_SUPPLY - pooled, slot };
    this.ledger.apply(holderAccounts(this.#users, given));
  }

  #firstPlayed(venues: readonly VenueId[]) {
    for (const venue of venues) {
      const played = this.#program(venue);
      if (played !== null) return played;
    }
    return null;
  }

  #openPool(
    baseMint: Address,
    plan: Pick<PoolPlan, "quote" | "depthSol" | "burnedBps" | "lock">,
    played: PlayedProgram,
    price: number,
  ): DemoPool {
    const quoteMint = quoteMintOf(plan.quote);
    const lamports = plan.depthSol * LAMPORTS;
    const creator = walletLike(this.#random.address());
    const { clock } = this.ledger;
    const { pool, changes } = played.program.createPool(this.ledger, {
      baseMint,
      quoteMint,
      baseAmount: BigInt(Math.floor(lamports / price)),
      quoteAmount: BigInt(Math.floor(lamports * quoteUnitsPerLamport(quoteMint))),
      creator,
      takers: shareTakers(baseMint, plan),
      clock,
      freshAddress: this.#random.address,
    });
    this.ledger.apply(changes);
    if (plan.lock !== undefined) {
      const locked = { venue: played.venue, address: pool, baseMint, creator, clock };
      const lock = lockAccount(this.ledger, locked, plan.lock);
      if (lock !== null) this.ledger.apply(new Map([lock]));
    }
    return { ...played, address: pool, baseMint, quoteMint, storyShare: 1, isPaused: false };
  }

  /** What makes a stable worth SOL: a pool of it that stays near its price. */
  #openUsdcPool(): void {
    const played = this.#firstPlayed(["raydium-cpmm", "raydium-clmm", "raydium-amm-v4"]);
    if (played === null) return;
    const price = 1 / quoteUnitsPerLamport(USDC);
    const plan = { quote: "SOL", depthSol: SOL_PER_USDC_POOL } as const;
    const { slot } = this.ledger.clock;
    this.#tokens.set(USDC, {
      mint: USDC,
      plot: STORIES.steady,
      bornAtSlot: slot,
      firstPrice: price,
      pools: [this.#openPool(USDC, plan, played, price)],
      accounts: new Set(),
      tradesPerMinute: 10,
      mood: { value: 0, atSlot: slot },
      graduatesAtSlot: null,
    });
  }

  #createExtras(): void {
    const { extraTokens = 0, extraTradesPerMinute = 0, programs, venues } = this.#options;
    const amms = programs.filter(
      ({ venue }) => venues.find(({ id }) => id === venue)?.kind === "amm",
    );
    for (let index = 0; index < extraTokens; index++) {
      const program = amms[index % Math.max(1, amms.length)];
      if (program === undefined) return;
      const depthSol = 20 * Math.exp(1.2 * this.#random.normal());
      this.#create({
        mint: this.#random.address(),
        name: `Extra ${index}`,
        symbol: `X${index}`,
        kind: "classic",
        transferFeeBps: 0,
        pools: [{ venues: [program.venue], quote: "SOL", depthSol }],
        tradesPerMinute: extraTradesPerMinute / extraTokens,
        marketCapSol: depthSol * (5 + 20 * this.#random.uniform()),
        plot: STORIES.steady,
      });
    }
  }

  #launchNow(slot: bigint): void {
    const { launchEveryMinutes = 4, programs, venues } = this.#options;
    if (launchEveryMinutes === null) return;
    if (slot % BigInt(Math.round(launchEveryMinutes * MINUTE_SLOTS)) !== 0n) return;
    const curves = programs.filter(
      ({ venue }) => venues.find(({ id }) => id === venue)?.kind === "curve",
    );
    const program = curves[Math.floor(this.#random.uniform() * curves.length)];
    if (program === undefined) return;
    this.#launchedCount++;
    const isHit = this.#random.uniform() < 0.15;
    const launched = this.#create({
      mint: this.#random.address(),
      name: `Launch ${this.#launchedCount}`,
      symbol: `L${this.#launchedCount}`,
      kind: "classic",
      transferFeeBps: 0,
      pools: [{ venues: [program.venue], quote: "SOL", depthSol: 0 }],
      tradesPerMinute: isHit ? 24 : 6,
      marketCapSol: 30,
      plot: STORIES.launch(isHit ? 25 : 1.2 + 3 * this.#random.uniform()),
    });
    if (launched !== null) this.#launches.push(launched);
    const over = Math.max(0, this.#launches.length - LAUNCHES_KEPT);
    for (const launch of this.#launches.splice(0, over)) this.#forget(launch);
  }

  /** Closes the accounts of a token that left the market, so that memory does not grow by megabytes a day. */
  #forget(launch: LiveToken): void {
    this.ledger.apply(new Map(Array.from(launch.accounts, (address) => [address, null])));
    this.#tokens.delete(launch.mint);
    this.#lottery = null;
  }

  #trade(): void {
    this.#lottery ??= tradeLottery([...this.#tokens.values()]);
    const count = Math.floor(this.#lottery.perMinute / MINUTE_SLOTS + this.#random.uniform());
    for (let made = 0; made < count; made++) {
      const token = this.#lottery.draw(this.#random.uniform());
      if (token === null) continue;
      tradeOnce(this.ledger, token, this.#random, this.#users);
      noticeFullCurve(this.ledger, token);
    }
  }

  #graduateDue(): void {
    for (const token of this.#tokens.values()) {
      if (token.graduatesAtSlot !== null && token.graduatesAtSlot <= this.ledger.clock.slot) {
        this.#graduate(token);
      }
    }
  }

  #sweep(): void {
    for (const { pools } of this.#tokens.values()) {
      for (const pool of pools) sweepPool(this.ledger, pool, this.#sweepRandom);
    }
  }

  #graduate(token: LiveToken): boolean {
    return this.ledger.noting(token.accounts, () =>
      graduate(this.ledger, token, {
        random: this.#random,
        play: (venue) => this.#program(venue),
      }),
    );
  }

  #tellStories(): void {
    for (const token of this.#tokens.values()) {
      if (token.plot === STORIES.steady) continue;
      const scene = sceneOf(token, this.ledger.clock.slot);
      for (const pool of token.pools) {
        this.#setShare(pool, scene.liquidityShare);
        if (pool.isPaused === scene.isPaused) continue;
        applyScript(this.ledger, [pool], { kind: "pause", isPaused: scene.isPaused }, this.#random);
        pool.isPaused = scene.isPaused;
      }
    }
  }

  #setShare(pool: DemoPool, share: number): void {
    if (Math.abs(share / pool.storyShare - 1) < LEAST_STEP) return;
    const shareBps = Math.round((1 - share / pool.storyShare) * 10_000);
    changePoolLiquidity(this.ledger, pool, shareBps, this.#random);
    pool.storyShare *= 1 - shareBps / 10_000;
  }
}

/** The nearest address with a possible key: half of all 32-byte values are not a point of the curve. */
function walletLike(made: Address): Address {
  const bytes = bytesOf(made);
  while (!isOnCurve(bytes)) bytes[0] = ((bytes[0] ?? 0) + 1) & 0xff;
  return addressFromBytes(bytes);
}
