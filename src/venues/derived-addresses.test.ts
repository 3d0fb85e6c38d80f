import assert from "node:assert/strict";
import { test } from "node:test";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { DerivedAddresses } from "./derived-addresses.ts";

test("an address is derived once, and again after the memory was full", () => {
  const asked: string[] = [];
  const addresses = new DerivedAddresses(3, (pool, index) => {
    asked.push(`${pool} ${index}`);
    return testAddress(100 + index);
  });
  const [one, two] = [testAddress(1), testAddress(2)];
  assert.equal(addresses.get(one, 5), testAddress(105));
  assert.equal(addresses.get(one, 5), testAddress(105));
  assert.equal(addresses.get(two, 5), testAddress(105));
  assert.equal(addresses.get(one, -6), testAddress(94));
  assert.deepEqual(asked, [`${one} 5`, `${two} 5`, `${one} -6`]);
  addresses.get(two, 7);
  addresses.get(one, 5);
  assert.deepEqual(asked.slice(3), [`${two} 7`, `${one} 5`]);
});
