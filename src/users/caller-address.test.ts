import assert from "node:assert/strict";
import { test } from "node:test";
import { countedAddress } from "./caller-address.ts";

test("an IPv6 address is counted by its /64 in every notation", () => {
  const network = "2001:db8:1:2::/64";
  assert.equal(countedAddress("2001:db8:1:2:3:4:5:6"), network);
  assert.equal(countedAddress("2001:0DB8:0001:0002::1"), network);
  assert.notEqual(countedAddress("2001:db8:1:3::1"), network);
  assert.equal(countedAddress("::1"), "0:0:0:0::/64");
  assert.equal(countedAddress("fe80::1%eth0"), countedAddress("fe80::2"));
});

test("an IPv4-mapped address is counted as IPv4", () => {
  for (const written of ["203.0.113.9", "::ffff:203.0.113.9", "::FFFF:cb00:7109"])
    assert.equal(countedAddress(written), "203.0.113.9");
});

test("M7: a port that a proxy writes after the address does not make callers one", () => {
  assert.equal(countedAddress("203.0.113.9:4444"), "203.0.113.9");
  assert.equal(countedAddress("[2001:db8:1:2::1]:4444"), "2001:db8:1:2::/64");
  assert.equal(countedAddress("[::ffff:203.0.113.9]"), "203.0.113.9");
  assert.equal(countedAddress("2001:db8:1:2::4444"), "2001:db8:1:2::/64");
});

test("all invalid addresses count as one caller", () => {
  for (const written of ["", "unknown", "203.0.113.9, 1.2.3.4", "x".repeat(10_000)])
    assert.equal(countedAddress(written), "unknown");
});
