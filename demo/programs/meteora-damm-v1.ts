import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV1 } from "#src/venues/meteora-damm-v1/adapter.ts";
import {
  type DammV1Addresses,
  type DammV1State,
  liquidityShares,
  poolAddresses,
  type VaultAddresses,
  type VaultShare,
  vaultAddresses,
} from "#src/venues/meteora-damm-v1/decode.ts";
import {
  GRADUATION_CONFIGS,
  POOL,
  PROGRAM_ID,
  VAULT,
  VAULT_PROGRAM_ID,
} from "#src/venues/meteora-damm-v1/layout.ts";
import { type Swap, swapExactIn } from "#src/venues/meteora-damm-v1/quote.ts";
import { amountOfShare, shareOfAmount } from "#src/venues/meteora-damm-v1/vault.ts";
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import { logEvents } from "../anchor-event.ts";
import { edited } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { issuedShares, movedShares } from "../pool-shares.ts";
import { mintAccount, tokenAccount } from "../token-accounts.ts";
import {
  dammV1PoolAccount,
  movedDammV1Pool,
  movedVault,
  vaultAccount,
} from "./meteora-damm-v1-accounts.ts";
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
} from "./pool-program.ts";

/** Seed of the ordinary vault of each mint. */
const VAULT_BASE = address("HWzXGcGHy4tcpYfaRDCyLNzXqBTv3E6BttpCH2vJxArv");
const STANDARD_CONFIG = GRADUATION_CONFIGS[0];
const MINT_SUPPLY_OFFSET = 36;

const SWAP = discriminator("f8c69e91e17587c8");
const SWAP_EVENT = discriminator("516ce3becdd00ac4");

/** Creates the pool of the 0.25 % configuration, or one at a fresh address if that pool exists. */
const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock } = opening;
  const { slot } = clock;
  const standard = configuredPool(STANDARD_CONFIG, baseMint, quoteMint);
  const pool = known.get(standard) ? opening.freshAddress() : standard;
  const minted = missingMint(known, baseMint, baseAmount, slot);
  const a = deposit(known, { pool, mint: baseMint, amount: baseAmount, slot });
  const b = deposit(known, { pool, mint: quoteMint, amount: quoteAmount, slot });
  const state: DammV1State = {
    a: a.share,
    b: b.share,
    isEnabled: true,
    activationPoint: slot,
    activationType: "slot",
    tradeFeeNumerator: 250n,
    tradeFeeDenominator: 100_000n,
    protocolFeeNumerator: 20_000n,
    protocolFeeDenominator: 100_000n,
    curve: { kind: "constant-product" },
  };
  const lpMint = findProgramAddress(["lp_mint", { address: pool }], PROGRAM_ID);
  const account = dammV1PoolAccount(state, {
    lpMint,
    creator,
    vaultA: a.vault,
    vaultB: b.vault,
    poolLpA: a.poolLp,
    poolLpB: b.poolLp,
    protocolFeeA: feeAddress(pool, baseMint),
    protocolFeeB: feeAddress(pool, quoteMint),
    stake: SYSTEM_PROGRAM,
    depegType: 0,
    slot,
  });
  const shares = issuedShares({
    mint: lpMint,
    minted: squareRootFloor(baseAmount * quoteAmount),
    mintAuthority: a.vault,
    creator,
    takers,
    slot,
  });
  const changes = [...minted, [pool, account] as const, ...shares, ...a.changes, ...b.changes];
  return { pool, changes: new Map(changes) };
};

function feeAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(["fee", { address: mint }, { address: pool }], PROGRAM_ID);
}

type Deposit = {
  readonly pool: Address;
  readonly mint: Address;
  readonly amount: bigint;
  readonly slot: bigint;
};

