import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { address, bytesOf } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import { metadataAddress, NO_NAMES, tokenNames } from "./token-names.ts";

const MINT = namedAddress("token");
const PROGRAM = address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s");

function metadata(name: string, symbol: string): Account {
  const parts = [name, symbol].map((text) => new TextEncoder().encode(text));
  const data = new Uint8Array(200 + parts.reduce((sum, part) => sum + part.length, 0));
  data[0] = 4;
  data.set(bytesOf(MINT), 33);
  let offset = 65;
  for (const part of parts) {
    new DataView(data.buffer).setUint32(offset, part.length, true);
    data.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return { owner: PROGRAM, lamports: 1n, data, slot: 1n };
}

function named(name: string, symbol: string) {
  return tokenNames({ address: MINT, facts: null }, metadata(name, symbol));
}

test("the metadata address of Wrapped SOL is the one on mainnet", () => {
  assert.equal(
    metadataAddress(address("So11111111111111111111111111111111111111112")),
    "6dM4TqWyWJsbx7obrdLcviBkTafD5E8av61zfU6jq57X",
  );
});

test("padding is removed from a name", () => {
  assert.deepEqual(named("Coin\0\0\0\0", "COIN\0\0"), { name: "Coin", symbol: "COIN" });
});

test("the mint's own metadata comes first", () => {
  const facts = { metadata: { name: "Own", symbol: "OWN" } } as Mint;
  assert.deepEqual(tokenNames({ address: MINT, facts }, metadata("Other", "OTHER")), {
    name: "Own",
    symbol: "OWN",
  });
});

test("hostile names stay text: cut, without control or direction marks", () => {
  const { name, symbol } = named(`\u202Eevil\u0007<script>${"x".repeat(500)}`, "\u200B\u0000");
  assert.equal(name, `evil<script>${"x".repeat(52)}`);
  assert.equal(symbol, null);
});

test("metadata of another mint or program, or broken metadata, gives no name", () => {
  const account = metadata("Coin", "COIN");
  const mint = { address: namedAddress("another"), facts: null };
  assert.deepEqual(tokenNames(mint, account), NO_NAMES);
  const stranger = { ...account, owner: namedAddress("stranger") };
  assert.deepEqual(tokenNames({ address: MINT, facts: null }, stranger), NO_NAMES);
  assert.deepEqual(tokenNames({ address: MINT, facts: null }, null), NO_NAMES);
});

test("any bytes give names of bounded length or none", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isHeaded) => {
      const data = Uint8Array.from(bytes);
      if (isHeaded && data.length > 65) data.set(metadata("", "").data.subarray(0, 65));
      const account = { owner: PROGRAM, lamports: 1n, data, slot: 1n };
      const { name, symbol } = tokenNames({ address: MINT, facts: null }, account);
      assert.ok([...(name ?? "")].length <= 64);
      assert.ok([...(symbol ?? "")].length <= 24);
    }),
    { numRuns: 300 },
  );
});
