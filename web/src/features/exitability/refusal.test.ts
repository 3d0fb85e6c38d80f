import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../lib/api.ts";
import { holds, isLimitOfMinute, isWholePage, refusalOf } from "./refusal.ts";

const refused = (status: number, error: string, message = "") =>
  new ApiError(status, { error, message }, 5_000);
const MINUTE = refused(
  429,
  "rate_limit_exceeded",
  "You have used 120 of 120 queries this minute; wait for the window to open.",
);
const DAY = refused(
  429,
  "rate_limit_exceeded",
  "You have used 5 of 5 queries today; the count starts again.",
);

test("a limit or an unreachable chain takes no figures away that were answered before", () => {
  for (const refusal of [MINUTE, DAY, refused(503, "chain_unavailable")]) {
    assert.equal(refusalOf(refusal), refusal);
    assert.equal(isWholePage(refusal, true), false);
    assert.equal(isWholePage(refusal, false), true);
  }
  assert.equal(isWholePage(refused(404, "not_found"), true), true);
});

test("an error about the sale alone, or without an answer, does not refuse the page", () => {
  for (const error of [
    refused(400, "invalid_size"),
    refused(500, "server_error"),
    new Error("lost"),
    null,
  ])
    assert.equal(refusalOf(error), null);
});

test("only a limit of a minute is one, and it holds until its time is over", () => {
  assert.deepEqual([MINUTE, DAY].map(isLimitOfMinute), [true, false]);
  assert.equal(holds(MINUTE, 4_999), true);
  assert.equal(holds(MINUTE, 5_000), false);
  assert.equal(holds(DAY, 4_999), false);
});