/** Deposits a new pool's tokens into the vault of the mint, and creates the vault if it is missing. */
function deposit(known: AccountSet, { pool, mint, amount, slot }: Deposit) {
  const vault = findProgramAddress(
    ["vault", { address: mint }, { address: VAULT_BASE }],
    VAULT_PROGRAM_ID,
  );
  const { tokenVault, lpMint } = vaultAddresses(vault, known) ?? newVaultAddresses(vault);
  const held = sharesHeld(known, vault, { tokenVault, lpMint });
  const poolLpShares =
    held.lpSupply === 0n ? amount : shareOfAmount(amount, held.totalAmount, held.lpSupply);
  const share: VaultShare = {
    mint,
    takesDeposits: true,
    totalAmount: held.totalAmount + amount,
    lockedProfit: 0n,
    lastReport: 0n,
    degradation: 0n,
    lpSupply: held.lpSupply + poolLpShares,
    poolLp: poolLpShares,
    tokenVaultAmount: held.tokenVaultAmount + amount,
    isFrozen: false,
  };
  const poolLp = findProgramAddress([{ address: vault }, { address: pool }], PROGRAM_ID);
  const before = known.get(vault);
  const { program, decimals } = tradedMint(known, mint);
  const changes: readonly (readonly [Address, Account])[] = [
    [
      vault,
      before
        ? movedVault(before, share, slot)
        : vaultAccount(share, { tokenVault, feeVault: vault, lpMint, base: VAULT_BASE, slot }),
    ],
    [
      tokenVault,
      tokenAccount({ mint, owner: vault, amount: share.tokenVaultAmount, program, slot }),
    ],
    [lpMint, mintAccount({ supply: share.lpSupply, decimals, mintAuthority: vault, slot })],
    [poolLp, tokenAccount({ mint: lpMint, owner: pool, amount: poolLpShares, slot })],
  ];
  return { vault, poolLp, share, changes };
}

function newVaultAddresses(vault: Address): VaultAddresses {
  const of = (seed: string): Address =>
    findProgramAddress([seed, { address: vault }], VAULT_PROGRAM_ID);
  return { tokenVault: of("token_vault"), lpMint: of("lp_mint") };
}

function sharesHeld(known: AccountSet, vault: Address, addresses: VaultAddresses) {
  const account = known.get(vault);
  if (!account) return { totalAmount: 0n, lpSupply: 0n, tokenVaultAmount: 0n };
  return {
    totalAmount: new ByteReader(account.data).u64(VAULT.totalAmount),
    lpSupply: decodeMint(known.get(addresses.lpMint))?.supply ?? 0n,
    tokenVaultAmount: tokenBalance(known.get(addresses.tokenVault)) ?? 0n,
  };
}

const swap = swapWith({
  venue: meteoraDammV1,
  readPool: poolAddresses,
  quote: swapExactIn,
  perform: ({ known, trade, pool: addresses, quote }) => ({
    changes: poolChanges(known, { ...trade, addresses, state: quote.after }),
    amountOut: quote.swap.amountOut,
    instructionAccounts: instructionAccounts(known, trade, addresses),
    instructionData: new FieldWriter().raw(SWAP).u64(trade.amountIn, 0n).bytes(),
    ...logEvents(PROGRAM_ID, "Swap", [swapEvent(quote.swap)]),
  }),
});

/** As the program lists them; the trader's address replaces its token accounts. */
function instructionAccounts(
  known: AccountSet,
  { pool, user, inputMint }: Trade,
  { mintA, vaultA, vaultB, poolLpA, poolLpB }: DammV1Addresses,
): readonly Address[] {
  const a = vaultAddresses(vaultA, known) ?? newVaultAddresses(vaultA);
  const b = vaultAddresses(vaultB, known) ?? newVaultAddresses(vaultB);
  const tokens = [vaultA, vaultB, a.tokenVault, b.tokenVault, a.lpMint, b.lpMint];
  const account = known.get(pool);
  const fee = inputMint === mintA ? POOL.protocolTokenAFee : POOL.protocolTokenBFee;
  const feeAccount = account ? new ByteReader(account.data).address(fee) : SYSTEM_PROGRAM;
  const programs = [VAULT_PROGRAM_ID, TOKEN_PROGRAM];
  return [pool, user, user, ...tokens, poolLpA, poolLpB, feeAccount, user, ...programs];
}

