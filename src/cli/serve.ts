import { readConfig } from "#src/config.ts";
import { type Service, startService } from "#src/main.ts";
import { createLogger } from "#src/platform/logger.ts";
import { formatTable, type Output, UsageError } from "./output.ts";

/** What `npm start` does: the whole service, until it is told to stop. */
export async function serve(args: readonly string[], output: Output): Promise<number> {
  if (args.length > 0)
    throw new UsageError("serve takes no arguments: the environment configures it");
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  const service = await startService(config, logger);
  output.out(welcome(service));
  await toldToStop();
  logger.info("stopping");
  await service.close();
  return 0;
}

/**
 * Resolves at the first signal to stop. More of them change nothing: a terminal or a process manager
 * tells the whole group, and bin/exitability.mjs passes on what it is told.
 */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
  });
}

/** Where it listens, what can be asked for, and a line to ask with. */
function welcome({ url, metricsUrl, examples }: Service): string {
  const [first] = examples;
  const lines = [`Exitability listens at ${url}`];
  if (metricsUrl !== null) lines.push(`Prometheus reads ${metricsUrl}`);
  if (first === undefined) return lines.join("\n");
  const rows = examples.map(({ mint, symbol, story }) => [symbol, mint, story.en]);
  return [
    ...lines,
    "",
    "The chain is a demo market: neither its tokens nor its prices are real. Ask for any of these:",
    "",
    formatTable(rows),
    "",
    `  curl ${url}/api/token/${first.mint}/exitability`,
    "",
  ].join("\n");
}
