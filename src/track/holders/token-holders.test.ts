import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { escrowAccount, escrowAddress } from "#demo/jupiter-lock.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { TokenHolders } from "#src/measure/questions/token-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { INCINERATOR, RAYDIUM_LOCK_AUTHORITY } from "#src/venues/share-owner.ts";
import { escrowUntil } from "#test/support/pools/lock-accounts.ts";
import { type PoolAddresses, TokenHolderReads } from "./token-holders.ts";

const MINT = namedAddress("held token");
/** Keypairs' addresses, as wallets have: points of the curve. */
const WALLET = address("7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5");
const OTHER = address("8h4fQdVJPmFkMJ7FzkyCY5EqCn3VdrLQKVuAtuuRNdsZ");
const FARM = findProgramAddress(["farm"], namedAddress("farm program"));
const AUTHORITY = findProgramAddress(["authority"], namedAddress("pool program"));
const CURVE = findProgramAddress(["curve"], namedAddress("curve program"));

type Held = readonly [name: string, owner: Address, amount: bigint];

function readerOf(supply: bigint, held: readonly Held[]) {
  const chain = new ScriptedChain();
  chain.set(MINT, mintAccount({ supply, decimals: 6, slot: 0n }));
  for (const [name, owner, amount] of held) {
    chain.set(namedAddress(name), tokenAccount({ mint: MINT, owner, amount, slot: 0n }));
  }
  const calls: string[] = [];
  const source = {
    findLargestAccounts: (mint: Address) => {
      calls.push("largest");
      return chain.findLargestAccounts(mint);
    },
    readAccounts: (addresses: readonly Address[]) => {
      calls.push(`accounts ${addresses.length}`);
      return chain.readAccounts(addresses);
    },
  };
  const clock = { nowMs: () => chain.nowMs };
  const reads = new TokenHolderReads({ source, clock, signal: new AbortController().signal });
  const ask = (pools: PoolAddresses = new Map()) => reads.of(MINT, pools);
  return { chain, calls, source, ask };
}

function known(holders: TokenHolders): Extract<TokenHolders, { kind: "known" }> {
  assert.ok(holders.kind === "known", JSON.stringify(holders.kind));
  return holders;
}

test("sellers are summed by owner; pools, curves, burned tokens, lockers and programs are not among them", async () => {
  const { ask } = readerOf(1_000n, [
    ["vault", AUTHORITY, 300n],
    ["curve", CURVE, 90n],
    ["burned", INCINERATOR, 80n],
    ["burned too", SYSTEM_PROGRAM, 10n],
    ["locked", RAYDIUM_LOCK_AUTHORITY, 70n],
    ["farm", FARM, 60n],
    ["first", WALLET, 100n],
    ["second", WALLET, 50n],
    ["third", OTHER, 120n],
    ["rest", namedAddress("somebody"), 120n],
  ]);
  const pools = new Map([
    [namedAddress("vault"), "pool"],
    [CURVE, "curve"],
  ] as const);
  const holders = known(await ask(pools));
  const sold = holders.sellers.filter(({ owner }) => owner === WALLET || owner === OTHER);
  assert.deepEqual(sold, [
    { owner: WALLET, baseUnits: 150n },
    { owner: OTHER, baseUnits: 120n },
  ]);
  const reasons = new Map(holders.excluded.map(({ baseUnits, reason }) => [baseUnits, reason]));
  const expected = { 300: "pool", 90: "curve", 80: "burned", 10: "burned", 70: "locker" };
  for (const [amount, reason] of Object.entries({ ...expected, 60: "program" })) {
    assert.equal(reasons.get(BigInt(amount)), reason, amount);
  }
  assert.equal(holders.unlisted, 0n);
});

