import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { formatTable } from "#src/cli/output.ts";
import { PLANNED_VENUES, type PoolPlan } from "./adversary/pool-plan.ts";
import { saveMarket } from "./adversary/save-market.ts";
import { readOptions, requireCheckout } from "./support/options.ts";
import { median } from "./support/quantile.ts";

/**
 * CPU time of one assessment for one to ten pools (`--counts`), from bound pools to the answer. With `--against
 * CHECKOUT` the same recordings are measured there too, alternating, and the ratio is printed;
 * medians of `--rounds`.
 */

const { values } = readOptions("CPU time of one assessment by the number of pools.", {
  json: { type: "boolean", default: false },
  against: { type: "string", help: "another checkout, measured in turns" },
  rounds: { type: "string", default: "5" },
  counts: { type: "string", default: "1,2,3,4,5,6,7,8,9,10", help: "numbers of pools" },
  root: { type: "string", help: "of a child process: the checkout" },
  folder: { type: "string", help: "of a child process: the recording" },
  mint: { type: "string", help: "of a child process: the token" },
});

requireCheckout(values.against);

/** The optimiser needs a second and a half; before that its own work is most of what is measured. */
const WARM_UP_MS = 2_000;
const MEASURED_MS = 500;
const here = resolve(import.meta.dirname, "..");

type Row = {
  readonly kind: string;
  readonly pools: number;
  readonly us: number;
  readonly before: number | null;
};

if (values.root !== undefined)
  console.log(await timeIn(values.root, values.folder ?? "", values.mint ?? ""));
else print(await compareAll());

async function compareAll(): Promise<readonly Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), "exitability-assess-"));
  const rows: Row[] = [];
  for (const kind of ["constant product", "all venues"]) {
    for (const pools of values.counts.split(",").map(Number)) {
      const folder = join(scratch, `${kind.replace(" ", "-")}-${pools}`);
      const mint = await saveMarket(folder, {
        seed: pools,
        unitLamports: 0.001,
        supplySol: 20_000,
        pools: plansOf(kind, pools),
      });
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        if (values.against !== undefined)
          theirs.push(await timeInChild(values.against, folder, mint));
        ours.push(await timeInChild(here, folder, mint));
      }
      const before = theirs.length === 0 ? null : median(theirs);
      rows.push({ kind, pools, us: median(ours), before });
    }
  }
  return rows;
}

function plansOf(kind: string, count: number): readonly PoolPlan[] {
  return Array.from({ length: count }, (_, index): PoolPlan => {
    const venue = kind === "all venues" ? PLANNED_VENUES[index % PLANNED_VENUES.length] : undefined;
    return {
      venue: venue ?? (index % 2 === 0 ? "raydium-amm-v4" : "raydium-cpmm"),
      sol: 400 / (index + 1),
      price: 0.001 * (1 + 0.001 * ((index * 7) % 5) - 0.002),
      feePct: index % 3 === 0 ? 0.25 : 1,
      range: venue === "meteora-dlmm" ? 0.3 : 1,
      sells: true,
      quote: "sol",
      opensLater: false,
    };
  });
}

async function timeInChild(root: string, folder: string, mint: string): Promise<number> {
  const args = [import.meta.filename, "--root", root, "--folder", folder, "--mint", mint];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return Number(stdout.trim());
}

/** The parts of a checkout that this bench uses; earlier ones have two of them elsewhere. */
type Checkout = {
  readonly assess: (market: unknown) => unknown;
  readonly loadMarket: (deps: unknown, mint: string) => Promise<{ readonly market?: unknown }>;
  readonly openChain: (
    config: unknown,
    deps: unknown,
  ) => Promise<{ readonly source: unknown; readonly close: () => Promise<void> }>;
  readonly readConfig: (env: Record<string, string>) => { readonly chain: unknown };
  readonly VENUES: unknown;
};

async function importCheckout(root: string): Promise<Checkout> {
  const load = async (...paths: readonly string[]): Promise<Partial<Checkout>> => {
    for (const path of paths) {
      try {
        return (await import(pathToFileURL(join(root, "src", path)).href)) as Partial<Checkout>;
      } catch (error) {
        if (path === paths.at(-1)) throw error;
      }
    }
    return {};
  };
  return {
    ...(await load("measure/assess.ts")),
    ...(await load("track/pools/load-market.ts")),
    ...(await load("app/open-chain.ts", "open-chain.ts")),
    ...(await load("app/config.ts", "config.ts")),
    ...(await load("venues/all.ts")),
  } as Checkout;
}

/** Microseconds of CPU time for one assessment. */
async function timeIn(root: string, folder: string, mint: string): Promise<number> {
  const { assess, loadMarket, openChain, readConfig, VENUES } = await importCheckout(root);
  const nowMs = () => Date.now();
  // Earlier checkouts take the function alone.
  const time = { clock: { nowMs }, nowMs };
  const chain = await openChain(readConfig({ ACCOUNTS_DIR: folder }).chain, {
    ...time,
    random: Math.random,
  });
  const { market } = await loadMarket({ source: chain.source, venues: VENUES, ...time }, mint);
  await chain.close();
  if (market === undefined) throw new RangeError("the token was not found");
  run(() => assess(market), WARM_UP_MS);
  return run(() => assess(market), MEASURED_MS);
}

function run(once: () => void, forMs: number): number {
  const start = process.cpuUsage();
  let count = 0;
  let usedUs = 0;
  while (usedUs < 1_000 * forMs) {
    for (let index = 0; index < 20; index++) once();
    count += 20;
    const { user, system } = process.cpuUsage(start);
    usedUs = user + system;
  }
  return usedUs / count;
}

function print(rows: readonly Row[]): void {
  if (values.json) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  const cells = rows.map(({ kind, pools, us, before }) => [
    kind,
    pools,
    us.toFixed(1),
    ...(before === null ? [] : [before.toFixed(1), (us / before).toFixed(2)]),
  ]);
  const compared = values.against === undefined ? [] : ["before", "ratio"];
  console.log(formatTable([["pools", "count", "us", ...compared], ...cells]));
}
