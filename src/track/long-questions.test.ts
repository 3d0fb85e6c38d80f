import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { placeToken } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { Tracker } from "./tracker.ts";

/** As many as are answered and wait at once. */
const QUESTIONS = 21;

test("questions about one token at once are one question, and keep out none about another token", async (t) => {
  const chain = new ScriptedChain();
  const [popular, other] = [namedAddress("popular"), namedAddress("other")];
  const tracker = new Tracker({
    ...{ source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } },
    database: null,
  });
  closeAfter(t, () => tracker.close());
  for (const mint of [popular, other]) {
    placeToken(chain, mint, 80);
    assert.equal((await tracker.snapshot(mint)).kind, "assessed");
    // Its holders are read now, and not again for a minute.
    await tracker.holdersFirst(mint);
  }
  const asked = Array.from({ length: QUESTIONS }, () => tracker.holdersFirst(popular));
  const answers = await Promise.all([...asked, tracker.holdersFirst(other)]);
  assert.equal(answers.at(-1)?.now.mint, other);
  assert.equal(answers[0]?.now.mint, popular);
  assert.equal(new Set(answers).size, 2);
});