test("the recipient of a lock can sell its opened tokens, and no holder can sell the rest", async () => {
  const escrow = escrowAddress(namedAddress("base"));
  const { ask, chain, calls } = readerOf(1_000n, [
    ["escrowed", escrow, 900n],
    ["own", WALLET, 100n],
  ]);
  const vests = { mint: MINT, recipient: WALLET, creator: OTHER, base: namedAddress("base") };
  const now = BigInt(chain.nowMs / 1_000);
  const terms = { ...vests, cliffAmount: 300n, period: 60n, perPeriod: 200n, periods: 3n };
  chain.set(escrow, escrowAccount(escrowUntil(now - 60n, terms)));
  const vesting = known(await ask());
  assert.deepEqual(vesting.sellers, [{ owner: WALLET, baseUnits: 600n }]);
  assert.deepEqual(vesting.excluded, [{ owner: escrow, baseUnits: 400n, reason: "locker" }]);
  assert.equal(calls.length, 3);

  chain.set(escrow, escrowAccount(escrowUntil(now - 60n, { ...terms, cancelMode: 1 })));
  chain.nowMs += 60_000;
  const revocable = known(await ask());
  assert.deepEqual(revocable.sellers, [
    { owner: WALLET, baseUnits: 800n },
    { owner: OTHER, baseUnits: 200n },
  ]);
  chain.set(escrow, escrowAccount(escrowUntil(now, { ...terms, mint: WALLET })));
  chain.nowMs += 60_000;
  const undecodable = known(await ask());
  assert.deepEqual(undecodable.excluded, [{ owner: escrow, baseUnits: 900n, reason: "program" }]);
});

test("a wallet that a hostile pool names as its vault's owner is still a seller", async () => {
  const { ask } = readerOf(100n, [["whale", WALLET, 100n]]);
  const claimed = new Map([
    [WALLET, "pool"],
    [namedAddress("whale"), "pool"],
  ] as const);
  assert.deepEqual(known(await ask(claimed)).sellers, [{ owner: WALLET, baseUnits: 100n }]);
});

test("of many holders three calls read the twenty largest once a minute, and the rest is bounded", async () => {
  const many = Array.from(
    { length: 500 },
    (_, index): Held => [`holder ${index}`, WALLET, BigInt(1_000 - index)],
  );
  const supply = many.reduce((sum, [, , amount]) => sum + amount, 0n);
  const { ask, calls, chain } = readerOf(supply, many);
  const holders = known(await ask());
  const largest = many.slice(0, 20).reduce((sum, [, , amount]) => sum + amount, 0n);
  assert.deepEqual(holders.sellers, [{ owner: WALLET, baseUnits: largest }]);
  assert.equal(holders.unlisted, supply - largest);
  await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(calls, ["largest", "accounts 21", "accounts 2"]);
  chain.advance(160);
  await ask();
  assert.equal(calls.length, 6);
});

test("a refused list, a failing node and forged accounts give an unknown with its reason, asked for once a minute", async () => {
  const refused = readerOf(100n, [["only", WALLET, 100n]]);
  refused.source.findLargestAccounts = async () => {
    refused.calls.push("largest");
    return { kind: "refused", reason: "no such method" };
  };
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await refused.ask(), { kind: "unknown", reason: "holders-not-read" });
  }
  assert.equal(refused.calls.length, 1);
  const failing = readerOf(100n, [["only", WALLET, 100n]]);
  failing.source.readAccounts = async () => {
    throw new AppError("chain_unavailable", { publicMessage: "Not just now." });
  };
  assert.deepEqual(await failing.ask(), { kind: "unknown", reason: "holders-not-read" });
  const tooMuch = readerOf(100n, [["only", WALLET, 101n]]);
  assert.deepEqual(await tooMuch.ask(), { kind: "unknown", reason: "holders-do-not-add-up" });
  const tooLittle = readerOf(100n, [["only", WALLET, 99n]]);
  assert.deepEqual(await tooLittle.ask(), { kind: "unknown", reason: "holders-do-not-add-up" });
  const forged = readerOf(100n, [["only", WALLET, 100n]]);
  const foreign = tokenAccount({ mint: namedAddress("x"), owner: WALLET, amount: 1n, slot: 0n });
  forged.chain.set(namedAddress("forged"), foreign);
  forged.source.findLargestAccounts = async () => ({
    kind: "found",
    addresses: [namedAddress("only"), namedAddress("forged")],
  });
  assert.deepEqual(await forged.ask(), { kind: "unknown", reason: "holders-do-not-add-up" });
});
