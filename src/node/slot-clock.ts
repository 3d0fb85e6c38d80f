import { address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock } from "#src/venues/venue.ts";

export const SLOT_MS = 400;
export const SLOTS_PER_EPOCH = 432_000n;

const SYSVAR_OWNER = address("Sysvar1111111111111111111111111111111111111");
const SYSVAR_RENT_LAMPORTS = 1_169_280n;
const CLOCK_BYTES = 40;

/** About the slot of mainnet at that time; programs compare slots and epochs with their settings. */
const ANCHOR_MS = Date.UTC(2025, 0, 1);
const ANCHOR_SLOT = 311_000_000n;

/** The chain's clock at a wall-clock time, if every slot since the anchor took 400 ms. */
export function clockAt(ms: number): Clock {
  const slot = ANCHOR_SLOT + BigInt(Math.max(0, Math.floor((ms - ANCHOR_MS) / SLOT_MS)));
  return { slot, unixTimestamp: BigInt(Math.floor(ms / 1000)), epoch: slot / SLOTS_PER_EPOCH };
}

/** The Clock sysvar: slot, epoch start, epoch, the next leader schedule's epoch, unix time. */
export function clockAccount(clock: Clock): Account {
  const data = new Uint8Array(CLOCK_BYTES);
  const view = new DataView(data.buffer);
  const slotsIntoEpoch = clock.slot % SLOTS_PER_EPOCH;
  const secondsIntoEpoch = (slotsIntoEpoch * BigInt(SLOT_MS)) / 1000n;
  view.setBigUint64(0, clock.slot, true);
  view.setBigInt64(8, clock.unixTimestamp - secondsIntoEpoch, true);
  view.setBigUint64(16, clock.epoch, true);
  view.setBigUint64(24, clock.epoch + 1n, true);
  view.setBigInt64(32, clock.unixTimestamp, true);
  return { owner: SYSVAR_OWNER, lamports: SYSVAR_RENT_LAMPORTS, data, slot: clock.slot };
}

/** The clock in the bytes of a Clock sysvar; null if they are not valid. */
export function clockFromAccount(account: Account): Clock | null {
  const { data } = account;
  if (account.owner !== SYSVAR_OWNER || data.length !== CLOCK_BYTES) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    slot: view.getBigUint64(0, true),
    epoch: view.getBigUint64(16, true),
    unixTimestamp: view.getBigInt64(32, true),
  };
}
