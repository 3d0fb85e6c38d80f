import { type Address, address, compareAddressBytes } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { squareRootFloor } from "#src/venues/curves/constant-product.ts";
import { raydiumCpmm, standardPool } from "#src/venues/raydium-cpmm/adapter.ts";
import {
  type CpmmPoolAddresses,
  type CpmmState,
  type CpmmToken,
  poolAddresses,
} from "#src/venues/raydium-cpmm/decode.ts";
import { KNOWN_CONFIGS, POOL, PROGRAM_ID } from "#src/venues/raydium-cpmm/layout.ts";
import { reserveOf, type Swap, swapExactIn } from "#src/venues/raydium-cpmm/quote.ts";
import type { Clock } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import { ByteWriter } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { issuedShares, movedShares } from "../pool-shares.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  cpmmConfigAccount,
  cpmmPoolAccount,
  movedCpmmPool,
  withCpmmTradeFee,
} from "./raydium-cpmm-accounts.ts";
import { missingMint, tokenAmounts, tradedMint } from "./traded-mint.ts";

/** Owns every vault. */
const AUTHORITY = address("GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL");
const ADMIN = address("GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ");
/** Trade fees of the known configurations, parts per million. */
const TRADE_FEE_RATES = [2_500n, 10_000n, 20_000n, 40_000n] as const;
/** Counted at the opening, and never minted. */
const LOCKED_SHARES = 100n;
const STANDARD_CONFIG = KNOWN_CONFIGS[0];

const SWAP_BASE_INPUT = discriminator("8fbe5adac41e33de");
const SWAP_EVENT = discriminator("40c6cde8260871e2");

/** Raydium CPMM in the demo market: where LaunchLab's coins graduate to. */
export const raydiumCpmmProgram: MarketProgram = {
  venue: "raydium-cpmm",
  setup,
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};

function setup({ slot }: Clock): AccountChanges {
  return new Map(
    KNOWN_CONFIGS.map((config, index) => [
      config,
      cpmmConfigAccount({
        index,
        tradeFeeRate: TRADE_FEE_RATES[index] ?? TRADE_FEE_RATES[0],
        protocolFeeRate: 120_000n,
        fundFeeRate: 40_000n,
        creatorFeeRate: 500n,
        owner: ADMIN,
        slot,
      }),
    ]),
  );
}

/** The standard pool of the pair where that is free, else one at a keypair's address. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock, freshAddress }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const standard = standardPool(STANDARD_CONFIG, baseMint, quoteMint);
  const pool = known.get(standard) ? freshAddress() : standard;
  const minted = missingMint(known, baseMint, baseAmount, slot);
  const mints = new Map(minted);
  const sides = [
    { mint: baseMint, amount: baseAmount },
    { mint: quoteMint, amount: quoteAmount },
  ]
    .map(({ mint, amount }) => ({
      mint,
      amount,
      vault: poolAddress("pool_vault", pool, mint),
      ...tradedMint({ get: (wanted) => mints.get(wanted) ?? known.get(wanted) }, mint),
    }))
    .toSorted((a, b) => compareAddressBytes(a.mint, b.mint));
  const [side0, side1] = sides;
  if (side0 === undefined || side1 === undefined) throw new Error("a pool has two sides");
  const lpMint = poolAddress("pool_lp_mint", pool);
  const lpSupply = squareRootFloor(baseAmount * quoteAmount);
  const account = cpmmPoolAccount({
    config: STANDARD_CONFIG,
    creator,
    vault0: side0.vault,
    vault1: side1.vault,
    mint0: side0.mint,
    mint1: side1.mint,
    program0: side0.program,
    program1: side1.program,
    lpMint,
    observation: poolAddress("observation", pool),
    decimals0: side0.decimals,
    decimals1: side1.decimals,
    lpSupply,
    openTime: clock.unixTimestamp,
    epoch: clock.epoch,
    creatorFeeOn: 0,
    isCreatorFeeEnabled: false,
    slot,
  });
  return {
    pool,
    changes: new Map([
      ...minted,
      [pool, account],
      ...issuedShares({
        mint: lpMint,
        minted: lpSupply - LOCKED_SHARES,
        mintAuthority: AUTHORITY,
        creator,
        takers,
        slot,
      }),
      ...sides.map(
        ({ vault, mint, amount, program }) =>
          [vault, tokenAccount({ mint, owner: AUTHORITY, amount, program, slot })] as const,
      ),
    ]),
  };
}

function poolAddress(seed: string, pool: Address, mint?: Address): Address {
  const seeds = mint === undefined ? [] : [{ address: mint }];
  return findProgramAddress([seed, { address: pool }, ...seeds], PROGRAM_ID);
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const addresses = poolAddresses(trade.pool, known);
  const decoded = raydiumCpmm.decode(trade.pool, known);
  if (addresses === null || decoded.kind === "unusable") {
    return { kind: "refused", reason: decoded.kind === "unusable" ? decoded.detail : "no pool" };
  }
  const result = swapExactIn(decoded.state, trade);
  if (result.kind === "unfillable") return { kind: "refused", reason: result.reason };
  const { clock } = trade;
  return {
    kind: "done",
    changes: poolChanges(known, { pool: trade.pool, addresses, state: result.after, clock }),
    amountOut: result.swap.received,
    instructionAccounts: instructionAccounts(trade, addresses),
    instructionData: new FieldWriter().raw(SWAP_BASE_INPUT).u64(trade.amountIn, 0n).bytes(),
    ...logEvents(PROGRAM_ID, "SwapBaseInput", [swapEvent(trade, result.swap)]),
  };
}

/** The accounts up to the vaults; the trader stands for its token accounts. */
function instructionAccounts(trade: Trade, addresses: CpmmPoolAddresses): readonly Address[] {
  const { user, pool, inputMint } = trade;
  const vaults = [addresses.vault0, addresses.vault1];
  if (inputMint !== addresses.mint0) vaults.reverse();
  return [user, AUTHORITY, addresses.config, pool, user, user, ...vaults];
}

