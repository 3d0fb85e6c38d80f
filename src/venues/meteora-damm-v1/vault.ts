import { checkedU64, checkedU128, divFloor } from "#src/units/integer.ts";
import type { VaultShare } from "./decode.ts";
import { LOCKED_PROFIT_DENOMINATOR } from "./layout.ts";

/**
 * What a vault's shares are worth together at a second, in base units: everything in it less the
 * profit that is still locked, which is released in equal parts every second since the last report.
 *
 * @throws MathError before the last report, or where more is locked than there is
 */
export function unlockedAmount(vault: VaultShare, unixTimestamp: bigint): bigint {
  const seconds = checkedU64(unixTimestamp - vault.lastReport, "seconds since report");
  const released = checkedU128(seconds * vault.degradation, "released ratio");
  if (released > LOCKED_PROFIT_DENOMINATOR) return vault.totalAmount;
  const left = LOCKED_PROFIT_DENOMINATOR - released;
  const locked = divFloor(vault.lockedProfit * left, LOCKED_PROFIT_DENOMINATOR);
  return checkedU64(vault.totalAmount - locked, "unlocked amount");
}

/** `floor(share * unlocked / supply)`: base units that shares stand for. @throws MathError as u64 */
export function amountOfShare(share: bigint, unlocked: bigint, supply: bigint): bigint {
  return checkedU64(divFloor(share * unlocked, supply), "amount of share");
}

/** `floor(amount * supply / unlocked)`: shares that base units stand for. @throws MathError as u64 */
export function shareOfAmount(amount: bigint, unlocked: bigint, supply: bigint): bigint {
  return checkedU64(divFloor(amount * supply, unlocked), "share of amount");
}
