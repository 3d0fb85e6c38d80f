import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Clock } from "../venue.ts";
import { isConsistent, openedBy, stillLocked, type Vesting } from "./vesting.ts";

const at = (unixTimestamp: bigint): Clock => ({ slot: 0n, unixTimestamp, epoch: 0n });

const schedules = fc.record({
  cliffAt: fc.bigInt({ min: 1n, max: 5_000n }),
  cliffAmount: fc.bigInt({ min: 0n, max: 1_000n }),
  period: fc.bigInt({ min: 1n, max: 500n }),
  perPeriod: fc.bigInt({ min: 0n, max: 1_000n }),
  periods: fc.bigInt({ min: 0n, max: 30n }),
});
const moments = fc.bigInt({ min: 0n, max: 25_000n });

type Schedule = typeof schedules extends fc.Arbitrary<infer Value> ? Value : never;

function vestingOf({ periods, ...fields }: Schedule): Vesting {
  const total = fields.cliffAmount + fields.perPeriod * periods;
  return { counts: "seconds", ...fields, total, endsAt: null, released: 0n };
}

test("the opened amount is counted like in Jupiter Lock and DAMM v2: the cliff, then whole periods", () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, now) => {
      const { cliffAt, cliffAmount, period, perPeriod, periods } = schedule;
      let expected = 0n;
      if (now >= cliffAt) {
        expected = cliffAmount;
        for (let nth = 1n; nth <= periods && cliffAt + nth * period <= now; nth++)
          expected += perPeriod;
      }
      assert.equal(openedBy(vestingOf(schedule), at(now)), expected);
    }),
  );
});

test("the locked rest opens at the named moments, and not a second before", () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, now) => {
      const vesting = vestingOf(schedule);
      const locked = stillLocked(vesting, at(now));
      if (locked === null) return assert.equal(openedBy(vesting, at(now)), vesting.total);
      const { amount, next, last } = locked;
      assert.equal(amount + openedBy(vesting, at(now)), vesting.total);
      assert.ok(now < next.at && next.at <= last.at);
      assert.equal(openedBy(vesting, at(next.at - 1n)), openedBy(vesting, at(now)));
      assert.ok(openedBy(vesting, at(next.at)) > openedBy(vesting, at(now)));
      assert.ok(openedBy(vesting, at(last.at - 1n)) < vesting.total);
      assert.equal(openedBy(vesting, at(last.at)), vesting.total);
    }),
  );
});

test("an incomplete last period pays the rest, and an end opens everything", () => {
  const vesting: Vesting = {
    counts: "seconds",
    ...{ cliffAt: 100n, cliffAmount: 10n, period: 10n, perPeriod: 40n },
    ...{ total: 100n, endsAt: null, released: 0n },
  };
  const opened = [99n, 100n, 110n, 120n, 130n].map((now) => openedBy(vesting, at(now)));
  assert.deepEqual(opened, [0n, 10n, 50n, 90n, 100n]);
  assert.equal(stillLocked(vesting, at(0n))?.last.at, 130n);
  const ending = { ...vesting, endsAt: 115n };
  assert.equal(openedBy(ending, at(115n)), 100n);
  assert.equal(stillLocked(ending, at(0n))?.last.at, 115n);
});

test("a schedule in slots depends only on the slot", () => {
  const vesting: Vesting = {
    counts: "slots",
    ...{ cliffAt: 50n, cliffAmount: 7n, period: 0n, perPeriod: 0n },
    ...{ total: 7n, endsAt: null, released: 0n },
  };
  const clock = { slot: 49n, unixTimestamp: 1_000_000n, epoch: 0n };
  assert.equal(stillLocked(vesting, clock)?.amount, 7n);
  assert.equal(stillLocked(vesting, { ...clock, slot: 50n }), null);
});

test("terms that no program would write are inconsistent: more taken out than open, or no end", () => {
  const vesting = vestingOf({
    ...{ cliffAt: 10n, cliffAmount: 5n, period: 10n, perPeriod: 5n, periods: 2n },
  });
  assert.ok(isConsistent({ ...vesting, released: 5n }, at(10n)));
  assert.ok(!isConsistent({ ...vesting, released: 6n }, at(10n)));
  assert.ok(!isConsistent({ ...vesting, period: 0n }, at(10n)));
  assert.ok(!isConsistent({ ...vesting, perPeriod: 0n }, at(10n)));
});
