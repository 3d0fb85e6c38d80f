import assert from "node:assert/strict";
import { test } from "node:test";
import type { PastDay } from "#client/openapi.ts";
import { en } from "../../lib/text/en.ts";
import { es } from "../../lib/text/es.ts";
import { missingWaits, WAITED } from "./missing-waits.ts";

test("what a day can't say of waiting is listed, with the samples that it needs", () => {
  const known = { observations: 400 };
  const day = { waiting: { "1": { "10": known, "60": null, "300": null } } } as unknown as PastDay;
  assert.deepEqual(missingWaits(day, "1"), ["60", "300"]);
  assert.deepEqual(missingWaits(day, "5"), WAITED);
  for (const { exit } of [en, es]) {
    const sentence = exit.past.tooFewSamples(missingWaits(day, "1"));
    assert.match(sentence, /60 s.*17/);
    assert.doesNotMatch(sentence, /10 s/);
  }
});
