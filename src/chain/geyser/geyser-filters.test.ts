import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { limitRefusal } from "#test/support/chain/fake-geyser.ts";
import { followAll } from "#test/support/chain/follow-all.ts";
import { OTHER_POOL, POOL, PROGRAM, startChain } from "#test/support/chain/followed-geyser.ts";
import { EventLog } from "#test/support/event-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";

const LIMITS = { filters: 2, addresses: 200 };

test("a program that is followed again is streamed again, also on a stream that was kept for accounts", async (t) => {
  const chain = await startChain(t);
  chain.geyser.refusalOf = (request) => limitRefusal(request, LIMITS);
  const born = new EventLog<AccountUpdate>();
  const someOf = (programId: typeof PROGRAM) => ({ programId, dataSize: 1, memcmp: [] });
  for (const other of [51, 52]) chain.source.followProgram(someOf(testAddress(other)), born.add);
  const third = chain.source.followProgram(someOf(PROGRAM), born.add);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const isStreamed = (): boolean =>
    chain.geyser.subscriptions.some(({ accounts }) =>
      Object.values(accounts).some(({ owner }) => owner.includes(PROGRAM)),
    );
  const streamed = (wanted: boolean) =>
    eventually(`the program is ${wanted ? "" : "not "}streamed`, () =>
      isStreamed() === wanted ? true : null,
    );
  await streamed(true);
  await third.close();
  await streamed(false);
  following.add([OTHER_POOL]);
  await followed(OTHER_POOL);
  chain.source.followProgram(someOf(PROGRAM), born.add);
  await streamed(true);
  chain.set(testAddress(9), 4);
  await born.first(({ address }) => address === testAddress(9), "an account of the program");
  assert.equal(chain.geyser.clientCount, 2);
});
