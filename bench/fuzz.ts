import { existsSync, readdirSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { formatTable } from "#src/cli/output.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { attack } from "#test/fuzz/attack.ts";
import { readExecutions } from "#test/support/pools/executions.ts";
import { readOptions, refuse, requirePostgres } from "./support/options.ts";

// Mutated accounts against every venue: how many end as a pool or a reason, and how long the slowest took.
// With --requests N, hostile HTTP requests instead: N in all, to a service on each database (DATABASE_URL).

const { values } = readOptions(
  "Mutated accounts against every venue, or hostile HTTP requests to a service on each database.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    attacks: { type: "string", default: "5000", help: "mutations of each file's executions" },
    requests: { type: "string", default: "0", help: "hostile requests instead, if above 0" },
    folder: { type: "string", default: "../shared/executions", help: "recorded executions" },
  },
);

if (Number(values.requests) > 0) {
  requirePostgres();
  const { fuzzBothDatabases } = await import("./fuzz/services.ts");
  await fuzzBothDatabases({
    requests: Number(values.requests),
    seed: Number(values.seed),
    isJson: values.json,
  });
  process.exit();
}

const files = existsSync(values.folder)
  ? readdirSync(values.folder).filter((name) => name.endsWith(".jsonl.gz"))
  : [];
if (files.length === 0)
  refuse(
    `No recorded executions are in ${values.folder}: name a folder that has some by --folder.`,
  );

const WARM_UP = 200;
const random = seededRandom(Number(values.seed));
const rows: (readonly (string | number)[])[] = [];
for (const file of files) {
  const executions = await readExecutions(`${values.folder}/${file}`);
  const outcomes = { pool: 0, unusable: 0 };
  const times: number[] = [];
  for (let count = -WARM_UP; count < Number(values.attacks); count++) {
    const chosen = executions[Math.floor(random() * executions.length)];
    if (chosen === undefined) continue;
    const start = performance.now();
    const { outcome } = attack(chosen.execution, random);
    if (count < 0) continue;
    times.push(performance.now() - start);
    outcomes[outcome]++;
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  const row = {
    file,
    attacks: times.length,
    ...outcomes,
    medianMs: at(0.5),
    p999Ms: at(0.999),
    maxMs: at(1),
  };
  if (values.json) console.log(JSON.stringify(row));
  rows.push([
    file,
    row.attacks,
    row.pool,
    row.unusable,
    row.medianMs.toFixed(3),
    row.p999Ms.toFixed(2),
    row.maxMs.toFixed(2),
  ]);
}
if (!values.json) {
  const heading = ["file", "attacks", "pool", "reason", "median ms", "p99.9 ms", "max ms"];
  console.log(formatTable([heading, ...rows]));
}
