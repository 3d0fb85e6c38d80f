import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Profile, STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "./assessment.ts";
import { ladderOf, retailScore } from "./ladder.ts";

const SIZES = STANDARD_SIZES.map((size) => STANDARD_SIZE_LAMPORTS[size]);
const FAMILIES = ["pump", "raydium", "meteora", "other"] as const;

test("the retail score follows from the slippages alone, whatever the family", () => {
  const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
  const shares = fc.tuple(share, share, share, share, share, share);
  fc.assert(
    fc.property(shares, fc.constantFrom(...FAMILIES), (paidShares, family) => {
      const paid = SIZES.map((size, index) => {
        const paidShare = paidShares[index] ?? null;
        return paidShare === null ? null : BigInt(Math.floor(paidShare * Number(size)));
      });
      const profile: Profile = "retail";
      const { score, slippagesPct } = ladderOf(paid, profile, family);
      assert.equal(retailScore(slippagesPct), score);
    }),
  );
});
