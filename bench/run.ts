import { formatTable } from "#src/cli/output.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { SCENARIOS } from "./scenarios/all.ts";
import { interleave, type Result, reaches } from "./scenarios/interleave.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { readOptions, refuse } from "./support/options.ts";

const { values } = readOptions("Decoders and quotes compared with the official SDKs.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  only: { type: "string", default: "", help: "part of a task's or contender's name" },
});

const scenarios = SCENARIOS.filter(({ goal, name }) => `${goal} ${name}`.includes(values.only));
if (scenarios.length === 0) refuse(`No task or contender has "${values.only}" in its name.`);
const random = seededRandom(Number(values.seed));
const rows: (readonly (string | number)[])[] = [];
let isEveryBarMet = true;
for (const scenario of scenarios) {
  const result = await interleave(scenario, random);
  if (result === null) {
    console.error(
      `${scenario.goal} ${scenario.name}: left out, npm ci --prefix bench/sdks brings the SDKs`,
    );
    continue;
  }
  if (values.json) console.log(JSON.stringify(result));
  rows.push(row(scenario, result));
  isEveryBarMet &&= result.agree && reaches(scenario, result, scenario.bar);
}
if (!values.json) {
  const heading = ["goal", "what", "ours", "theirs", "unit", "ratio", "bar", "ambition", "verdict"];
  console.log(formatTable([heading, ...rows]));
}
process.exitCode = isEveryBarMet ? 0 : 1;

function row(scenario: Scenario, result: Result): readonly (string | number)[] {
  const verdict = !result.agree
    ? "outputs differ"
    : reaches(scenario, result, scenario.ambition)
      ? "ambition met"
      : reaches(scenario, result, scenario.bar)
        ? "bar met"
        : "below the bar";
  const figure = (value: number): string => Number(value.toPrecision(3)).toString();
  const { goal, name, ours, theirs, ratio, bar, ambition } = result;
  return [
    goal,
    name,
    figure(ours),
    figure(theirs),
    scenario.unit,
    figure(ratio),
    bar,
    ambition,
    verdict,
  ];
}
