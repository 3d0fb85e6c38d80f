import type { Address } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import type { PositionTotals, RangedPosition, TakenPositions } from "../quotable-pool.ts";
import type { ChainMoment } from "../shared/vesting.ts";
import { decodePool } from "./decode.ts";
import { DLMM_PROGRAM, LB_PAIR, MAX_BIN_ID, MIN_BIN_ID, POSITION } from "./layout.ts";
import type { Bin, DlmmState } from "./state.ts";

/** How the pair's liquidity is divided. Limit orders are not part of it: they wait to be filled. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const decoded = decodePool(pool, known);
  if (decoded.kind === "unusable") return null;
  const { state } = decoded;
  const bins = new Map(state.bins.map((bin) => [bin.id, bin]));
  const counts = countsOf(known.get(pool));
  return {
    kind: "ranged",
    issued: null,
    filter: {
      programId: DLMM_PROGRAM,
      dataSize: null,
      memcmp: [
        { offset: 0, bytes: POSITION.discriminator },
        { offset: POSITION.lbPair, bytes: pool },
      ],
    },
    decode: (account) => decodePosition(account, { pool, state, bins, counts }),
    addUp: (positions) => addUp(positions, state),
  };
}

type Holder = {
  readonly pool: Address;
  readonly state: DlmmState;
  readonly bins: ReadonlyMap<number, Bin>;
  readonly counts: ChainMoment["counts"];
};

function decodePosition(
  account: Account,
  { pool, state, bins, counts }: Holder,
): RangedPosition | null {
  const reader = new ByteReader(account.data);
  if (account.owner !== DLMM_PROGRAM || reader.length < POSITION.length) return null;
  if (!reader.has(0, POSITION.discriminator) || reader.address(POSITION.lbPair) !== pool)
    return null;
  const lower = reader.i32(POSITION.lowerBinId);
  const upper = reader.i32(POSITION.upperBinId) + 1;
  if (lower >= upper || lower < MIN_BIN_ID || upper > MAX_BIN_ID + 1) return null;
  if (upper - lower > POSITION.maxBins) return null;
  const extraBins = Math.max(0, upper - lower - POSITION.ownBins);
  if (reader.length < POSITION.length + extraBins * POSITION.extraBinLength) return null;
  const liquidity = Array.from({ length: upper - lower }, (_, place) =>
    reader.u128(shareOffset(place)),
  );
  let [amountX, amountY] = [0n, 0n];
  for (const [place, share] of liquidity.entries()) {
    const bin = bins.get(lower + place);
    if (bin === undefined || share === 0n) continue;
    const paid = paidFor(bin, share, bin.liquiditySupply);
    amountX += paid.x;
    amountY += paid.y;
  }
  return {
    owner: { kind: "address", address: reader.address(POSITION.owner) },
    lower,
    upper,
    liquidity,
    held: new Map([
      [state.mintX, amountX],
      [state.mintY, amountY],
    ]),
    ...lockOf(reader, counts),
  };
}

/** The lock of a launch's position, until a slot or a second, as the pair counts. */
function lockOf(position: ByteReader, counts: ChainMoment["counts"]): Pick<RangedPosition, "lock"> {
  const at = position.u64(POSITION.lockReleasePoint);
  return at === 0n ? {} : { lock: { locker: "meteora-dlmm", until: { counts, at } } };
}

function countsOf(pair: Account | null | undefined): ChainMoment["counts"] {
  const countsSlots = pair ? pair.data[LB_PAIR.activationType] === 0 : false;
  return countsSlots ? "slots" : "seconds";
}

/** The first 70 shares are in a table, those of a longer position in records behind it. */
function shareOffset(place: number): number {
  const extra = place - POSITION.ownBins;
  return extra < 0
    ? POSITION.liquidityShares + 16 * place
    : POSITION.length + extra * POSITION.extraBinLength;
}

/** What a share of a bin's liquidity is paid, rounded down (`Bin::calculate_out_amount`). */
function paidFor(
  { amountX, amountY }: Bin,
  share: bigint,
  supply: bigint,
): { readonly x: bigint; readonly y: bigint } {
  if (supply === 0n) return { x: 0n, y: 0n };
  return { x: mulDivFloor(amountX, share, supply), y: mulDivFloor(amountY, share, supply) };
}

function addUp(positions: readonly RangedPosition[], { bins }: DlmmState): PositionTotals | null {
  const totals = new Map<number, bigint>();
  for (const { lower, liquidity } of positions) {
    for (const [place, share] of liquidity.entries()) {
      if (share > 0n) totals.set(lower + place, (totals.get(lower + place) ?? 0n) + share);
    }
  }
  const isWhole = bins.every((bin) => (totals.get(bin.id) ?? 0n) === bin.liquiditySupply);
  return isWhole ? totals : null;
}

/** The pair without these positions (`remove_liquidity` of all of their liquidity). */
export function withdrawPositions(state: DlmmState, taken: TakenPositions): DlmmState | null {
  const shares = new Map<number, bigint>();
  for (const { lower, liquidity } of taken.positions) {
    for (const [place, share] of liquidity.entries())
      shares.set(lower + place, (shares.get(lower + place) ?? 0n) + share);
  }
  let [paidX, paidY] = [0n, 0n];
  const bins: Bin[] = [];
  for (const bin of state.bins) {
    const share = shares.get(bin.id) ?? 0n;
    if (share > bin.liquiditySupply) return null;
    const { x, y } = paidFor(bin, share, bin.liquiditySupply);
    paidX += x;
    paidY += y;
    const left = {
      ...bin,
      amountX: bin.amountX - x,
      amountY: bin.amountY - y,
      liquiditySupply: bin.liquiditySupply - share,
    };
    if (holdsAnything(left)) bins.push(left);
  }
  const reserveX = state.reserveX === null ? null : state.reserveX - paidX;
  const reserveY = state.reserveY === null ? null : state.reserveY - paidY;
  if ((reserveX ?? 0n) < 0n || (reserveY ?? 0n) < 0n) return null;
  return { ...state, bins, reserveX, reserveY };
}

function holdsAnything({ amountX, amountY, orders }: Bin): boolean {
  return amountX > 0n || amountY > 0n || orders.open > 0n || orders.processedRemaining > 0n;
}
