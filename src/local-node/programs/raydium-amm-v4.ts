import { type Address, address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { squareRootFloor } from "#src/venues/curves/constant-product.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import {
  type AmmPoolAddresses,
  type AmmState,
  type AmmToken,
  poolAddresses,
} from "#src/venues/raydium-amm-v4/decode.ts";
import { AUTHORITY, POOL, PROGRAM_ID, STATUSES } from "#src/venues/raydium-amm-v4/layout.ts";
import { reserveOf } from "#src/venues/raydium-amm-v4/quote.ts";
import type { Clock } from "#src/venues/venue.ts";
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
import { ammPoolAccount } from "./raydium-amm-v4-accounts.ts";
import { missingMint, tokenAmounts, tradedMint } from "./traded-mint.ts";

const OPEN_BOOK = address("srmqPvymJeFKQ4zGQed1GFppgkRHL9kaELCbyksJtPX");
const SWAP_BASE_IN_V2 = 16;
/** ray_log of a swap with a fixed input, and its two directions. */
const LOG_SWAP_BASE_IN = 3;
const PC_TO_COIN = 1n;
const COIN_TO_PC = 2n;
const WITHDRAW_ONLY = 3n;
const SWAP_ONLY = 6n;
/** A whole share: counted at the opening, and never minted. */
const LOCKED_SHARES = 1_000_000_000n;

/** Raydium AMM v4 in the demo market. */
export const raydiumAmmV4Program: MarketProgram = {
  venue: "raydium-amm-v4",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};

/** Coin is the base token. The market is an order book's that nobody reads any more. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock, freshAddress }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const market = freshAddress();
  const ofMarket = (seed: string): Address =>
    findProgramAddress([{ address: PROGRAM_ID }, { address: market }, seed], PROGRAM_ID);
  const pool = ofMarket("amm_associated_seed");
  const coinVault = ofMarket("coin_vault_associated_seed");
  const pcVault = ofMarket("pc_vault_associated_seed");
  const lpMint = ofMarket("lp_mint_associated_seed");
  const lpAmount = squareRootFloor(baseAmount * quoteAmount);
  const minted = new Map(missingMint(known, baseMint, baseAmount, slot));
  const decimalsOf = (mint: Address): number =>
    tradedMint({ get: (wanted) => minted.get(wanted) ?? known.get(wanted) }, mint).decimals;
  const account = ammPoolAccount({
    coinVault,
    pcVault,
    coinMint: baseMint,
    pcMint: quoteMint,
    lpMint,
    market,
    marketProgram: OPEN_BOOK,
    openOrders: ofMarket("open_order_associated_seed"),
    targetOrders: ofMarket("target_associated_seed"),
    owner: creator,
    coinDecimals: decimalsOf(baseMint),
    pcDecimals: decimalsOf(quoteMint),
    lpAmount,
    openTime: clock.unixTimestamp,
    swapFeeNumerator: 25n,
    swapFeeDenominator: 10_000n,
    status: 6,
    slot,
  });
  const vault = (mint: Address, amount: bigint) =>
    tokenAccount({ mint, owner: AUTHORITY, amount, slot });
  return {
    pool,
    changes: new Map([
      ...minted,
      [pool, account],
      [coinVault, vault(baseMint, baseAmount)],
      [pcVault, vault(quoteMint, quoteAmount)],
      ...issuedShares({
        mint: lpMint,
        minted: lpAmount - LOCKED_SHARES,
        mintAuthority: AUTHORITY,
        creator,
        takers,
        slot,
      }),
    ]),
  };
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const addresses = poolAddresses(trade.pool, known);
  const decoded = raydiumAmmV4.decode(trade.pool, known);
  if (addresses === null || decoded.kind === "unusable") {
    return { kind: "refused", reason: decoded.kind === "unusable" ? decoded.detail : "no pool" };
  }
  const quote = raydiumAmmV4.quoteExactIn(decoded.state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };
  const { pool, user, amountIn, clock } = trade;
  const log = rayLog(trade, decoded.state, quote.amountOut);
  return {
    kind: "done",
    changes: poolChanges(known, { pool, addresses, state: quote.after, clock }),
    amountOut: quote.amountOut,
    // As swap_base_in_v2 lists them; the trader stands for its token accounts.
    instructionAccounts: [
      TOKEN_PROGRAM,
      pool,
      AUTHORITY,
      addresses.coinVault,
      addresses.pcVault,
      user,
      user,
      user,
    ],
    instructionData: new FieldWriter().u8(SWAP_BASE_IN_V2).u64(amountIn, 0n).bytes(),
    logs: [
      `Program ${PROGRAM_ID} invoke [1]`,
      `Program log: ray_log: ${Buffer.from(log).toString("base64")}`,
      ...tokenTransfer(),
      ...tokenTransfer(),
      `Program ${PROGRAM_ID} consumed 28814 of 200000 compute units`,
      `Program ${PROGRAM_ID} success`,
    ],
    innerInstructionData: [],
  };
}

function tokenTransfer(): readonly string[] {
  return [
    `Program ${TOKEN_PROGRAM} invoke [2]`,
    "Program log: Instruction: Transfer",
    `Program ${TOKEN_PROGRAM} consumed 4645 of 180000 compute units`,
    `Program ${TOKEN_PROGRAM} success`,
  ];
}

/** 57 bytes; the trader's balance is what it sells, for nobody keeps traders' balances here. */
function rayLog(trade: Trade, state: AmmState, amountOut: bigint): Uint8Array {
  const direction = trade.inputMint === state.coin.mint ? COIN_TO_PC : PC_TO_COIN;
  return new FieldWriter()
    .u8(LOG_SWAP_BASE_IN)
    .u64(trade.amountIn, 0n, direction, trade.amountIn)
    .u64(reserveOf(state.coin), reserveOf(state.pc), amountOut)
    .bytes();
}

