import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { stableAndSolMints } from "#demo/basics.ts";
import { demoMintAccounts } from "#demo/mint.ts";
import { changePoolLiquidity, type DemoPool } from "#demo/pool.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { applyScript } from "#demo/script.ts";
import { seededRandom } from "#demo/seeded-random.ts";
import { AccountVersions } from "#src/accuracy/account-versions.ts";
import type { JudgedSwap } from "#src/accuracy/judged-swap.ts";
import { SwapJudge } from "#src/accuracy/swap-judge.ts";
import type {
  AccountUpdate,
  ObservedTransaction,
  TokenAmounts,
  TransactionEvents,
} from "#src/chain/chain-source.ts";
import { Ledger } from "#src/node/ledger.ts";
import { clockAt, SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import type { SkipReason } from "#src/venues/swap-reader.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { closeAfter } from "#test/support/ending.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { observed } from "./played-chain.ts";

const START_MS = Date.UTC(2026, 10, 20, 12);
const MINT = testAddress(7);
/** More than the judge leaves a new pool to be followed. */
const FOLLOWED_SLOTS = 13;

/** What a node notifies of one slot; a test passes it on when and in the order it likes. */
export type SlotEvents = {
  readonly updates: readonly AccountUpdate[];
  readonly transactions: readonly ObservedTransaction[];
};

/** One transaction with the instructions of several. */
export function joined(transactions: readonly ObservedTransaction[]): ObservedTransaction {
  const [first] = transactions;
  assert.ok(first !== undefined);
  const tokenAmounts = new Map<Address, TokenAmounts>();
  for (const [address, amounts] of transactions.flatMap((one) => [...(one.tokenAmounts ?? [])])) {
    const before = (tokenAmounts.get(address) ?? amounts).before;
    tokenAmounts.set(address, { before, after: amounts.after });
  }
  return {
    ...first,
    logs: transactions.flatMap(({ logs }) => logs),
    instructions: transactions.flatMap(({ instructions }) => instructions ?? []),
    tokenAmounts,
  };
}

/** One pool on a chain whose notifications a test delivers, and the judge of its swaps. */
export async function onePool(t: TestContext, venueId: VenueId) {
  const random = seededRandom(1);
  const time = { nowMs: START_MS, chainMs: START_MS };
  const ledger = new Ledger(clockAt(time.chainMs));
  const pool = openPool(ledger, venueId, random);
  const slotEvents = { updates: [] as AccountUpdate[], transactions: [] as ObservedTransaction[] };
  ledger.listen({
    onAccount: (address, account) => {
      slotEvents.updates.push({ address, account, slot: ledger.clock.slot });
    },
    onTransaction: (transaction) => slotEvents.transactions.push(observed(transaction)),
    onSlot: () => {},
  });
  /** Plays one slot and returns its notifications, of which none is delivered yet. */
  const slot = (work: () => void = () => {}): SlotEvents => {
    work();
    time.chainMs += SLOT_MS;
    ledger.advance(clockAt(time.chainMs));
    return {
      updates: slotEvents.updates.splice(0),
      transactions: slotEvents.transactions.splice(0),
    };
  };

  const versions = new AccountVersions();
  const judged: JudgedSwap[] = [];
  const whole = new Map<string, ObservedTransaction>();
  const events: TransactionEvents[] = [];
  const judge = new SwapJudge({
    transactions: {
      followTransactions: (of) => {
        events.push(of);
        return { add: () => {}, remove: () => {}, close: async () => {} };
      },
      readTransaction: async (signature) => whole.get(signature) ?? null,
    },
    versions,
    pools: () => [{ venue: pool.venue, address: pool.address, mint: MINT, isReserved: false }],
    onJudged: (swap) => judged.push(swap),
    clock: { nowMs: () => time.nowMs },
    onFailure: (what, cause) => {
      throw new Error(what, { cause });
    },
  });
  closeAfter(t, () => judge.close());

  const accounts = ({ updates }: SlotEvents): void => {
    for (const update of updates) versions.add(update);
  };
  /** As logs, of which the rest has to be read; "whole": as a gRPC stream sends them. */
  const transactions = (of: SlotEvents, feed: "logs" | "whole" = "logs"): void => {
    for (const transaction of of.transactions) {
      whole.set(transaction.signature, transaction);
      const { signature, slot, logs } = transaction;
      const sent = feed === "whole" ? transaction : { signature, slot, logs, instructions: null };
      for (const { onTransaction } of events) onTransaction(sent);
    }
  };
  /** What a read of all accounts returns now. */
  const accountsNow = (): SlotEvents => ({
    updates: Array.from(ledger.addresses(), (address) => ({
      ...{ address, account: ledger.get(address), slot: ledger.clock.slot },
    })),
    transactions: [],
  });
  /** Lets the judge do what is due after so long. */
  const wait = async (ms: number): Promise<void> => {
    const endMs = time.nowMs + ms;
    for (; time.nowMs < endMs; time.nowMs += 200) {
      judge.tick();
      await judge.idle();
    }
    judge.tick();
  };
  const gap = (): void => {
    for (const { onGap } of events) onGap(null);
  };
  const trade = (side: "buy" | "sell", sol = 1) => {
    assert.ok(applyScript(ledger, [pool], { kind: "trade", side, sol }, random));
  };
  const moveLiquidity = (shareBps: number) => {
    assert.ok(changePoolLiquidity(ledger, pool, shareBps, random));
  };
  /** Changes the fee, by default without a notification, as if the program's code had changed. */
  const changeFee = (feePpm: number, { isSilent = true } = {}) => {
    assert.ok(applyScript(ledger, [pool], { kind: "fee", feePpm, isSilent }, random));
  };

  accounts(slot());
  judge.tick();
  for (let index = 0; index < FOLLOWED_SLOTS; index++) accounts(slot());
  return {
    ...{ pool, ledger, judged, time },
    ...{ slot, accounts, accountsNow, transactions, wait, gap, trade, moveLiquidity, changeFee },
    /** Of each swap in the order of judgement. */
    outcomes: () => judged.map(outcomeOf),
  };
}

function outcomeOf({ outcome }: JudgedSwap): SkipReason | "exact" | "off" {
  if (outcome.kind === "skipped") return outcome.reason;
  return outcome.modelled === outcome.executed ? "exact" : "off";
}

function openPool(
  ledger: Ledger,
  venueId: VenueId,
  random: ReturnType<typeof seededRandom>,
): DemoPool {
  const program = MARKET_PROGRAMS.find((one) => one.venue === venueId);
  const venue = VENUES.find(({ id }) => id === venueId);
  assert.ok(program !== undefined && venue !== undefined);
  const { clock } = ledger;
  ledger.apply(stableAndSolMints(clock.slot));
  ledger.apply(program.setup(clock));
  const mint = { kind: "classic", mint: MINT, name: "One", symbol: "ONE" } as const;
  ledger.apply(demoMintAccounts({ ...mint, transferFeeBps: 0, slot: clock.slot }));
  const { pool: address, changes } = program.createPool(ledger, {
    baseMint: MINT,
    quoteMint: WSOL,
    baseAmount: 200_000_000_000_000n,
    quoteAmount: 400_000_000_000n,
    creator: testAddress(8),
    clock,
    freshAddress: random.address,
  });
  ledger.apply(changes);
  return {
    ...{ program, venue, address, baseMint: MINT, quoteMint: WSOL },
    ...{ storyShare: 1, isPaused: false },
  };
}
