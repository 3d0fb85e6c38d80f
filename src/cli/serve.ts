import { join } from "node:path";
import { type Config, readConfig } from "#src/app/config.ts";
import { configWarnings } from "#src/app/config-warnings.ts";
import { type Service, startService } from "#src/app/main.ts";
import { leaveMarkingToThreads } from "#src/platform/background-marking.ts";
import { systemClock } from "#src/platform/clock.ts";
import { clockSetBack, type TwoClocks } from "#src/platform/clock-set-back.ts";
import { createLogger } from "#src/platform/logger.ts";
import { TIERS } from "#src/users/tiers.ts";
import manifest from "../../package.json" with { type: "json" };
import { formatTable, type Output, UsageError } from "./output.ts";
import { stopSignal } from "./stop-signal.ts";

const SYSTEM_CLOCKS: TwoClocks = {
  wall: systemClock,
  monotonic: { nowMs: () => performance.now() },
};

/** What `npm start` runs: the whole service, until a signal stops it, or the system clock is set back. */
export async function serve(args: readonly string[], output: Output): Promise<number> {
  if (args.length > 0)
    throw new UsageError("serve takes no arguments; environment variables configure it");
  // First of all: a marking that has begun keeps its schedule, without a limit to the time of a step.
  leaveMarkingToThreads();
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  logger.info(startFacts(config), "starting");
  for (const warning of configWarnings(process.env, config)) logger.warn(warning);
  const service = await startService(config, logger);
  const { url, metricsUrl, examples } = service;
  if (process.stdout.isTTY) output.out(welcome(service, config));
  // Whatever the log level: what started the service waits for this line.
  else
    logger
      .child({}, { level: "info" })
      .info(
        { url, metricsUrl },
        `Exitability listens at ${url}${examples.length === 0 ? "" : ` with ${examples.length} demo tokens`}`,
      );
  const setBackMs = await Promise.race([stopSignal(), clockSetBack(SYSTEM_CLOCKS)]);
  if (setBackMs === undefined) logger.info("stopping");
  else {
    logger.error(
      { setBackMs: Math.round(setBackMs) },
      "the system clock was set back, so planned work would come too late: the service ends, and its next start plans all work again",
    );
  }
  await service.close();
  return setBackMs === undefined ? 0 : 1;
}

/** What this process runs on: hosts only, since URLs may hold passwords. */
function startFacts({ role, chain, databaseUrl, redisUrl, publicUrl }: Config) {
  const hostOf = (url: string): string => new URL(url).host;
  return {
    version: manifest.version,
    role,
    chain: chain.kind === "rpc" ? hostOf(chain.httpUrl) : chain.kind,
    database: databaseUrl === null ? "embedded" : hostOf(databaseUrl),
    redis: redisUrl === null ? null : hostOf(redisUrl),
    publicUrl,
  };
}

/** The addresses, the demo tokens, and a command to try. */
function welcome({ url, metricsUrl, examples }: Service, config: Config): string {
  const [first] = examples;
  const lines = [`Exitability listens at ${url}`];
  if (metricsUrl !== null) lines.push(`Prometheus reads ${metricsUrl}`);
  if (first === undefined) return lines.join("\n");
  const rows = examples.map(({ mint, symbol, story }) => [symbol, mint, story.en]);
  return [
    ...lines,
    "",
    "The chain is a demo market: its tokens and prices are not real. Try any of these tokens:",
    "",
    formatTable(rows),
    "",
    `  curl -H 'accept-language: en' ${url}/api/token/${first.mint}/exitability`,
    "",
    ...beyondTheDay(url, config),
    "",
  ].join("\n");
}

/** How to go on after the queries that an address has each day. */
function beyondTheDay(url: string, { dataDir, smtpUrl }: Config): readonly string[] {
  const mail = smtpUrl === null ? `the newest file in ${join(dataDir, "mail")}` : "the e-mail";
  return [
    `Without a key an address has ${TIERS.anonymous.dailyQueries} queries a day. For more:`,
    `  1. sign in at ${url}/sign-in with any e-mail address; the code is in ${mail}`,
    `  2. create a key at ${url}/api-keys and send it as header x-api-key: ${TIERS.free.dailyQueries} a day`,
    "  3. npx exitability admin user tier YOUR_ADDRESS pro: no daily limit",
  ];
}
