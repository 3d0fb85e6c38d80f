import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import {
  askAgain,
  askAllEndpoints,
  askMain,
  type Question,
  type ToldAnswer,
} from "./answers/answers-of-service.ts";
import { Deployment, makeKeys } from "./support/deployment.ts";
import { readOptions } from "./support/options.ts";

/**
 * Whether a running service on the moving demo market says one thing: main, /at, batch and stream for
 * one size, and an answer asked again by its own slot, later and after kill -9. Ends with 1 if not.
 */

const { values } = readOptions(
  "Main, past, batch and streamed answers compared, and asked again later and after kill -9.",
  {
    count: { type: "string", default: "500", help: "answers" },
    "wait-seconds": { type: "string", default: "60", help: "until they are asked again" },
  },
);
const count = Number(values.count);

const deployment = new Deployment();
let isFine = true;
try {
  const node = await startDemoNode(deployment);
  const place = deployment.alone();
  const keys = (await makeKeys(place, { count: 12, tier: "pro", name: "answers" })).map(
    ({ text }) => text,
  );
  const environment = { ...node.environment };
  let server = await deployment.serve(place, environment);
  const questions = await answerable({ url: server.url, keys });
  const question = (turn: number): Question => {
    const found = questions[turn % questions.length];
    if (found === undefined) throw new Error("no token of the demo market is answered");
    return found;
  };

  let same = 0;
  for (let turn = 0; turn < count; turn++) {
    const agreed = await askAllEndpoints({ url: server.url, keys }, question(turn), turn);
    if (agreed.kind === "same") same++;
    else console.log(JSON.stringify(agreed));
  }
  console.log(`main, /at, batch and stream agree: ${same} of ${count}`);
  isFine &&= same === count;

  const told: ToldAnswer[] = [];
  for (let turn = 0; turn < count; turn++) {
    told.push(await askMain({ url: server.url, keys }, question(turn), turn));
  }
  await pause(1_000 * Number(values["wait-seconds"]));
  isFine = (await report(`after ${values["wait-seconds"]} s`, server.url, told)) && isFine;
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  server = await deployment.serve(place, environment);
  isFine = (await report("after kill -9", server.url, told)) && isFine;

  async function report(when: string, url: string, all: readonly ToldAnswer[]): Promise<boolean> {
    const found = { identical: 0, "not-stored": 0, other: 0 };
    for (const [turn, answer] of all.entries()) {
      const again = await askAgain({ url, keys }, answer, turn);
      if (again === "identical" || again === "not-stored") found[again]++;
      else {
        found.other++;
        console.log(again);
      }
    }
    const slots = new Set(all.map(({ slot }) => slot)).size;
    console.log(
      `${all.length} answers of ${slots} slots by their own slot ${when}: ${found.identical} identical, ${found["not-stored"]} state_not_stored, ${found.other} other`,
    );
    return found.other === 0;
  }
} finally {
  await deployment.close();
}
process.exitCode = isFine ? 0 : 1;

/** Every size and profile of every token of the demo market that is answered with figures. */
async function answerable(service: {
  readonly url: string;
  readonly keys: readonly string[];
}): Promise<readonly Question[]> {
  const questions: Question[] = [];
  for (const [index, { mint }] of DEMO_TOKENS.entries()) {
    const key = service.keys[index % service.keys.length] ?? "";
    const response = await fetch(`${service.url}/api/token/${mint}/exitability`, {
      headers: { "x-api-key": key },
    });
    await response.text();
    if (response.status !== 200) continue;
    for (const profile of ["retail", "pro"] as const) {
      for (const size of STANDARD_SIZES) questions.push({ mint, profile, size });
    }
  }
  return questions.toSorted((a, b) => a.size.localeCompare(b.size));
}
