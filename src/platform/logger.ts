import { type Logger, pino } from "pino";

/** Redacted, so that logging a request or a header never logs a secret by accident. */
const SECRET_PATHS = [
  "req.headers",
  "headers",
  "*.authorization",
  "*.cookie",
  '*["x-api-key"]',
  "*.email",
  "email",
  "*.password",
  "*.secret",
];

/** Structured lines on standard output, without secrets or e-mail addresses. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[removed]" },
  });
}
