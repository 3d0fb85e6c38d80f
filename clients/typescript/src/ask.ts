import { open, type Sending, type Service } from "./connection.ts";
import { ExitabilityError } from "./exitability-error.ts";
import { delayMs, isPassing, type Patience, wait } from "./patience.ts";
import { isRecord, parsed } from "./refusal.ts";

export type Question = Sending & {
  /** The request is idempotent: it is repeated after a temporary failure. */
  readonly isRepeatable: boolean;
};

/** Repeats a request until it is answered, fails permanently or the retries are used up. @throws ExitabilityError */
export async function ask<Body>(
  service: Service,
  patience: Patience,
  question: Question,
): Promise<Body> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return (await askOnce(service, question)) as Body;
    } catch (error) {
      if (!(error instanceof ExitabilityError) || !question.isRepeatable) throw error;
      const nextMs = delayMs(error, attempt, patience.baseDelayMs);
      const isWorthIt = isPassing(error) && attempt < patience.attempts;
      if (!isWorthIt || waitedMs + nextMs > patience.maxWaitMs) throw error;
      waitedMs += nextMs;
      await wait(nextMs, question.signal);
    }
  }
}

async function askOnce(service: Service, question: Question): Promise<unknown> {
  const opened = await open(service, question);
  try {
    const { status, headers } = opened.response;
    const body = parsed(await opened.response.text());
    if (isRecord(body)) return body;
    throw new ExitabilityError("bad_answer", "The answer is not a JSON object.", {
      status,
      requestId: headers.get("x-request-id"),
    });
  } catch (cause) {
    throw opened.failure(cause);
  } finally {
    opened.close();
  }
}
