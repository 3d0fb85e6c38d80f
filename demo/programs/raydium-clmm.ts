import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16BeSeed } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { type PoolHeader, readPoolHeader } from "#src/venues/raydium-clmm/decode.ts";
import {
  AMM_CONFIG,
  PERSONAL_POSITION,
  POOL_STATE,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
} from "#src/venues/raydium-clmm/layout.ts";
import type { ClmmState } from "#src/venues/raydium-clmm/pool-state.ts";
import { quoteExactIn } from "#src/venues/raydium-clmm/quote.ts";
import { sqrtPriceAtTick, tickAtSqrtPrice } from "#src/venues/raydium-clmm/tick-math.ts";
import type { TickQuote } from "#src/venues/shared/tick-pool.ts";
import { transferFee } from "#src/venues/shared/token/transfer-fee.ts";
import type { Clock } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import { edited } from "../byte-writer.ts";
import { liquidityAtTick, openingLiquidity, scaleLiquidity } from "../concentrated-positions.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { changedPositions, nestedPositions } from "../nested-positions.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  editStored,
  missingMint,
  newVaults,
  type SetFee,
  type SetPaused,
  sortedSides,
  swapWith,
  tokenAmounts,
  vaultsWithoutShare,
} from "./pool-program.ts";
import {
  clmmConfigAccount,
  clmmPoolAccount,
  withTickArrays,
  writeDynamicFee,
  writePrice,
} from "./raydium-clmm-accounts.ts";

const CONFIG = { index: 2, tradeFeePpm: 2_500, tickSpacing: 60 } as const;
const CONFIG_ADDRESS = findProgramAddress(["amm_config", u16BeSeed(CONFIG.index)], PROGRAM_ID);
const PROTOCOL_FEE_PPM = 120_000;
const FUND_FEE_PPM = 40_000;
const FEE_DENOMINATOR = 1_000_000n;

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
const SWAP_EVENT = discriminator("40c6cde8260871e2");

function setup({ slot }: Clock): AccountChanges {
  const rates = { protocolFeePpm: PROTOCOL_FEE_PPM, fundFeePpm: FUND_FEE_PPM };
  const config = clmmConfigAccount({ ...CONFIG, ...rates, owner: CONFIG_ADDRESS, slot });
  return new Map([[CONFIG_ADDRESS, config]]);
}

const createPool: CreatePool = (known, opening) => {
  const { baseMint, baseAmount, creator, clock } = opening;
  const { slot } = clock;
  const sides = sortedSides(opening);
  const [{ mint: mint0, amount: amount0 }, { mint: mint1, amount: amount1 }] = sides;
  const derive = (...seeds: Parameters<typeof findProgramAddress>[0]) =>
    findProgramAddress(seeds, PROGRAM_ID);
  const pool = derive("pool", { address: CONFIG_ADDRESS }, { address: mint0 }, { address: mint1 });
  const vaultOf = (mint: Address) => derive("pool_vault", { address: pool }, { address: mint });
  const { tickSpacing } = CONFIG;
  const math = { sqrtPriceAtTick, tickAtSqrtPrice };
  const liquidity = openingLiquidity(math, tickSpacing, [amount0, amount1]);
  const account = clmmPoolAccount({
    ...liquidity,
    config: CONFIG_ADDRESS,
    creator,
    mint0,
    mint1,
    vault0: vaultOf(mint0),
    vault1: vaultOf(mint1),
    observation: derive("observation", { address: pool }),
    decimals0: mint0 === baseMint ? 6 : 9,
    decimals1: mint1 === baseMint ? 6 : 9,
    tickSpacing,
    status: 0,
    feeOn: 0,
    openTime: 0n,
    dynamicFee: null,
    slot,
  });
  const orders = { ordersAmount: 0n, partFilledOrdersRemaining: 0n };
  const ticks = liquidity.ticks.map((tick) => ({ ...tick, ...orders }));
  const vaults = sides.map((side) => ({ ...side, vault: vaultOf(side.mint) }));
  return {
    pool,
    changes: new Map([
      ...withTickArrays(pool, account, tickSpacing, ticks),
      ...nestedPositions(PERSONAL_POSITION, { pool, owner: creator, ticks, slot }),
      ...missingMint(known, baseMint, baseAmount, slot),
      ...newVaults(known, vaults, pool, slot),
    ]),
  };
};

const swap = swapWith({
  venue: raydiumClmm,
  readPool: (pool, known) => readPoolHeader(known.get(pool)),
  quote: quoteExactIn,
  perform: ({ known, trade, pool: header, state, quote }) => {
    const zeroForOne = trade.inputMint === header.mint0;
    const done = { known, trade, header, state, quote, zeroForOne };
    return {
      changes: changesOf(done),
      amountOut: quote.amountOut,
      instructionAccounts: instructionAccounts(trade, header, zeroForOne),
      instructionData: new FieldWriter()
        .raw(SWAP_V2)
        .u64(trade.amountIn, 0n, 0n, 0n)
        .bool(true)
        .bytes(),
      ...logEvents(PROGRAM_ID, "SwapV2", [swapEvent(done)]),
    };
  },
});

