import { decodeClock } from "#src/track/pools/chain-clock.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { AccountVersions } from "./account-versions.ts";

/** A clock farther away is not used: the length of slots varies. */
const MAX_SLOTS_AWAY = 100n;
const SLOT_MS = 400n;

/**
 * The clocks that the chain may have had at a slot: one where the Clock sysvar, the transaction or the event
 * states it, or where the clocks of earlier and later slots agree; else each second between, most likely
 * two. None where no clock near the slot is known.
 */
export function swapClocks(
  versions: AccountVersions,
  slot: bigint,
  stated: bigint | null,
): readonly Clock[] {
  const before = near(decodeClock(versions.before(slot + 1n).get(CLOCK_SYSVAR)), slot);
  if (before?.slot === slot) return [before];
  const after = near(decodeClock(versions.firstAfter(CLOCK_SYSVAR, slot)), slot);
  if (after?.slot === slot) return [after];
  // Between the clocks of two epochs, either may be that of the slot.
  const epochs = new Set([before, after].flatMap((clock) => clock?.epoch ?? []));
  const clocksOf = (unixTimestamp: bigint): readonly Clock[] =>
    Array.from(epochs, (epoch) => ({ slot, unixTimestamp, epoch }));
  if (stated !== null) return clocksOf(stated);
  const earliest =
    before === null ? null : before.unixTimestamp + ((slot - before.slot) * SLOT_MS) / 1_000n;
  const latest =
    after === null ? null : after.unixTimestamp - ((after.slot - slot) * SLOT_MS) / 1_000n;
  const guess = between(before, after, slot) ?? earliest ?? latest;
  if (guess === null) return [];
  return [guess, guess + 1n, guess - 1n]
    .filter((second) => before === null || second >= before.unixTimestamp)
    .filter((second) => after === null || second <= after.unixTimestamp)
    .flatMap(clocksOf);
}

function near(clock: Clock | null, slot: bigint): Clock | null {
  if (clock === null) return null;
  const away = clock.slot > slot ? clock.slot - slot : slot - clock.slot;
  return away > MAX_SLOTS_AWAY ? null : clock;
}

/** The second at the slot's place between two clocks. */
function between(before: Clock | null, after: Clock | null, slot: bigint): bigint | null {
  if (before === null || after === null || after.slot <= before.slot) return null;
  const seconds = after.unixTimestamp - before.unixTimestamp;
  return before.unixTimestamp + (seconds * (slot - before.slot)) / (after.slot - before.slot);
}
