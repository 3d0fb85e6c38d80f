import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { readRecordedFile } from "#src/accuracy/recorded-file.ts";
import { replay } from "#src/accuracy/replay-recorded.ts";

const SHARED = new URL("../../../../shared/", import.meta.url).pathname;

/**
 * Path of recorded data beside the checkout, or null after the test was marked as skipped. In CI
 * the data is always there: its absence fails.
 */
export function sharedPath(t: TestContext, ...parts: readonly string[]): string | null {
  const path = join(SHARED, ...parts);
  if (existsSync(path)) return path;
  if (process.env.CI) throw new Error(`CI must have ../shared/${parts.join("/")}`);
  t.skip(`../shared/${parts.join("/")} is not here`);
  return null;
}

export type NumberedExecution = { readonly line: number; readonly execution: RecordedExecution };

/** The executions of a file; it is read only as far as they are taken. @throws where a line can't be read */
export async function* executionsOf(path: string): AsyncGenerator<NumberedExecution> {
  for await (const { line, content } of readRecordedFile(path)) {
    if (content.kind === "unreadable") throw new Error(`${path}:${line}: ${content.reason}`);
    if (content.kind === "execution") yield { line, execution: content.execution };
  }
}

/** The first execution of a file that fits; undefined: none does. @throws where a line before it can't be read */
export async function firstExecution(
  path: string,
  fits: (execution: RecordedExecution) => boolean,
): Promise<NumberedExecution | undefined> {
  for await (const found of executionsOf(path)) if (fits(found.execution)) return found;
  return undefined;
}

/** All executions of a file. @throws where a line can't be read */
export async function readExecutions(path: string): Promise<readonly NumberedExecution[]> {
  return await Array.fromAsync(executionsOf(path));
}

/**
 * Fails unless our model pays for each execution of a recording what the program paid, and refuses what
 * it refused. A pool that cannot be decoded does not count as refused.
 */
export async function assertReplayed(
  t: TestContext,
  file: string,
  { atLeast }: { readonly atLeast: number },
): Promise<void> {
  const path = sharedPath(t, "executions", file);
  if (path === null) return;
  const executions = await readExecutions(path);
  assert.ok(executions.length >= atLeast, `${file} has ${executions.length} executions`);
  for (const { line, execution } of executions) {
    const { amountOut, reason } = replay(execution);
    assert.equal(amountOut, execution.amountOut, `${file}:${line}`);
    assert.doesNotMatch(reason ?? "", /^(?:missing-account|undecodable)/, `${file}:${line}`);
  }
}