/** The accounts up to the mints; the trader's address replaces its token accounts. */
function instructionAccounts(
  { pool, user }: Trade,
  header: PoolHeader,
  zeroForOne: boolean,
): readonly Address[] {
  const { vault0, vault1, mint0, mint1 } = header;
  const vaults = zeroForOne ? [vault0, vault1] : [vault1, vault0];
  const mints = zeroForOne ? [mint0, mint1] : [mint1, mint0];
  const observation = header.reader.address(POOL_STATE.observationKey);
  const programs = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  return [user, header.ammConfig, pool, user, user, ...vaults, observation, ...programs, ...mints];
}

type DoneSwap = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly header: PoolHeader;
  /** Before the swap. */
  readonly state: ClmmState;
  readonly quote: Extract<TickQuote<ClmmState>, { readonly kind: "filled" }>;
  readonly zeroForOne: boolean;
};

/** Fee growth does not change: it pays liquidity providers and enters no quote. */
function changesOf({ known, trade, header, quote, zeroForOne }: DoneSwap): AccountChanges {
  const { after, tradeFee } = quote;
  const account = editStored(known, trade.pool, trade.clock, (writer) => {
    writePrice(writer, after);
    if (after.dynamicFee !== null) writeDynamicFee(writer, after.dynamicFee);
    for (const [at, ppm] of [
      [
        zeroForOne ? POOL_STATE.protocolFeesToken0 : POOL_STATE.protocolFeesToken1,
        PROTOCOL_FEE_PPM,
      ],
      [zeroForOne ? POOL_STATE.fundFeesToken0 : POOL_STATE.fundFeesToken1, FUND_FEE_PPM],
    ] as const) {
      const share = mulDivFloor(tradeFee, BigInt(ppm), FEE_DENOMINATOR);
      writer.u64(at, header.reader.u64(at) + share);
    }
  });
  const amounts = [
    [header.vault0, after.token0.heldInVault],
    [header.vault1, after.token1.heldInVault],
  ] as const;
  return new Map([...(account ?? []), ...tokenAmounts(known, amounts, trade.clock.slot)]);
}

/** SwapEvent of 221 bytes: the input less its transfer fee, the output after its own. */
function swapEvent({ trade, state, quote, zeroForOne }: DoneSwap): Uint8Array {
  const { amountIn, user, pool, clock } = trade;
  const sold = zeroForOne ? state.token0 : state.token1;
  const feeIn = transferFee(sold.transferFee, amountIn, clock.epoch);
  const input = [amountIn - feeIn, feeIn] as const;
  const output = [quote.amountOut, quote.grossOut - quote.amountOut] as const;
  const { sqrtPriceX64, liquidity, tickCurrent } = quote.after;
  return new FieldWriter()
    .raw(SWAP_EVENT)
    .address(pool, user, user, user)
    .u64(...(zeroForOne ? [...input, ...output] : [...output, ...input]))
    .bool(zeroForOne)
    .i128(sqrtPriceX64)
    .i128(liquidity)
    .u32(tickCurrent >>> 0)
    .u64(...(zeroForOne ? [quote.tradeFee, 0n] : [0n, quote.tradeFee]))
    .bytes();
}

/** Scales every position alike. Tick arrays without ticks are removed from the bitmap. */
const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, { slot }) => {
  const account = known.get(pool);
  const header = readPoolHeader(account);
  const decoded = raydiumClmm.decode(pool, known);
  if (!account || header === null || decoded.kind === "unusable") return null;
  const { state } = decoded;
  const scaled = scaleLiquidity(state.ticks, 10_000 - shareBps);
  const used = scaled.filter(({ liquidityGross }) => liquidityGross > 0n);
  const unmarked = edited(account, slot, (writer) => {
    writer.bytes.fill(0, POOL_STATE.tickArrayBitmap, POOL_STATE.tickArrayBitmap + 128);
    writePrice(writer, { ...state, liquidity: liquidityAtTick(scaled, state.tickCurrent) });
  });
  return new Map([
    ...withTickArrays(pool, unmarked, header.tickSpacing, used),
    ...changedPositions(PERSONAL_POSITION, known, { pool, ticks: scaled, slot }),
    ...vaultsWithoutShare(known, [header.vault0, header.vault1], shareBps, slot),
  ]);
};

/** Sets the rate of the configuration, which all demo pools share. */
const setFee: SetFee = (known, pool, feePpm, clock) => {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return null;
  return editStored(known, header.ammConfig, clock, (writer) =>
    writer.u32(AMM_CONFIG.tradeFeeRate, feePpm),
  );
};

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) => {
    const before = writer.bytes[POOL_STATE.status] ?? 0;
    const status = isPaused ? before | STATUS_SWAP_DISABLED : before & ~STATUS_SWAP_DISABLED;
    writer.u8(POOL_STATE.status, status);
  });

/** Raydium CLMM in the demo market: static fee, no limit orders, three positions per pool. */
export const raydiumClmmProgram: MarketProgram = {
  venue: "raydium-clmm",
  setup,
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};
