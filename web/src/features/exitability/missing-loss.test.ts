import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../../lib/text/en.ts";
import { missingLoss } from "./missing-loss.ts";

test("a missing loss means no exit only where the family's sizes are known to be measured", () => {
  for (const [isOther, sizeSol, text] of [
    [false, 50, "no exit"],
    [true, 50, "not measured above 10 SOL"],
    [null, 50, "unknown"],
    [true, 10, "no exit"],
    [null, 10, "no exit"],
  ] as const)
    assert.equal(missingLoss(en, { isOther, sizeSol }), text);
});
