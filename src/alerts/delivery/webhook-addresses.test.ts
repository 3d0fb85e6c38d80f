import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRanges, reachOf } from "./webhook-addresses.ts";

test("private, loopback, link-local, metadata, shared and reserved addresses are closed, however written", () => {
  for (const address of [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "localhost",
    "",
  ])
    assert.equal(reachOf(address, []), "closed", address);
});

test("public addresses are open, also as an IPv6 form of themselves", () => {
  for (const address of [
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
  ])
    assert.equal(reachOf(address, []), "public", address);
});

test("the operator's ranges open what lies in them, and nothing beside", () => {
  const allowed = parseRanges(["127.0.0.0/8", "10.1.2.3", "fd00::/8"]);
  for (const address of ["127.0.0.1", "10.1.2.3", "fd12::1", "::ffff:127.0.0.1"])
    assert.equal(reachOf(address, allowed), "opened", address);
  for (const address of ["10.1.2.4", "::1", "169.254.169.254", "fe80::1"])
    assert.equal(reachOf(address, allowed), "closed", address);
  assert.throws(() => parseRanges(["localhost"]), /not an address range/);
  assert.throws(() => parseRanges(["10.1.2"]), /not an address range/);
  assert.throws(() => parseRanges(["10.0.0.0/64"]), /not an address range/);
});
