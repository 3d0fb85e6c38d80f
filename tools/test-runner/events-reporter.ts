import { inspect } from "node:util";

/** One finished test as the runner reads it: one JSON object a line. */
export type TestOutcome =
  | { readonly kind: "pass" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "fail"; readonly name: string; readonly place: string; readonly text: string };

type TestEvent = {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly nesting: number;
    readonly file?: string;
    readonly line?: number;
    readonly skip?: string | boolean;
    readonly details?: {
      readonly type?: string;
      readonly error?: { readonly failureType?: string; readonly cause?: unknown };
    };
  };
};

/**
 * A reporter for node:test that writes each outcome as a JSON line, failures with the names of the
 * tests around them. A suite, and a test that failed only because a subtest did, are not counted.
 */
export default async function* reportOutcomes(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const parents: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      parents.length = data.nesting;
      parents.push(data.name);
    }
    const outcome = outcomeOf(type, data, parents);
    if (outcome !== null) yield `${JSON.stringify(outcome)}\n`;
  }
}

function outcomeOf(
  type: string,
  data: TestEvent["data"],
  parents: readonly string[],
): TestOutcome | null {
  const { details } = data;
  if (type !== "test:pass" && type !== "test:fail") return null;
  if (type === "test:fail" && details?.error?.failureType !== "subtestsFailed") {
    const name = [...parents.slice(0, data.nesting), data.name].join(" > ");
    const text = inspect(details?.error?.cause ?? details?.error, { depth: 6 });
    return { kind: "fail", name, place: `${data.file ?? ""}:${data.line ?? ""}`, text };
  }
  if (type === "test:fail" || details?.type === "suite") return null;
  if (data.skip === undefined || data.skip === false) return { kind: "pass" };
  return { kind: "skip", reason: typeof data.skip === "string" ? data.skip : "no reason given" };
}
