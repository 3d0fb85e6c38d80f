import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { positionAccount } from "#demo/programs/meteora-dlmm-accounts.ts";
import { between, type Random, seededRandom } from "#src/platform/seeded-random.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { POSITION } from "#src/venues/meteora-dlmm/layout.ts";
import type { DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import type { RangedPosition } from "#src/venues/quotable-pool.ts";
import { closeAfter } from "#test/support/ending.ts";
import { CLOCK, dlmmAccounts, MINT_X, MINT_Y, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { propertyRuns } from "#test/support/property-runs.ts";
import { type DlmmSdk, loadDlmmSdk, type SdkPositionBin } from "#test/support/sdks/dlmm-sdk.ts";

const PAIRS = propertyRuns(50);
const POSITIONS_PER_PAIR = 14;
const SIZES = [1n, 1_000n, 1_000_000n, 1_000_000_000n, 1_000_000_000_000n];

type PairBin = { readonly id: number; readonly x: bigint; readonly y: bigint; supply: bigint };

type DrawnPosition = {
  readonly lower: number;
  readonly upper: number;
  readonly shares: readonly bigint[];
};

/** Integers of up to this many bits, small ones as often as large ones. */
function whole(random: Random, bits: number): bigint {
  return BigInt(Math.floor(2 ** (random() * bits)));
}

function drawPair(random: Random) {
  const activeId = Math.floor(between(random, 1, 2_000)) - 1_000;
  const width = 1 + Math.floor(260 * random());
  const lower = activeId - Math.floor(width * random());
  const bins: PairBin[] = Array.from({ length: width }, (_, place) => {
    const id = lower + place;
    const [x, y] = [whole(random, 60), whole(random, 60)];
    return { id, x: id >= activeId ? x : 0n, y: id <= activeId ? y : 0n, supply: 0n };
  });
  const positions = Array.from({ length: POSITIONS_PER_PAIR }, (): DrawnPosition => {
    const from = Math.floor(width * random());
    const bits = 1 + 100 * random();
    // One in five is longer than the table of the account and may reach beyond the pair's bins.
    const length = 1 + Math.floor((random() < 0.2 ? 200 : 70) * random());
    const shares = Array.from({ length }, () => (random() < 0.1 ? 0n : whole(random, bits)));
    return { lower: lower + from, upper: lower + from + length, shares };
  });
  for (const { lower: from, shares } of positions) {
    for (const [place, share] of shares.entries()) {
      const bin = bins[from + place - lower];
      if (bin !== undefined) bin.supply += share;
    }
  }
  return { activeId, bins, positions };
}

function accountOf({ lower, upper, shares }: DrawnPosition, owner: Address): Account {
  const table = shares
    .slice(0, POSITION.ownBins)
    .map((share, place) => ({ id: lower + place, liquiditySupply: share }));
  const account = positionAccount({ pair: PAIR, owner, lower, upper }, table, 1n);
  const extra = Math.max(0, shares.length - POSITION.ownBins);
  const data = new Uint8Array(POSITION.length + extra * POSITION.extraBinLength);
  data.set(account.data);
  const writer = new ByteWriter(data);
  for (let place = 0; place < extra; place++) {
    const share = shares[POSITION.ownBins + place] ?? 0n;
    writer.u128(POSITION.length + place * POSITION.extraBinLength, share);
  }
  return { ...account, data: writer.bytes };
}

/** The payment of a bin for the position's share of it, by the SDK. */
function paidBy(bin: SdkPositionBin) {
  const { binId, positionLiquidity, positionXAmount, positionYAmount } = bin;
  return {
    id: binId,
    share: BigInt(positionLiquidity),
    x: BigInt(positionXAmount),
    y: BigInt(positionYAmount),
  };
}

/** Null if the SDK refuses, which it does by throwing. */
function sdkQuote(
  theirs: Pick<ReturnType<DlmmSdk["open"]>, "quote">,
  amountIn: bigint,
  sellsX: boolean,
) {
  try {
    return theirs.quote(amountIn, sellsX);
  } catch (error) {
    assert.match(String(error), /liquidity|division by zero/i);
    return null;
  }
}

test(`${PAIRS * POSITIONS_PER_PAIR} withdrawals of DLMM positions pay the same as Meteora's SDK, and leave the same ladder`, async (t) => {
  const sdk = loadDlmmSdk(t);
  if (sdk === null) return;
  mock.timers.enable({ apis: ["Date"], now: Number(CLOCK.unixTimestamp) * 1_000 });
  closeAfter(t, () => mock.timers.reset());
  const random = seededRandom(20_261_123);
  const counts = { long: 0, paying: 0, quotes: 0 };
  for (let pair = 0; pair < PAIRS; pair++) await comparePair(sdk, drawPair(random), counts);
  const { long, paying, quotes } = counts;
  assert.ok(long > PAIRS, `only ${long} longer than the table`);
  assert.ok(paying > 0.9 * PAIRS * POSITIONS_PER_PAIR, `only ${paying} hold anything`);
  assert.ok(quotes > PAIRS * SIZES.length, `only ${quotes} orders were filled`);
});

type Counts = { long: number; paying: number; quotes: number };

async function comparePair(
  sdk: DlmmSdk,
  { activeId, bins, positions }: ReturnType<typeof drawPair>,
  counts: Counts,
): Promise<void> {
  const known = dlmmAccounts({ activeId, bins });
  const decoded = meteoraDlmm.decode(PAIR, known);
  assert.ok(decoded.kind === "pool");
  const shares = meteoraDlmm.shares(PAIR, known);
  assert.ok(shares?.kind === "ranged");
  const theirs = sdk.open(PAIR, known, CLOCK);
  const taken: RangedPosition[] = [];
  const left = new Map(bins.map((bin) => [bin.id, bin]));
  for (const [place, drawn] of positions.entries()) {
    const account = accountOf(drawn, testAddress(place));
    const ours = shares.decode(account);
    assert.ok(ours);
    const sdkBins = await theirs.positionBins(account);
    assert.deepEqual(
      ours.liquidity.map(String),
      sdkBins.map(({ positionLiquidity }) => positionLiquidity),
    );
    const paid = sdkBins.map(paidBy);
    assert.equal(
      ours.held.get(MINT_X),
      paid.reduce((sum, { x }) => sum + x, 0n),
    );
    assert.equal(
      ours.held.get(MINT_Y),
      paid.reduce((sum, { y }) => sum + y, 0n),
    );
    if (drawn.shares.length > POSITION.ownBins) counts.long++;
    if (paid.some(({ x, y }) => x > 0n || y > 0n)) counts.paying++;
    if (place > 0) continue;
    taken.push(ours);
    for (const { id, share, x, y } of paid) {
      const bin = left.get(id);
      if (bin !== undefined)
        left.set(id, { id, x: bin.x - x, y: bin.y - y, supply: bin.supply - share });
    }
  }
  const totals = new Map(bins.map(({ id, supply }) => [id, supply]));
  const withdrawn = meteoraDlmm.withdrawPositions?.(decoded.state, { positions: taken, totals });
  assert.ok(withdrawn);
  const without = dlmmAccounts({ activeId, bins: [...left.values()] });
  counts.quotes += compareLadders(withdrawn, sdk.open(PAIR, without, CLOCK));
}

/** @returns the orders that were filled */
function compareLadders(
  state: DlmmState,
  theirs: Pick<ReturnType<DlmmSdk["open"]>, "quote">,
): number {
  let filled = 0;
  for (const inputMint of [MINT_X, MINT_Y]) {
    for (const amountIn of SIZES) {
      const quote = meteoraDlmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      if (quote.kind === "unfillable" && quote.reason === "overflow") continue;
      const expected = sdkQuote(theirs, amountIn, inputMint === MINT_X);
      const ours = quote.kind === "filled" ? quote.amountOut : null;
      if (expected === 0n && ours === null) continue;
      assert.equal(ours, expected);
      if (ours !== null) filled++;
    }
  }
  return filled;
}
