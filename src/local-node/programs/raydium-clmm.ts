import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16BeSeed } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { type PoolHeader, readPoolHeader } from "#src/venues/raydium-clmm/decode.ts";
import {
  AMM_CONFIG,
  POOL_STATE,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
} from "#src/venues/raydium-clmm/layout.ts";
import type { ClmmState } from "#src/venues/raydium-clmm/pool-state.ts";
import { quoteSwap, type SwapQuote } from "#src/venues/raydium-clmm/quote.ts";
import { sqrtPriceAtTick, tickAtSqrtPrice } from "#src/venues/raydium-clmm/tick-math.ts";
import { transferFee } from "#src/venues/token/transfer-fee.ts";
import type { Clock } from "#src/venues/venue.ts";
import { logEvents } from "../anchor-event.ts";
import { ByteWriter } from "../byte-writer.ts";
import { liquidityAtTick, openingLiquidity, scaleLiquidity } from "../concentrated-positions.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
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
const MINTED = 1_000_000_000_000_000n;

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
const SWAP_EVENT = discriminator("40c6cde8260871e2");

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

function setup({ slot }: Clock): AccountChanges {
  const rates = { protocolFeePpm: PROTOCOL_FEE_PPM, fundFeePpm: FUND_FEE_PPM };
  const config = clmmConfigAccount({ ...CONFIG, ...rates, owner: CONFIG_ADDRESS, slot });
  return new Map([[CONFIG_ADDRESS, config]]);
}

function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const isBaseFirst = compareAddressBytes(baseMint, quoteMint) < 0;
  const [mint0, mint1] = isBaseFirst ? [baseMint, quoteMint] : [quoteMint, baseMint];
  const amounts: readonly [bigint, bigint] = isBaseFirst
    ? [baseAmount, quoteAmount]
    : [quoteAmount, baseAmount];
  const derive = (...seeds: Parameters<typeof findProgramAddress>[0]) =>
    findProgramAddress(seeds, PROGRAM_ID);
  const pool = derive("pool", { address: CONFIG_ADDRESS }, { address: mint0 }, { address: mint1 });
  const vaultOf = (mint: Address) => derive("pool_vault", { address: pool }, { address: mint });
  const { tickSpacing } = CONFIG;
  const opening = openingLiquidity({ sqrtPriceAtTick, tickAtSqrtPrice }, tickSpacing, amounts);

  const minted = known.get(baseMint) ?? mintAccount({ supply: MINTED, decimals: 6, slot });
  const programOf = (mint: Address) =>
    mint === baseMint ? minted.owner : (known.get(mint)?.owner ?? TOKEN_PROGRAM);
  const account = clmmPoolAccount({
    config: CONFIG_ADDRESS,
    creator,
    mint0,
    mint1,
    vault0: vaultOf(mint0),
    vault1: vaultOf(mint1),
    observation: derive("observation", { address: pool }),
    decimals0: isBaseFirst ? 6 : 9,
    decimals1: isBaseFirst ? 9 : 6,
    tickSpacing,
    liquidity: opening.liquidity,
    sqrtPriceX64: opening.sqrtPriceX64,
    tickCurrent: opening.tickCurrent,
    status: 0,
    feeOn: 0,
    openTime: 0n,
    dynamicFee: null,
    slot,
  });
  const ticks = opening.ticks.map((tick) => ({
    ...tick,
    ordersAmount: 0n,
    partFilledOrdersRemaining: 0n,
  }));
  const changes = withTickArrays(pool, account, tickSpacing, ticks);
  changes.set(baseMint, minted);
  for (const [mint, amount] of [
    [mint0, amounts[0]],
    [mint1, amounts[1]],
  ] as const) {
    const fields = { mint, owner: pool, amount, program: programOf(mint), slot };
    changes.set(vaultOf(mint), tokenAccount(fields));
  }
  return { pool, changes };
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const account = known.get(trade.pool);
  const header = readPoolHeader(account);
  const decoded = raydiumClmm.decode(trade.pool, known);
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  if (!account || header === null) return { kind: "refused", reason: "no pool" };
  const quote = quoteSwap(decoded.state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };
  const zeroForOne = trade.inputMint === header.mint0;
  const event = swapEvent({ trade, state: decoded.state, quote, zeroForOne });
  return {
    kind: "done",
    changes: movedAccounts({ known, trade, account, header, quote, zeroForOne }),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, header, zeroForOne),
    instructionData: new FieldWriter()
      .raw(SWAP_V2)
      .u64(trade.amountIn, 0n, 0n, 0n)
      .bool(true)
      .bytes(),
    ...logEvents(PROGRAM_ID, "SwapV2", [event]),
  };
}

