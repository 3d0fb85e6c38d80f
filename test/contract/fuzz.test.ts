import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Callers, openCallers } from "./callers.ts";
import { type DocumentedOperation, operationsOf } from "./document.ts";
import { exchange } from "./exchange.ts";
import { problemsOf } from "./judge.ts";
import { type ProxiedService, startProxiedService } from "./proxied-service.ts";
import { type ContractRequest, oddRequest, validRequest } from "./requests.ts";

/** Requests to each operation; about 1,500 together. FUZZ_RUNS=n sends others as many. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 33);

/** A mailbox for a waiting list entry, and a method of MCP. */
const KNOWN_TEXTS = ["watcher@example.com", "tools/list"];

/**
 * What a made request seldom gets right, since it takes a code out of a mail, or a target of its kind;
 * proofs execute deployed programs, which the demo market has none of.
 */
const SELDOM_TAKEN = ["signIn", "verifyChannel", "addChannel", "getExitProof"];

test("requests made from the document, right and wrong, are answered as it says", async (t) => {
  const { seed } = fc.readConfigureGlobal();
  t.diagnostic(`seed ${seed}`);
  const proxied = await startProxiedService(t);
  const callers = await openCallers(proxied);
  const knownTexts = [...KNOWN_TEXTS, ...(await demoMints(proxied))];
  const tally = new Map<number, number>();
  const taken = new Set<string>();
  for (const operation of operationsOf(proxied.document)) {
    await t.test(operation.id, async () => {
      const requests = fc.oneof(
        validRequest(operation, knownTexts),
        oddRequest(operation, knownTexts),
      );
      const answered = fc.asyncProperty(requests, async (request) => {
        const { problems, statusCode } = await ask(proxied, callers, { operation, request });
        if (statusCode < 300) taken.add(operation.id);
        tally.set(statusCode, (tally.get(statusCode) ?? 0) + 1);
        assert.deepEqual(problems, []);
      });
      await fc.assert(answered, { numRuns: RUNS });
    });
  }
  const never = operationsOf(proxied.document).filter(
    ({ id }) => !taken.has(id) && !SELDOM_TAKEN.includes(id),
  );
  assert.deepEqual(
    never.map(({ id }) => id),
    [],
    "operations of which no request was ever taken",
  );
  const counts = [...tally].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  const total = [...tally.values()].reduce((sum, n) => sum + n, 0);
  t.diagnostic(`${total} requests, ${counts.join(", ")}`);
});

async function ask(
  { document, service, proxyUrl }: ProxiedService,
  callers: Callers,
  { operation, request }: { operation: DocumentedOperation; request: ContractRequest },
) {
  const dressed = await callers.dress(request, operation.id);
  const response = await exchange(dressed.isDirect ? service.url : proxyUrl, dressed);
  callers.told(operation.id, response.statusCode);
  const problems = problemsOf(document, dressed, response);
  const { method, target, caller, body } = dressed;
  const asked = `${method} ${target} as ${caller} ${JSON.stringify(dressed.headers)} ${body ?? ""}`;
  return {
    problems: problems.map((problem) => `${problem}\n  after ${asked.slice(0, 600)}`),
    statusCode: response.statusCode,
  };
}

async function demoMints({ service }: ProxiedService): Promise<readonly string[]> {
  const response = await fetch(`${service.url}/api/examples`);
  const { tokens } = (await response.json()) as { tokens: readonly { mint: string }[] };
  return tokens.map(({ mint }) => mint);
}
