import { ExitabilityError } from "./exitability-error.ts";

/** The error of an answer that is not 2xx. Reads its body. */
export async function refusalOf(response: Response): Promise<ExitabilityError> {
  const text = await response.text();
  const body = parsed(text);
  const { error, message } = isRecord(body) ? body : {};
  const details = {
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, Date.now()),
    requestId: response.headers.get("x-request-id"),
    body: body ?? text,
  };
  if (typeof error === "string") {
    return new ExitabilityError(error, typeof message === "string" ? message : error, details);
  }
  const isElsewhere = response.type === "opaqueredirect" || Math.floor(response.status / 100) === 3;
  const sentence = isElsewhere
    ? "The service is somewhere else: a redirect is not followed, so that no key goes where it was not sent. Correct baseUrl."
    : `HTTP ${response.status}, and not in the service's words.`;
  return new ExitabilityError("bad_answer", sentence, details);
}

/**
 * Retry-After (seconds or a date) in seconds from now; null if it is absent or invalid. A date is
 * compared with the answer's Date header, if there is one, because clocks differ.
 */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const untilMs = Date.parse(text);
  if (Number.isNaN(untilMs)) return null;
  const answeredMs = Date.parse(headers.get("date") ?? "");
  return Math.max(0, (untilMs - (Number.isNaN(answeredMs) ? nowMs : answeredMs)) / 1_000);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
