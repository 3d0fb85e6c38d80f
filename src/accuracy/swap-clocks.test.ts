import assert from "node:assert/strict";
import { test } from "node:test";
import { clockAccount } from "#src/node/slot-clock.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { AccountVersions } from "./account-versions.ts";
import { swapClocks } from "./swap-clocks.ts";

/** Clocks known at some slots: [slot, second]. */
function secondsAt(known: readonly (readonly [number, number])[], slot: number, stated?: number) {
  const versions = new AccountVersions();
  for (const [at, second] of known) {
    const clock = { slot: BigInt(at), unixTimestamp: BigInt(second), epoch: 7n };
    versions.add({ address: CLOCK_SYSVAR, account: clockAccount(clock), slot: clock.slot });
  }
  const clocks = swapClocks(versions, BigInt(slot), stated === undefined ? null : BigInt(stated));
  for (const clock of clocks) assert.deepEqual([clock.slot, clock.epoch], [BigInt(slot), 7n]);
  return clocks.map(({ unixTimestamp }) => Number(unixTimestamp));
}

test("a swap's second is the Clock's own, else the stated one, else between its neighbours", () => {
  assert.deepEqual(secondsAt([[10, 100]], 10), [100]);
  assert.deepEqual(secondsAt([[10, 100]], 12, 101), [101]);
  assert.deepEqual(
    secondsAt(
      [
        [10, 100],
        [14, 100],
      ],
      12,
    ),
    [100],
  );
  assert.deepEqual(
    secondsAt(
      [
        [10, 100],
        [20, 104],
      ],
      15,
    ),
    [102, 103, 101],
  );
  assert.deepEqual(secondsAt([[10, 100]], 15), [102, 103, 101]);
  assert.deepEqual(secondsAt([[20, 100]], 15), [98, 99, 97]);
  assert.deepEqual(secondsAt([], 15, 100), [], "without any clock the epoch is unknown");
  assert.deepEqual(secondsAt([[10, 100]], 500), [], "too far away");
});

test("between the clocks of two epochs, the clock of a swap may be of either", () => {
  const versions = new AccountVersions();
  for (const [slot, epoch] of [
    [10n, 7n],
    [14n, 8n],
  ] as const)
    versions.add({
      address: CLOCK_SYSVAR,
      account: clockAccount({ slot, unixTimestamp: 100n, epoch }),
      slot,
    });
  for (const stated of [null, 100n]) {
    const clocks = swapClocks(versions, 12n, stated);
    assert.deepEqual(
      clocks.map(({ epoch, unixTimestamp }) => [epoch, unixTimestamp]),
      [
        [7n, 100n],
        [8n, 100n],
      ],
    );
  }
});
