import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { ByteWriter } from "#demo/byte-writer.ts";
import { positionAccount } from "#demo/programs/meteora-dlmm-accounts.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { POSITION as DLMM_POSITION, LB_PAIR } from "#src/venues/meteora-dlmm/layout.ts";
import { dlmmAccounts, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { holdersReader, NOW, WALLET } from "#test/support/pools/locked-shares.ts";

test("a DLMM position counts for its owner from its release on, in seconds or slots as its pair counts", async () => {
  const SUPPLY = 1_000_000n;
  for (const [countsSlots, point, isLocked] of [
    [false, NOW + 60n, true],
    [false, NOW, false],
    [true, 1_001n, true],
    [true, 1_000n, false],
  ] as const) {
    const chain = new ScriptedChain();
    const bins = [{ id: -1, x: 0n, y: 5_000n, share: SUPPLY, supply: SUPPLY }];
    const known = dlmmAccounts({ bins, activeId: 0 });
    const pair = known.get(PAIR);
    assert.ok(pair);
    pair.data[LB_PAIR.activationType] = countsSlots ? 0 : 1;
    const range = { pair: PAIR, owner: WALLET, lower: -1, upper: 0 };
    const position = positionAccount(range, [{ id: -1, liquiditySupply: SUPPLY }], 1n);
    new ByteWriter(position.data).u64(DLMM_POSITION.lockReleasePoint, point);
    chain.set(namedAddress("position"), position);
    const shares = meteoraDlmm.shares(PAIR, known);
    assert.ok(shares?.kind === "ranged");
    const outline = meteoraDlmm.outline(PAIR, known);
    assert.ok(outline);
    const found = await holdersReader(chain)({ pool: PAIR, quoteMint: outline.mintB, shares });
    assert.equal(found.ranged?.byOwner.has(WALLET), !isLocked);
    assert.deepEqual(
      found.owners.map(({ shares }) => shares),
      isLocked ? [] : [5_000n],
    );
    assert.deepEqual(
      found.locks.map(({ locker, owner, shares }) => [locker, owner, shares]),
      isLocked ? [["meteora-dlmm", WALLET, 5_000n]] : [],
    );
  }
});
