import assert from "node:assert/strict";
import { test } from "node:test";
import { programAccounts } from "#demo/program-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import { raydiumCpmm } from "#src/venues/raydium-cpmm/adapter.ts";
import {
  type Deployment,
  deployedSlotAt,
  ProgramDeployments,
  type Upgrade,
} from "./program-deployments.ts";

const { id: VENUE, programId: PROGRAM } = raydiumCpmm;

/** A node whose one program a test deploys, and the watch over it. */
function watched(before: readonly Deployment[] = []) {
  const node = {
    slot: 1_000n,
    accounts: new Map<Address, Account | null>(),
    isDown: false,
    reads: 0,
  };
  const seen: Deployment[] = [];
  const upgrades: Upgrade[] = [];
  const unknown: string[] = [];
  const failures: string[] = [];
  const clock = { nowMs: 1 };
  const watch = new ProgramDeployments({
    starts: {
      readAccountStarts: async (addresses, bytes) => {
        node.reads++;
        if (node.isDown) throw new Error("nobody there");
        const accounts = addresses.flatMap((address) => {
          const account = node.accounts.get(address);
          if (account === undefined) return [];
          return [
            [address, account && { ...account, data: account.data.slice(0, bytes) }] as const,
          ];
        });
        return { slot: node.slot, accounts: new Map(accounts) };
      },
    },
    programs: [raydiumCpmm],
    clock: { nowMs: () => clock.nowMs },
    onDeployment: (deployment) => seen.push(deployment),
    onUpgrade: (_venue, upgrade) => upgrades.push(upgrade),
    onUnknown: (_venues, reason) => unknown.push(reason),
    onFailure: (what) => failures.push(what),
  });
  watch.restore(before);
  const deploy = (slot: bigint) => {
    for (const [address, account] of programAccounts(PROGRAM, slot))
      node.accounts.set(address, account);
  };
  const only = () => {
    const [report] = watch.reports();
    assert.ok(report !== undefined);
    return report;
  };
  return { watch, node, deploy, clock, seen, upgrades, unknown, failures, only };
}

test("a program seen for the first time is not an upgrade; one deployed again is, once", async () => {
  const { watch, node, deploy, clock, seen, upgrades, only } = watched();
  assert.deepEqual(only().state, { kind: "unknown", reason: "not-read" });
  deploy(900n);
  await watch.check();
  assert.deepEqual(upgrades, []);
  assert.deepEqual(only().state, { kind: "deployed", slot: 900n, isUpgradeable: true });
  assert.equal(only().readAtMs, 1);

  deploy(1_100n);
  node.slot = 1_101n;
  clock.nowMs = 60_001;
  await watch.check();
  await watch.check();
  const upgrade = { slot: 1_100n, previousSlot: 900n, seenAtMs: 60_001 };
  assert.deepEqual(upgrades, [upgrade]);
  assert.deepEqual(only().upgrade, upgrade);
  assert.deepEqual(
    seen.map(({ slot }) => slot),
    [900n, 1_100n],
  );
});

test("an upgrade while the service was down is noticed from the stored deployments", async () => {
  const { watch, deploy, upgrades } = watched([{ venue: VENUE, slot: 800n, seenAtMs: 0 }]);
  deploy(900n);
  await watch.check();
  assert.deepEqual(upgrades, [{ slot: 900n, previousSlot: 800n, seenAtMs: 1 }]);
});

test("a node behind the deployment changes nothing", async () => {
  const { watch, node, deploy, upgrades, only } = watched([
    { venue: VENUE, slot: 990n, seenAtMs: 0 },
  ]);
  deploy(900n);
  node.slot = 989n;
  await watch.check();
  assert.deepEqual(only().state, { kind: "unknown", reason: "not-read" });
  deploy(990n);
  node.slot = 991n;
  await watch.check();
  assert.deepEqual(upgrades, []);
  assert.deepEqual(only().state, { kind: "deployed", slot: 990n, isUpgradeable: true });
});

test("a node that does not answer, or omits a program, changes nothing", async () => {
  const { watch, node, deploy, clock, failures, unknown, only } = watched();
  deploy(900n);
  await watch.check();
  clock.nowMs = 2;
  node.isDown = true;
  await watch.check();
  assert.equal(failures.length, 1);
  node.isDown = false;
  node.accounts.clear();
  await watch.check();
  assert.deepEqual(only().state, { kind: "deployed", slot: 900n, isUpgradeable: true });
  assert.equal(only().readAtMs, 1, "and it says since when");
  assert.deepEqual(unknown, []);
});

test("a program whose code was closed is unknown, and the operator is notified once", async () => {
  const { watch, node, deploy, unknown, only } = watched();
  deploy(900n);
  await watch.check();
  for (const address of node.accounts.keys())
    if (address !== PROGRAM) node.accounts.set(address, null);
  await watch.check();
  await watch.check();
  assert.deepEqual(only().state, { kind: "unknown", reason: "no-code" });
  assert.deepEqual(unknown, ["no-code"]);
});

test("concurrent checks are one read", async () => {
  const { watch, node, deploy } = watched();
  deploy(900n);
  await Promise.all([watch.check(), watch.check()]);
  assert.equal(node.reads, 1);
});

test("code runs from the slot after its deployment on; before the first known deployment it is unknown", () => {
  const deployments = [
    { venue: VENUE, slot: 100n, seenAtMs: 0 },
    { venue: VENUE, slot: 200n, seenAtMs: 0 },
  ];
  const at = (slot: bigint) => deployedSlotAt(deployments, slot);
  assert.deepEqual([100n, 101n, 200n, 201n].map(at), [null, 100n, 100n, 200n]);
});

test("programs that are unknown for one reason are reported together, and once", async () => {
  const unknown: unknown[] = [];
  const absent = (addresses: readonly Address[]) =>
    new Map(addresses.map((address) => [address, null] as const));
  const watch = new ProgramDeployments({
    starts: {
      readAccountStarts: async (addresses) => ({ slot: 1_000n, accounts: absent(addresses) }),
    },
    programs: [raydiumCpmm, raydiumAmmV4],
    clock: { nowMs: () => 1 },
    onDeployment: () => assert.fail(),
    onUpgrade: () => assert.fail(),
    onUnknown: (venues, reason) => unknown.push([venues, reason]),
    onFailure: () => assert.fail(),
  });
  await watch.check();
  await watch.check();
  assert.deepEqual(unknown, [[["raydium-cpmm", "raydium-amm-v4"], "no-such-account"]]);
  await watch.close();
});