/** SwapEvent of 170 bytes, as written since November 2025. */
function swapEvent(trade: Trade, swap: Swap): Uint8Array {
  return new FieldWriter()
    .raw(SWAP_EVENT)
    .address(trade.pool)
    .u64(swap.reserveIn, swap.reserveOut, swap.reaching, swap.paid)
    .u64(trade.amountIn - swap.reaching, swap.paid - swap.received)
    .bool(true)
    .address(trade.inputMint, trade.outputMint)
    .u64(swap.tradeFee, swap.creatorFee)
    .bool(swap.isCreatorFeeOnInput)
    .bytes();
}

type Moved = {
  readonly pool: Address;
  readonly addresses: CpmmPoolAddresses;
  readonly state: CpmmState;
  readonly clock: Clock;
};

function poolChanges(known: AccountSet, moved: Moved): AccountChanges {
  const { pool, addresses, state, clock } = moved;
  const account = known.get(pool);
  return new Map([
    ...(account ? ([[pool, movedCpmmPool(account, state, clock)]] as const) : []),
    ...tokenAmounts(
      known,
      [
        [addresses.vault0, state.token0.vaultAmount],
        [addresses.vault1, state.token1.vaultAmount],
      ],
      clock.slot,
    ),
  ]);
}

function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  clock: Clock,
): AccountChanges | null {
  const addresses = poolAddresses(pool, known);
  const decoded = raydiumCpmm.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const left = (token: CpmmToken): CpmmToken => {
    const taken = (reserveOf(token) * BigInt(shareBps)) / 10_000n;
    return { ...token, vaultAmount: token.vaultAmount - taken };
  };
  const { state } = decoded;
  const after = { ...state, token0: left(state.token0), token1: left(state.token1) };
  const changes = new Map(poolChanges(known, { pool, addresses, state: after, clock }));
  const account = changes.get(pool);
  if (!account) return changes;
  const reader = new ByteReader(account.data);
  const moved = movedShares(known, {
    mint: reader.address(POOL.lpMint),
    owner: reader.address(POOL.poolCreator),
    issued: reader.u64(POOL.lpSupply),
    shareBps,
    slot: clock.slot,
  });
  const { bytes } = new ByteWriter(account.data.slice()).u64(POOL.lpSupply, moved.issued);
  return new Map([...changes, [pool, { ...account, data: bytes }], ...moved.changes]);
}

/** The fee is the configuration's: every pool on it pays it. */
function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  clock: Clock,
): AccountChanges | null {
  const config = poolAddresses(pool, known)?.config;
  const account = config === undefined ? null : known.get(config);
  if (config === undefined || !account) return null;
  return new Map([[config, withCpmmTradeFee(account, BigInt(feePpm), clock.slot)]]);
}

function setPaused(
  known: AccountSet,
  pool: Address,
  isPaused: boolean,
  clock: Clock,
): AccountChanges | null {
  const account = known.get(pool);
  if (!account || poolAddresses(pool, known) === null) return null;
  const writer = new ByteWriter(account.data.slice()).u8(POOL.status, isPaused ? 4 : 0);
  return new Map([[pool, { ...account, data: writer.bytes, slot: clock.slot }]]);
}