/** The accounts up to the mints; the trader stands for its token accounts. */
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

type Filled = Extract<SwapQuote, { readonly kind: "filled" }>;

type Move = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly header: PoolHeader;
  readonly quote: Filled;
  readonly zeroForOne: boolean;
};

/** Fee growth stays as it is: it pays liquidity providers, never a quote. */
function movedAccounts(move: Move): AccountChanges {
  const { known, trade, account, header, quote, zeroForOne } = move;
  const { after, tradeFee } = quote;
  const { slot } = trade.clock;
  const writer = new ByteWriter(account.data.slice());
  writePrice(writer, after);
  if (after.dynamicFee !== null) writeDynamicFee(writer, after.dynamicFee);
  for (const [at, ppm] of [
    [zeroForOne ? POOL_STATE.protocolFeesToken0 : POOL_STATE.protocolFeesToken1, PROTOCOL_FEE_PPM],
    [zeroForOne ? POOL_STATE.fundFeesToken0 : POOL_STATE.fundFeesToken1, FUND_FEE_PPM],
  ] as const) {
    const share = mulDivFloor(tradeFee, BigInt(ppm), FEE_DENOMINATOR);
    writer.u64(at, header.reader.u64(at) + share);
  }
  const changes = new Map<Address, Account | null>([
    [trade.pool, { ...account, data: writer.bytes, slot }],
  ]);
  for (const [address, held] of [
    [header.vault0, after.token0.heldInVault],
    [header.vault1, after.token1.heldInVault],
  ] as const) {
    const vault = known.get(address);
    if (vault) changes.set(address, withTokenAmount(vault, held, slot));
  }
  return changes;
}

type Told = {
  readonly trade: Trade;
  readonly state: ClmmState;
  readonly quote: Filled;
  readonly zeroForOne: boolean;
};

/** SwapEvent of 221 bytes: the input less its transfer fee, the output as it arrives. */
function swapEvent({ trade, state, quote, zeroForOne }: Told): Uint8Array {
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

/** Every position shrinks or grows alike; arrays whose ticks are all gone lose their mark. */
function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(pool);
  const header = readPoolHeader(account);
  const decoded = raydiumClmm.decode(pool, known);
  if (!account || header === null || decoded.kind === "unusable") return null;
  const { state } = decoded;
  const keepBps = 10_000 - shareBps;
  const scaled = scaleLiquidity(state.ticks, keepBps);
  const writer = new ByteWriter(account.data.slice());
  writer.bytes.fill(0, POOL_STATE.tickArrayBitmap, POOL_STATE.tickArrayBitmap + 128);
  writePrice(writer, { ...state, liquidity: liquidityAtTick(scaled, state.tickCurrent) });
  const left = scaled.filter(({ liquidityGross }) => liquidityGross > 0n);
  const bare = { ...account, data: writer.bytes, slot };
  const changes = new Map<Address, Account | null>(
    withTickArrays(pool, bare, header.tickSpacing, left),
  );
  for (const [address, { heldInVault }] of [
    [header.vault0, state.token0],
    [header.vault1, state.token1],
  ] as const) {
    const vault = known.get(address);
    const kept = (heldInVault * BigInt(keepBps)) / 10_000n;
    if (vault) changes.set(address, withTokenAmount(vault, kept, slot));
  }
  return changes;
}

/** The rate stands in the configuration that all demo pools share. */
function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const header = readPoolHeader(known.get(pool));
  const config = header === null ? null : known.get(header.ammConfig);
  if (header === null || !config) return null;
  const { bytes } = new ByteWriter(config.data.slice()).u32(AMM_CONFIG.tradeFeeRate, feePpm);
  return new Map([[header.ammConfig, { ...config, data: bytes, slot }]]);
}

function setPaused(
  known: AccountSet,
  pool: Address,
  isPaused: boolean,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(pool);
  if (!account || readPoolHeader(account) === null) return null;
  const before = new ByteReader(account.data).u8(POOL_STATE.status);
  const status = isPaused ? before | STATUS_SWAP_DISABLED : before & ~STATUS_SWAP_DISABLED;
  const { bytes } = new ByteWriter(account.data.slice()).u8(POOL_STATE.status, status);
  return new Map([[pool, { ...account, data: bytes, slot }]]);
}
