import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { curveAccount, globalAccount } from "#demo/programs/pump-curve-accounts.ts";
import { feeConfigAccount } from "#demo/programs/pump-fee-config-accounts.ts";
import { CURVE_FEE_CONFIG, POOL_FEE_CONFIG } from "#demo/programs/pump-fee-schedules.ts";
import { newGraduatedPool } from "#demo/programs/pumpswap.ts";
import { globalConfigAccount } from "#demo/programs/pumpswap-accounts.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";

/** How a coin of a chain can be sold, or why not. */
export type CoinKind = "curve" | "pool" | "full-curve" | "empty-pool" | "mayhem-curve";

export type PumpChain = {
  /** The coins, the token that is sold first. */
  readonly coins: readonly Address[];
  readonly accounts: ReadonlyMap<Address, Account | null>;
};

const SUPPLY = 1_000_000_000_000_000n;
const CREATOR = namedAddress("creator of coins");
const SLOT = 1n;
/** What a curve starts with and raises: lamports, and units of a coin of which there are 10^15. */
const IN_SOL = { initial: 30_000_000_000n, raised: 84_990_359_084n };
const IN_COINS = { initial: 30_000_000_000_000n, raised: 84_990_359_084_000n };

/** Coins of pump, each quoted in the next, the last one in `lastQuote`; `name` sets them apart from others. */
export function pumpChain(
  name: string,
  kinds: readonly CoinKind[],
  lastQuote: Address | ((coins: readonly Address[]) => Address) = WSOL,
): PumpChain {
  const coins = kinds.map((_, place) => namedAddress(`${name} ${place}`));
  const end = typeof lastQuote === "function" ? lastQuote(coins) : lastQuote;
  const accounts = new Map<Address, Account | null>(configurations());
  if (end !== WSOL) accounts.set(end, mintAccount({ supply: SUPPLY, decimals: 6, slot: SLOT }));
  for (const [place, coin] of coins.entries()) {
    const quoteMint = coins[place + 1] ?? end;
    const kind = kinds[place] ?? "curve";
    for (const [address, account] of coinAccounts(coin, quoteMint, kind)) {
      accounts.set(address, account);
    }
  }
  return { coins, accounts };
}

function configurations(): ReadonlyMap<Address, Account> {
  const isCreatorFeeConfigurable = true;
  return new Map([
    [GLOBAL_ADDRESS, globalAccount({ authority: CREATOR, isCreatorFeeConfigurable }, SLOT)],
    [CURVE_FEE_CONFIG_ADDRESS, feeConfigAccount(CURVE_FEE_CONFIG, SLOT)],
    [
      GLOBAL_CONFIG_ADDRESS,
      globalConfigAccount({ admin: CREATOR, disableFlags: 0, isCreatorFeeConfigurable }, SLOT),
    ],
    [POOL_FEE_CONFIG_ADDRESS, feeConfigAccount(POOL_FEE_CONFIG, SLOT)],
  ]);
}

function coinAccounts(
  coin: Address,
  quoteMint: Address,
  kind: CoinKind,
): ReadonlyMap<Address, Account | null> {
  const isGraduated = kind === "pool" || kind === "empty-pool";
  const sold = kind === "full-curve" ? 793_100_000_000_000n : 300_000_000_000_000n;
  const virtualToken = 1_073_000_000_000_000n - sold;
  const { initial, raised } = quoteMint === WSOL ? IN_SOL : IN_COINS;
  const virtualQuote = (initial * 1_073_000_000_000_000n) / virtualToken;
  const reserves = isGraduated
    ? { virtualToken: 0n, virtualQuote: 0n, realToken: 0n, realQuote: 0n }
    : {
        virtualToken,
        virtualQuote,
        realToken: 793_100_000_000_000n - sold,
        realQuote: virtualQuote - initial,
      };
  const curve = curveAccount({
    ...reserves,
    isComplete: isGraduated || kind === "full-curve",
    creator: CREATOR,
    totalSupply: SUPPLY,
    isMayhem: kind === "mayhem-curve",
    isCashback: false,
    quoteMint,
    creatorFeeBps: 0n,
    slot: SLOT,
  });
  const accounts = new Map<Address, Account | null>([
    [coin, mintAccount({ supply: SUPPLY, decimals: 6, slot: SLOT })],
    [curveAddress(coin), curve],
  ]);
  if (!isGraduated) return accounts;
  const isEmpty = kind === "empty-pool";
  const { changes } = newGraduatedPool({
    coin,
    quoteMint,
    coinCreator: CREATOR,
    coins: isEmpty ? 0n : 206_900_000_000_000n,
    raised: isEmpty ? 0n : raised,
    slot: SLOT,
  });
  for (const [address, account] of changes) accounts.set(address, account);
  return accounts;
}
