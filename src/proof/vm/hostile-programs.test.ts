import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { legacyTransaction } from "#src/proof/legacy-transaction.ts";
import { prepareSale } from "#src/proof/prepare-sale.ts";
import { address } from "#src/units/address.ts";
import { LOADER_V3, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { compiledPrograms } from "#test/support/chain/programs.ts";
import {
  divide,
  EXIT,
  jump,
  read,
  type SbpfInstruction,
  sbpfProgram,
  setRegister,
} from "#test/support/chain/sbpf-program.ts";
import { closeAfter } from "#test/support/ending.ts";
import { executionsOf, sharedPath } from "#test/support/pools/executions.ts";
import { VmError, VmHost } from "./vm-host.ts";
import type { VmRun } from "./vm-messages.ts";

const HOSTILE = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
const PAYER = address("E2fNPeKLJqN3G8oh4RwG8kUDtGak9nfTFeLBbcT23vio");
const CLOCK = { slot: 1n, unixTimestamp: 1n, epoch: 0n };
const COMPUTE_UNITS = 1_400_000n;
const MANGLED = 40;

/** One call of the hostile program. */
const CALL: VmRun = {
  accounts: [],
  clock: CLOCK,
  steps: [
    {
      seller: [
        {
          address: PAYER,
          account: { owner: SYSTEM_PROGRAM, lamports: 10n ** 10n, data: new Uint8Array() },
        },
      ],
      attempts: [
        legacyTransaction(PAYER, { programId: HOSTILE, accounts: [], data: new Uint8Array() }),
      ],
      wallet: PAYER,
      tokenAccount: HOSTILE,
    },
  ],
};

function openVm(t: TestContext): VmHost {
  const vm = new VmHost();
  closeAfter(t, () => vm.close());
  return vm;
}

/** A recorded sale by a compiled program; null: skipped. */
async function recordedSale(t: TestContext, venue: VenueId, file: string) {
  const sale = VENUE_SALES.find((known) => known.venue === venue);
  assert.ok(sale !== undefined);
  const path = sharedPath(t, "executions", `${file}.jsonl.gz`);
  const programs = path === null ? null : compiledPrograms(t, sale.programs);
  if (path === null || programs === null) return null;
  for await (const { execution } of executionsOf(path)) {
    if (execution.amountOut === null) continue;
    const known = { get: (key: typeof HOSTILE) => execution.accounts.get(key) ?? null };
    const prepared = prepareSale(sale, execution, known);
    if (prepared.kind !== "prepared") continue;
    const { accounts, step, paidIn } = prepared;
    const run: VmRun = { accounts, steps: [step], clock: execution.clock };
    return { programs, run, paidIn, amountOut: execution.amountOut };
  }
  return assert.fail("no recorded sale can be built");
}

const PROGRAMS: readonly (readonly [string, readonly SbpfInstruction[], RegExp])[] = [
  ["loops for ever", [jump(-1)], /exceeded CUs meter/],
  [
    "reads memory that is not its own",
    [setRegister(2, 1), read(0, 2), EXIT],
    /[Aa]ccess violation/,
  ],
  ["divides by zero", [setRegister(0, 5), setRegister(1, 0), divide(0, 1), EXIT], /divi/],
  ["returns an error", [setRegister(0, 7), EXIT], /^program error 7/],
];

for (const [what, instructions, reason] of PROGRAMS) {
  test(`a program that ${what} is refused with the reason, within the compute limit, and the VM goes on`, async (t) => {
    const vm = openVm(t);
    await vm.load({ programId: HOSTILE, loader: LOADER_V3, code: sbpfProgram(instructions) });
    const [refused] = await vm.execute(CALL);
    assert.ok(refused?.kind === "refused");
    assert.match(refused.reason, reason);
    assert.ok(refused.computeUnits <= COMPUTE_UNITS);
    const honest = sbpfProgram([setRegister(0, 0), EXIT]);
    await vm.load({ programId: HOSTILE, loader: LOADER_V3, code: honest });
    const [executed] = await vm.execute(CALL);
    assert.equal(executed?.kind, "executed");
  });
}

test("a program that was never loaded is refused with the reason", async (t) => {
  const [refused] = await openVm(t).execute(CALL);
  assert.ok(refused?.kind === "refused");
  assert.match(refused.reason, /can't be executed/);
});

test("a program that calls one that is not there is refused, and pays once it is", async (t) => {
  const sale = await recordedSale(t, "pump-curve", "pump-curve.bytecode");
  if (sale === null) return;
  const vm = openVm(t);
  const [own, ...called] = sale.programs;
  assert.ok(own !== undefined && called.length > 0);
  await vm.load(own);
  const [refused] = await vm.execute(sale.run);
  assert.equal(refused?.kind, "refused");
  for (const program of called) await vm.load(program);
  const [executed] = await vm.execute(sale.run);
  assert.ok(executed?.kind === "executed");
  assert.equal(executed[sale.paidIn], sale.amountOut);
});

test("each account that a sale needs can be absent: it is refused with a reason or does not matter", async (t) => {
  const sale = await recordedSale(t, "raydium-amm-v4", "raydium-amm-v4");
  if (sale === null) return;
  const vm = openVm(t);
  for (const program of sale.programs) await vm.load(program);
  let refusals = 0;
  for (const { address: absent } of sale.run.accounts) {
    const accounts = sale.run.accounts.map((entry) =>
      entry.address === absent ? { address: absent, account: null } : entry,
    );
    const [result] = await vm.execute({ ...sale.run, accounts });
    assert.ok(result !== undefined);
    if (result.kind === "refused") {
      refusals++;
      assert.ok(result.reason.length > 0);
    } else assert.equal(result[sale.paidIn], sale.amountOut);
  }
  assert.ok(refusals > 0);
  const [executed] = await vm.execute(sale.run);
  assert.ok(executed?.kind === "executed");
  assert.equal(executed[sale.paidIn], sale.amountOut);
});

test("mangled code is refused or runs within the compute limit, and the program itself pays as before", async (t) => {
  const sale = await recordedSale(t, "raydium-amm-v4", "raydium-amm-v4");
  if (sale === null) return;
  const vm = openVm(t);
  const [program] = sale.programs;
  assert.ok(program !== undefined);
  const random = seededRandom(21);
  let refused = 0;
  for (let round = 0; round < MANGLED; round++) {
    const code = mangled(program.code, random);
    try {
      await vm.load({ ...program, code });
      const [result] = await vm.execute(sale.run);
      assert.ok(result !== undefined && result.computeUnits <= COMPUTE_UNITS);
    } catch (cause) {
      assert.ok(cause instanceof VmError, String(cause));
      refused++;
    }
  }
  assert.ok(refused > 0 && refused < MANGLED, `${refused} of ${MANGLED} refused`);
  await vm.load(program);
  const [executed] = await vm.execute(sale.run);
  assert.ok(executed?.kind === "executed");
  assert.equal(executed[sale.paidIn], sale.amountOut);
});

/** Cut off, or with up to a thousand bytes overwritten, half of the time in its headers. */
function mangled(code: Uint8Array, random: () => number): Uint8Array {
  if (random() < 0.2) return code.slice(0, Math.floor(random() * code.length));
  const bytes = Uint8Array.from(code);
  const reach = random() < 0.5 ? 4_096 : bytes.length;
  const count = 1 + Math.floor(random() * (reach === 4_096 ? 8 : 1_000));
  for (let change = 0; change < count; change++) {
    bytes[Math.floor(random() * reach)] = Math.floor(random() * 256);
  }
  return bytes;
}
