import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import { type AmmState, type AmmToken, poolAddresses } from "#src/venues/raydium-amm-v4/decode.ts";
import { AUTHORITY, POOL, PROGRAM_ID, STATUSES } from "#src/venues/raydium-amm-v4/layout.ts";
import { reserveOf } from "#src/venues/raydium-amm-v4/quote.ts";
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";
import type { PairVaults } from "#src/venues/shared/reserve-pool.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { issuedShares } from "../pool-shares.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  editStored,
  missingMint,
  type PoolUpdate,
  type SetFee,
  type SetPaused,
  swapWith,
  tokenAmounts,
  tradedMint,
  withMovedShares,
} from "./pool-program.ts";
import { ammPoolAccount } from "./raydium-amm-v4-accounts.ts";

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

/** Coin is the base token. The order book's market is only an address: the program ignores it. */
const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock } = opening;
  const { slot } = clock;
  const market = opening.freshAddress();
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
};

const swap = swapWith({
  venue: raydiumAmmV4,
  readPool: poolAddresses,
  quote: raydiumAmmV4.quoteExactIn,
  perform: ({ known, trade, pool: addresses, state, quote }) => ({
    changes: poolChanges(known, { ...trade, addresses, state: quote.after }),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, addresses),
    instructionData: new FieldWriter().u8(SWAP_BASE_IN_V2).u64(trade.amountIn, 0n).bytes(),
    logs: swapLogs(rayLog(trade, state, quote.amountOut)),
    innerInstructionData: [],
  }),
});

/** As swap_base_in_v2 lists them; the trader's address replaces its token accounts. */
function instructionAccounts({ pool, user }: Trade, addresses: PairVaults) {
  const { vaultA, vaultB } = addresses;
  return [TOKEN_PROGRAM, pool, AUTHORITY, vaultA, vaultB, user, user, user];
}

function swapLogs(log: Uint8Array): readonly string[] {
  return [
    `Program ${PROGRAM_ID} invoke [1]`,
    `Program log: ray_log: ${Buffer.from(log).toString("base64")}`,
    ...tokenTransfer(),
    ...tokenTransfer(),
    `Program ${PROGRAM_ID} consumed 28814 of 200000 compute units`,
    `Program ${PROGRAM_ID} success`,
  ];
}

function tokenTransfer(): readonly string[] {
  return [
    `Program ${TOKEN_PROGRAM} invoke [2]`,
    "Program log: Instruction: Transfer",
    `Program ${TOKEN_PROGRAM} consumed 4645 of 180000 compute units`,
    `Program ${TOKEN_PROGRAM} success`,
  ];
}

/** 57 bytes. The trader's balance is the amount it sells, because the demo keeps no balances of traders. */
function rayLog(trade: Trade, state: AmmState, amountOut: bigint): Uint8Array {
  const direction = trade.inputMint === state.coin.mint ? COIN_TO_PC : PC_TO_COIN;
  return new FieldWriter()
    .u8(LOG_SWAP_BASE_IN)
    .u64(trade.amountIn, 0n, direction, trade.amountIn)
    .u64(reserveOf(state.coin), reserveOf(state.pc), amountOut)
    .bytes();
}

function poolChanges(
  known: AccountSet,
  { pool, addresses, state, clock }: PoolUpdate<PairVaults, AmmState>,
): AccountChanges {
  const account = editStored(known, pool, clock, (writer) =>
    writer
      .u64(POOL.status, BigInt(STATUSES.indexOf(state.status)))
      .u64(POOL.recentEpoch, clock.epoch),
  );
  return new Map([
    ...(account ?? []),
    ...tokenAmounts(
      known,
      [
        [addresses.vaultA, state.coin.vaultAmount],
        [addresses.vaultB, state.pc.vaultAmount],
      ],
      clock.slot,
    ),
  ]);
}

const SHARE_FIELDS = { mint: POOL.lpMint, owner: POOL.ammOwner, supply: POOL.lpAmount };

const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, clock) => {
  const addresses = poolAddresses(pool, known);
  const decoded = raydiumAmmV4.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const rest = (token: AmmToken): AmmToken => {
    const taken = (reserveOf(token) * BigInt(shareBps)) / 10_000n;
    return { ...token, vaultAmount: token.vaultAmount - taken };
  };
  const { state } = decoded;
  const after = { ...state, coin: rest(state.coin), pc: rest(state.pc) };
  const changes = poolChanges(known, { pool, addresses, state: after, clock });
  const moved = { fields: SHARE_FIELDS, shareBps, slot: clock.slot };
  return withMovedShares(known, changes, pool, moved);
};

const setFee: SetFee = (known, pool, feePpm, clock) =>
  editStored(known, pool, clock, (writer) =>
    writer.u64(POOL.swapFeeNumerator, BigInt(feePpm)).u64(POOL.swapFeeDenominator, 1_000_000n),
  );

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) =>
    writer.u64(POOL.status, isPaused ? WITHDRAW_ONLY : SWAP_ONLY),
  );

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
