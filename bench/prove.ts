import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { readRecordedFile } from "#src/accuracy/recorded-file.ts";
import { replay } from "#src/accuracy/replay-recorded.ts";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { prepareSale } from "#src/proof/prepare-sale.ts";
import { loadNative } from "#src/proof/vm/native.ts";
import { Vm } from "#src/proof/vm/vm.ts";
import { LOADER_V3 } from "#src/units/known-addresses.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import type { VenueSale } from "#src/venues/venue-sale.ts";
import { programFile } from "../tools/program-files.ts";
import { readOptions } from "./support/options.ts";

/**
 * The model against the compiled programs: random states of recorded executions with random amounts,
 * executed in the VM. Needs the programs (`tools/fetch-programs.ts`, PROGRAMS_DIR) and ../shared.
 */

const known = VENUE_SALES.map(({ venue }) => venue);
const { values } = readOptions("The model compared with the compiled programs on random states.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  only: { type: "string", choices: known, help: "one venue" },
  states: { type: "string", default: "1000", help: "of each venue" },
  show: { type: "string", default: "3", help: "differences printed for each venue" },
});

/** Recordings made by another build than the one at hand are left out. */
const RECORDINGS: Readonly<Record<string, string>> = {
  "pump-curve": "pump-curve.bytecode",
  pumpswap: "pumpswap.bytecode",
};
const OTHER_BUILD = "compiled natively";
const SHARED = new URL("../../shared/executions/", import.meta.url).pathname;

type Row = {
  readonly venue: string;
  readonly states: number;
  readonly paidEqual: number;
  readonly refusedEqual: number;
  readonly different: number;
  readonly unbuildable: number;
  readonly microsPerExecution: number;
  readonly computeUnits: number;
  readonly programs: number;
  readonly programBytes: number;
  readonly memoryMb: number;
  readonly loadMs: number;
};

for (const sale of VENUE_SALES) {
  if (values.only !== undefined && values.only !== sale.venue) continue;
  const row = await measure(sale);
  if (row === null) console.error(`${sale.venue}: its programs or recordings are not here`);
  else if (values.json) console.log(JSON.stringify(row));
  else console.log(lineOf(row));
}

async function measure(sale: VenueSale): Promise<Row | null> {
  const codes = sale.programs.map((programId) => ({ programId, code: programFile(programId) }));
  if (codes.some(({ code }) => code === null)) return null;
  const recorded = await readStates(sale);
  if (recorded.length === 0) return null;
  const vm = new Vm(loadNative());
  globalThis.gc?.();
  const emptyBytes = process.memoryUsage().rss;
  const startedMs = performance.now();
  for (const { programId, code } of codes) {
    if (code !== null) vm.load({ programId, loader: LOADER_V3, code });
  }
  const loadMs = performance.now() - startedMs;
  const memoryMb = (process.memoryUsage().rss - emptyBytes) / 2 ** 20;
  const counted = execute(vm, sale, recorded);
  return {
    venue: sale.venue,
    states: Number(values.states),
    ...counted,
    programs: codes.length,
    programBytes: codes.reduce((sum, { code }) => sum + (code?.length ?? 0), 0),
    memoryMb: Math.round(memoryMb * 10) / 10,
    loadMs: Math.round(loadMs),
  };
}

function execute(vm: Vm, sale: VenueSale, recorded: readonly RecordedExecution[]) {
  const random = seededRandom(Number(values.seed));
  const counts = { paidEqual: 0, refusedEqual: 0, different: 0, unbuildable: 0 };
  let shown = 0;
  let micros = 0;
  let computeUnits = 0;
  for (let state = 0; state < Number(values.states); state++) {
    const execution = randomOrder(random, recorded);
    const prepared = prepareSale(sale, execution, {
      get: (address) => execution.accounts.get(address) ?? null,
    });
    if (prepared.kind !== "prepared") {
      counts.unbuildable++;
      continue;
    }
    const startedMs = performance.now();
    const [result] = vm.execute({
      accounts: prepared.accounts,
      steps: [prepared.step],
      clock: execution.clock,
    });
    micros += (performance.now() - startedMs) * 1_000;
    computeUnits += Number(result?.computeUnits ?? 0n);
    const executed = result?.kind === "executed" ? result[prepared.paidIn] : null;
    const modelled = replay(execution);
    if (executed === modelled.amountOut) {
      if (executed === null) counts.refusedEqual++;
      else counts.paidEqual++;
      continue;
    }
    counts.different++;
    if (shown++ < Number(values.show)) {
      const reason = result?.kind === "refused" ? result.reason : "paid";
      const order = `${execution.pool} sells ${execution.amountIn}`;
      const said = `modelled ${modelled.amountOut} (${modelled.reason}), executed ${executed} (${reason})`;
      console.error(`${sale.venue}: ${order}: ${said}`);
    }
  }
  const runs = Number(values.states) - counts.unbuildable;
  return {
    ...counts,
    microsPerExecution: Math.round(micros / runs),
    computeUnits: Math.round(computeUnits / runs),
  };
}

/** A recorded state and direction, with an amount from one unit to sixteen times the recorded one. */
function randomOrder(random: Random, recorded: readonly RecordedExecution[]): RecordedExecution {
  const one = recorded[Math.floor(random() * recorded.length)];
  if (one === undefined) throw new Error("no recorded execution");
  const bits = one.amountIn.toString(2).length + 4;
  const mantissa = BigInt(Math.floor(random() * 2 ** 32)) | (1n << 32n);
  const amount = (mantissa << BigInt(Math.floor(random() * bits))) >> 32n;
  const amountIn = amount < 1n ? 1n : amount >= 1n << 64n ? (1n << 64n) - 1n : amount;
  return { ...one, amountIn };
}

/** One execution of each state and direction; purchases on a curve are left out. */
async function readStates({ venue }: VenueSale): Promise<readonly RecordedExecution[]> {
  const found: RecordedExecution[] = [];
  const path = `${SHARED}${RECORDINGS[venue] ?? venue}.jsonl.gz`;
  for await (const { content } of readRecordedFile(path)) {
    if (content.kind !== "execution") continue;
    if (content.execution.venue !== venue || content.executedBy?.includes(OTHER_BUILD)) continue;
    found.push(content.execution);
  }
  return found;
}

function lineOf(row: Row): string {
  return [
    row.venue.padEnd(16),
    `${row.paidEqual} paid alike, ${row.refusedEqual} refused alike, ${row.different} different`,
    row.unbuildable === 0 ? "" : `, ${row.unbuildable} without a sale`,
    `; ${row.microsPerExecution} us, ${row.computeUnits} compute units`,
    `; ${row.programs} programs, ${row.programBytes} bytes, ${row.memoryMb} MB, loaded in ${row.loadMs} ms`,
  ].join("");
}