type Moved = {
  readonly pool: Address;
  readonly addresses: AmmPoolAddresses;
  readonly state: AmmState;
  readonly clock: Clock;
};

function poolChanges(known: AccountSet, moved: Moved): AccountChanges {
  const { pool, addresses, state, clock } = moved;
  const account = known.get(pool);
  return new Map([
    ...(account ? ([[pool, movedPool(account, state, clock)]] as const) : []),
    ...tokenAmounts(
      known,
      [
        [addresses.coinVault, state.coin.vaultAmount],
        [addresses.pcVault, state.pc.vaultAmount],
      ],
      clock.slot,
    ),
  ]);
}

function movedPool(account: Account, state: AmmState, clock: Clock): Account {
  const writer = new ByteWriter(account.data.slice())
    .u64(POOL.status, BigInt(STATUSES.indexOf(state.status)))
    .u64(POOL.recentEpoch, clock.epoch);
  return { ...account, data: writer.bytes, slot: clock.slot };
}

function changeLiquidity(
  known: AccountSet,
  pool: Address,
  shareBps: number,
  clock: Clock,
): AccountChanges | null {
  const addresses = poolAddresses(pool, known);
  const decoded = raydiumAmmV4.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const left = (token: AmmToken): AmmToken => {
    const taken = (reserveOf(token) * BigInt(shareBps)) / 10_000n;
    return { ...token, vaultAmount: token.vaultAmount - taken };
  };
  const { state } = decoded;
  const after = { ...state, coin: left(state.coin), pc: left(state.pc) };
  const changes = new Map(poolChanges(known, { pool, addresses, state: after, clock }));
  const account = changes.get(pool);
  if (!account) return changes;
  const reader = new ByteReader(account.data);
  const moved = movedShares(known, {
    mint: reader.address(POOL.lpMint),
    owner: reader.address(POOL.ammOwner),
    issued: reader.u64(POOL.lpAmount),
    shareBps,
    slot: clock.slot,
  });
  const { bytes } = new ByteWriter(account.data.slice()).u64(POOL.lpAmount, moved.issued);
  return new Map([...changes, [pool, { ...account, data: bytes }], ...moved.changes]);
}

function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  clock: Clock,
): AccountChanges | null {
  return edited(known, pool, clock, (writer) =>
    writer.u64(POOL.swapFeeNumerator, BigInt(feePpm)).u64(POOL.swapFeeDenominator, 1_000_000n),
  );
}

function setPaused(
  known: AccountSet,
  pool: Address,
  isPaused: boolean,
  clock: Clock,
): AccountChanges | null {
  return edited(known, pool, clock, (writer) =>
    writer.u64(POOL.status, isPaused ? WITHDRAW_ONLY : SWAP_ONLY),
  );
}

function edited(
  known: AccountSet,
  pool: Address,
  { slot }: Clock,
  edit: (writer: ByteWriter) => ByteWriter,
): AccountChanges | null {
  const account = known.get(pool);
  if (!account || poolAddresses(pool, known) === null) return null;
  const { bytes } = edit(new ByteWriter(account.data.slice()));
  return new Map([[pool, { ...account, data: bytes, slot }]]);
}
