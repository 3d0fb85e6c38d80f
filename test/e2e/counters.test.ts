import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import { eachDatabasePlace } from "#test/support/databases/databases.ts";
import { startTestService } from "#test/support/processes/service.ts";

const MINT = "HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump";
const LIMIT = 5;
const MOST_REPEATS = 10;

/**
 * Asks for a token without pools, which counts, from an address of its own. A request that is refused for
 * the load of the machine does not count, and is repeated.
 */
async function ask(url: string, address: string): Promise<Response> {
  for (let repeats = 0; ; repeats++) {
    const response = await fetch(`${url}/api/token/${MINT}/exitability`, {
      headers: { "x-forwarded-for": address },
    });
    await response.arrayBuffer();
    if (response.status !== 503 || repeats === MOST_REPEATS) return response;
    await pause(Number(response.headers.get("retry-after")) * 1_000);
  }
}

test("after kill -9 in the middle no count is lower than what was answered", async (t) => {
  await eachDatabasePlace(t, async (t, place) => {
    const first = await startTestService(t, place, { TRUST_PROXY: "1" });
    await avoidMidnight();
    const addresses = Array.from({ length: 60 }, (_, index) => `198.51.100.${index}`);
    const answered = new Map<string, number>(addresses.map((address) => [address, 0]));
    let answers = 0;
    const asking = addresses.map(async (address) => {
      for (let call = 0; call < LIMIT - 1; call++) {
        const response = await ask(first.url, address);
        if (response.status === 404) answered.set(address, (answered.get(address) ?? 0) + 1);
        if (++answers === 100) void first.kill();
      }
    });
    const outcomes = await Promise.allSettled(asking);
    assert.ok(
      outcomes.some(({ status }) => status === "rejected"),
      "it was killed in the middle",
    );
    const second = await startTestService(t, place, { TRUST_PROXY: "1" });
    for (const address of addresses) {
      const response = await ask(second.url, address);
      const used = LIMIT - Number(response.headers.get("x-ratelimit-remaining"));
      const expected = (answered.get(address) ?? 0) + 1;
      assert.ok(used >= expected, `${address}: ${used} counted, ${expected} answered`);
    }
    await second.stop();
  });
});

test("200 parallel requests of one address pass exactly 5, whatever it writes into X-Forwarded-For", async (t) => {
  await eachDatabasePlace(t, async (t, place) => {
    const service = await startTestService(t, place, { TRUST_PROXY: "1" });
    await avoidMidnight();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(service.url, `10.0.0.${index}, 203.0.113.9`)),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 404).length, LIMIT);
    assert.equal(statuses.filter((status) => status === 429).length, 200 - LIMIT);
    assert.equal(await service.stop(), 0);
  });
});
