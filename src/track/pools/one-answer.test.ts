import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress, plainPool, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { assess } from "#src/measure/assess.ts";
import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { loadMarket } from "./load-market.ts";

const MARKETS = 42;

test("the ladder and the exit of any size pay the same on one state", async (t) => {
  const [mint, chain] = [namedAddress("token"), new ScriptedChain()];
  placeMint(chain, mint);
  let compared = 0;
  for (let round = 0; round < MARKETS; round++) {
    for (let pool = 0; pool < 3; pool++) {
      const quote = BigInt(5 + ((round * 37 + pool * 101) % 400)) * SOL;
      const base = quote * BigInt(900 + ((round * 13 + pool * 29) % 200));
      const feeBps = 25 + ((round * 7 + pool * 53) % 300);
      placePool(chain, plainPool(`pool ${pool}`, mint, WSOL), { base, quote }, { feeBps });
    }
    const loaded = await loadMarket(
      { source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } },
      mint,
    );
    assert.equal(loaded.kind, "market");
    const { measurement } = assess(loaded.market);
    for (const profile of ["retail", "pro"] as const) {
      for (const size of STANDARD_SIZES) {
        const exit = exitAt(loaded.market, STANDARD_SIZE_LAMPORTS[size], profile);
        const ladder = measurement && slippageAtSize(measurement[profile], size);
        const slippage = exit.kind === "sold" ? exit.slippagePct : null;
        assert.equal(slippage, ladder, `${round} ${profile} ${size}`);
        compared++;
      }
    }
  }
  assert.ok(compared >= 500);
  t.diagnostic(`${compared} of ${compared} answers agree`);
});
