import { formatTable } from "#src/cli/output.ts";
import { latencyOf } from "./streams/latency.ts";
import { runPlan, STREAM_PLANS } from "./streams/plans.ts";
import { readOptions } from "./support/options.ts";

/**
 * The gRPC stream under the limits and faults of real servers: what is logged, over which stream changes
 * arrive, and how old answers are. And the time from a processed slot to the event of a stream, for both
 * commitments. The server is a fake one over the demo market, the rest is the product's own.
 */

const { values } = readOptions(
  "The gRPC stream on the limits and faults of servers, and the time to an event for both commitments.",
  {
    json: { type: "boolean", default: false },
    only: {
      type: "string",
      choices: [...STREAM_PLANS.map(({ name }) => name), "latency"],
      help: 'a plan by its name, or "latency"',
    },
    changes: { type: "string", default: "60", help: "events for each commitment" },
  },
);

const isWanted = (name: string): boolean => values.only === undefined || values.only === name;
const plans = [];
for (const plan of STREAM_PLANS) if (isWanted(plan.name)) plans.push(await runPlan(plan));
const latencies = [];
if (isWanted("latency")) {
  for (const commitment of ["confirmed", "processed"] as const)
    latencies.push(await latencyOf(commitment, Number(values.changes)));
}

if (values.json) console.log(JSON.stringify({ plans, latencies }));
else {
  for (const { name, logged, ...figures } of plans) {
    console.log(
      `${name}\n${formatTable([Object.keys(figures), Object.values(figures).map(String)])}`,
    );
    for (const line of logged) console.log(`  ${line}`);
  }
  for (const { commitment, changes, p50Ms, p90Ms } of latencies)
    console.log(`${commitment}: ${changes} changes, p50 ${p50Ms} ms, p90 ${p90Ms} ms`);
}
