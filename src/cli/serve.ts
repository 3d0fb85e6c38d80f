import { once } from "node:events";
import { readConfig } from "#src/config.ts";
import { startService } from "#src/main.ts";
import { createLogger } from "#src/platform/logger.ts";
import { type Output, UsageError } from "./output.ts";

/** What `npm start` does: the whole service, until it is told to stop. */
export async function serve(args: readonly string[], output: Output): Promise<number> {
  if (args.length > 0)
    throw new UsageError("serve takes no arguments: the environment configures it");
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  const service = await startService(config, logger);
  output.out(`Exitability listens at ${service.url}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  logger.info("stopping");
  await service.close();
  return 0;
}