/** 48 bytes; the amounts are the changes of the pool's shares, the fees are those of the input. */
function swapEvent(swapped: Swap): Uint8Array {
  return new FieldWriter()
    .raw(SWAP_EVENT)
    .u64(swapped.grown + swapped.protocolFee, swapped.swapped)
    .u64(swapped.tradeFee, swapped.protocolFee, 0n)
    .bytes();
}

function poolChanges(
  known: AccountSet,
  { pool, addresses, state, clock }: PoolUpdate<DammV1Addresses, DammV1State>,
): AccountChanges {
  const { slot } = clock;
  const account = known.get(pool);
  const { vaultA, vaultB, poolLpA, poolLpB } = addresses;
  return new Map([
    ...(account ? ([[pool, movedDammV1Pool(account, state, slot)]] as const) : []),
    ...shareChanges(known, { vault: vaultA, poolLp: poolLpA, share: state.a, slot }),
    ...shareChanges(known, { vault: vaultB, poolLp: poolLpB, share: state.b, slot }),
  ]);
}

type ShareUpdate = {
  readonly vault: Address;
  readonly poolLp: Address;
  readonly share: VaultShare;
  readonly slot: bigint;
};

function shareChanges(known: AccountSet, { vault, poolLp, share, slot }: ShareUpdate) {
  const account = known.get(vault);
  const addresses = vaultAddresses(vault, known);
  if (!account || addresses === null) return [];
  const lpMint = known.get(addresses.lpMint);
  const changes: (readonly [Address, Account])[] = [[vault, movedVault(account, share, slot)]];
  if (lpMint) {
    const supplied = edited(lpMint, slot, (writer) =>
      writer.u64(MINT_SUPPLY_OFFSET, share.lpSupply),
    );
    changes.push([addresses.lpMint, supplied]);
  }
  const amounts = [
    [addresses.tokenVault, share.tokenVaultAmount],
    [poolLp, share.poolLp],
  ] as const;
  return [...changes, ...tokenAmounts(known, amounts, slot)];
}

const changeLiquidity: ChangeLiquidity = (known, pool, shareBps, clock) => {
  const addresses = poolAddresses(pool, known);
  const decoded = meteoraDammV1.decode(pool, known);
  if (addresses === null || decoded.kind === "unusable") return null;
  const rest = (share: VaultShare): VaultShare => {
    const shares = (share.poolLp * BigInt(shareBps)) / 10_000n;
    const amount =
      shares < 0n
        ? -amountOfShare(-shares, share.totalAmount, share.lpSupply)
        : amountOfShare(shares, share.totalAmount, share.lpSupply);
    return {
      ...share,
      poolLp: share.poolLp - shares,
      lpSupply: share.lpSupply - shares,
      totalAmount: share.totalAmount - amount,
      tokenVaultAmount: share.tokenVaultAmount - amount,
    };
  };
  const { state } = decoded;
  const after = { ...state, a: rest(state.a), b: rest(state.b) };
  const changes = poolChanges(known, { pool, addresses, state: after, clock });
  const account = known.get(pool);
  const shares = liquidityShares(pool, known);
  if (!account || shares?.kind !== "fungible") return changes;
  const moved = movedShares(known, {
    mint: shares.mint,
    owner: new ByteReader(account.data).address(POOL.poolCreator),
    issued: decodeMint(known.get(shares.mint))?.supply ?? 0n,
    shareBps,
    slot: clock.slot,
  });
  return new Map([...changes, ...moved.changes]);
};

const setFee: SetFee = (known, pool, feePpm, clock) =>
  editStored(known, pool, clock, (writer) =>
    writer.u64(POOL.tradeFeeNumerator, BigInt(feePpm)).u64(POOL.tradeFeeDenominator, 1_000_000n),
  );

const setPaused: SetPaused = (known, pool, isPaused, clock) =>
  editStored(known, pool, clock, (writer) => writer.u8(POOL.enabled, isPaused ? 0 : 1));

/** DAMM v1 in the demo market: constant product, 0.25 %, over vaults that its pools share. */
export const meteoraDammV1Program: MarketProgram = {
  venue: "meteora-damm-v1",
  setup: () => new Map(),
  createPool,
  swap,
  changeLiquidity,
  setFee,
  setPaused,
};
