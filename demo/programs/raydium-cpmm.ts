import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { raydiumCpmm, standardPool } from "#src/venues/raydium-cpmm/adapter.ts";
import {
  type CpmmPoolAddresses,
  type CpmmState,
  type CpmmToken,
  poolAddresses,
} from "#src/venues/raydium-cpmm/decode.ts";
import {
  AUTHORITY,
  CONFIG,
  KNOWN_CONFIGS,
  POOL,
  PROGRAM_ID,
} from "#src/venues/raydium-cpmm/layout.ts";
import { reserveOf, type Swap, swapExactIn } from "#src/venues/raydium-cpmm/quote.ts";
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";
import type { Clock } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { issuedShares } from "../pool-shares.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  editStored,
  missingMint,
  newVaults,
  type PoolUpdate,
  type SetFee,
  type SetPaused,
  sortedSides,
  swapWith,
  tokenAmounts,
  tradedMint,
  withMovedShares,
} from "./pool-program.ts";
import {
  cpmmConfigAccount,
  cpmmObservationAccount,
  cpmmPoolAccount,
  writeCpmmSwap,
} from "./raydium-cpmm-accounts.ts";

const ADMIN = address("GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ");
/** Trade fees of the known configurations, parts per million. */
const TRADE_FEE_RATES = [2_500n, 10_000n, 20_000n, 40_000n] as const;
/** Counted at the opening, and never minted. */
const LOCKED_SHARES = 100n;
const STANDARD_CONFIG = KNOWN_CONFIGS[0];
const SWAP_DISABLED = 4;

const SWAP_BASE_INPUT = discriminator("8fbe5adac41e33de");
const SWAP_EVENT = discriminator("40c6cde8260871e2");

function setup({ slot }: Clock): AccountChanges {
  const rates = { protocolFeeRate: 120_000n, fundFeeRate: 40_000n, creatorFeeRate: 500n };
  return new Map(
    KNOWN_CONFIGS.map((config, index) => {
      const tradeFeeRate = TRADE_FEE_RATES[index] ?? TRADE_FEE_RATES[0];
      return [config, cpmmConfigAccount({ index, tradeFeeRate, ...rates, owner: ADMIN, slot })];
    }),
  );
}

/** Creates the standard pool of the pair, or one at a fresh address if that pool exists. */
const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock } = opening;
  const { slot } = clock;
  const standard = standardPool(STANDARD_CONFIG, baseMint, quoteMint);
  const pool = known.get(standard) ? opening.freshAddress() : standard;
  const minted = missingMint(known, baseMint, baseAmount, slot);
  const mints = new Map(minted);
  const withMints: AccountSet = { get: (wanted) => mints.get(wanted) ?? known.get(wanted) };
  const [side0, side1] = sortedSides(opening);
  const [traded0, traded1] = [tradedMint(withMints, side0.mint), tradedMint(withMints, side1.mint)];
  const vault0 = poolAddress("pool_vault", pool, side0.mint);
  const vault1 = poolAddress("pool_vault", pool, side1.mint);
  const lpMint = poolAddress("pool_lp_mint", pool);
  const observation = poolAddress("observation", pool);
  const lpSupply = squareRootFloor(baseAmount * quoteAmount);
  const account = cpmmPoolAccount({
    config: STANDARD_CONFIG,
    creator,
    vault0,
    vault1,
    mint0: side0.mint,
    mint1: side1.mint,
    program0: traded0.program,
    program1: traded1.program,
    lpMint,
    observation,
    decimals0: traded0.decimals,
    decimals1: traded1.decimals,
    lpSupply,
    openTime: clock.unixTimestamp,
    epoch: clock.epoch,
    creatorFeeOn: 0,
    isCreatorFeeEnabled: false,
    slot,
  });
  const vaults = [
    { ...side0, vault: vault0 },
    { ...side1, vault: vault1 },
  ];
  const shares = { mint: lpMint, minted: lpSupply - LOCKED_SHARES, mintAuthority: AUTHORITY };
  return {
    pool,
    changes: new Map([
      ...minted,
      [pool, account],
      [observation, cpmmObservationAccount(pool, slot)],
      ...issuedShares({ ...shares, creator, takers, slot }),
      ...newVaults(withMints, vaults, AUTHORITY, slot),
    ]),
  };
};

function poolAddress(seed: string, pool: Address, mint?: Address): Address {
  const seeds = mint === undefined ? [] : [{ address: mint }];
  return findProgramAddress([seed, { address: pool }, ...seeds], PROGRAM_ID);
}

const swap = swapWith({
  venue: raydiumCpmm,
  readPool: poolAddresses,
  quote: swapExactIn,
  perform: ({ known, trade, pool: addresses, quote }) => ({
    changes: poolChanges(known, { ...trade, addresses, state: quote.after }),
    amountOut: quote.swap.received,
    instructionAccounts: instructionAccounts(trade, addresses),
    instructionData: new FieldWriter().raw(SWAP_BASE_INPUT).u64(trade.amountIn, 0n).bytes(),
    ...logEvents(PROGRAM_ID, "SwapBaseInput", [swapEvent(trade, quote.swap)]),
  }),
});

/** The accounts up to the vaults; the trader's address replaces its token accounts. */
function instructionAccounts(trade: Trade, addresses: CpmmPoolAddresses): readonly Address[] {
  const { user, pool, inputMint } = trade;
  const vaults = [addresses.vaultA, addresses.vaultB];
  if (inputMint !== addresses.mintA) vaults.reverse();
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

function poolChanges(
  known: AccountSet,
  { pool, addresses, state, clock }: PoolUpdate<CpmmPoolAddresses, CpmmState>,
): AccountChanges {
  return new Map([
    ...(editStored(known, pool, clock, (writer) => writeCpmmSwap(writer, state, clock)) ?? []),
    ...tokenAmounts(
      known,
      [
        [addresses.vaultA, state.token0.vaultAmount],
        [addresses.vaultB, state.token1.vaultAmount],
      ],
      clock.slot,
    ),
  ]);
}

const SHARE_FIELDS = { mint: POOL.lpMint, owner: POOL.poolCreator, supply: POOL.lpSupply };

const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, clock) => {
  const addresses = poolAddresses(pool, known);
  const decoded = raydiumCpmm.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const rest = (token: CpmmToken): CpmmToken => {
    const taken = (reserveOf(token) * BigInt(shareBps)) / 10_000n;
    return { ...token, vaultAmount: token.vaultAmount - taken };
  };
  const { state } = decoded;
  const after = { ...state, token0: rest(state.token0), token1: rest(state.token1) };
  const changes = poolChanges(known, { pool, addresses, state: after, clock });
  const moved = { fields: SHARE_FIELDS, shareBps, slot: clock.slot };
  return withMovedShares(known, changes, pool, moved);
};

/** Sets the fee of the configuration, which all its pools share. */
const setFee: SetFee = (known, pool, feePpm, clock) => {
  const config = poolAddresses(pool, known)?.config;
  if (config === undefined) return null;
  return editStored(known, config, clock, (writer) =>
    writer.u64(CONFIG.tradeFeeRate, BigInt(feePpm)),
  );
};

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) => writer.u8(POOL.status, isPaused ? SWAP_DISABLED : 0));

/** Raydium CPMM in the demo market: LaunchLab's coins graduate to it. */
export const raydiumCpmmProgram: MarketProgram = {
  venue: "raydium-cpmm",
  setup,
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};
