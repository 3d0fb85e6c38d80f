import { ConfigError } from "#src/app/config.ts";
import { RecordingError } from "#src/node/recording.ts";
import { failureText } from "./failure-text.ts";
import { type Output, UsageError } from "./output.ts";

/**
 * Prints why a command failed, in one sentence.
 *
 * @returns the exit code: 1 failed, 2 wrong arguments or environment variables
 * @throws our own bugs again
 */
export function reportFailure(error: unknown, name: string, output: Output): number {
  if (
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof RecordingError
  ) {
    output.err(`exitability ${name}: ${error.message}`);
    return 2;
  }
  if (isUnknownOption(error)) {
    // Node's second sentence is about arguments that begin with a dash, which no command takes.
    const [what = ""] = error.message.split(". ");
    output.err(`exitability ${name}: ${what}; see exitability ${name} --help`);
    return 2;
  }
  const text = failureText(error);
  if (text === null) throw error;
  output.err(`exitability ${name}: ${text}`);
  return 1;
}

function isUnknownOption(error: unknown): error is Error {
  return (
    error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
  );
}
