import { openDatabase } from "#src/store/connection/database.ts";
import { moveToPostgres } from "#src/store/move/move-to-postgres.ts";
import { countingPlugin } from "../databases/counting-plugin.ts";

/**
 * A process that moves an embedded database until it kills itself at a given step, as `kill -9`
 * would. Steps are the begins and ends of statements on the target.
 */
export type MoveCrashOrder = {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly killAtStep: number;
  /** Dies once the statement has been sent, instead of before it. */
  readonly isSent: boolean;
};

async function moveUntilKilled(order: MoveCrashOrder): Promise<void> {
  const { dataDir, databaseUrl, killAtStep, isSent } = order;
  let steps = 0;
  const die = (): void => {
    process.kill(process.pid, "SIGKILL");
  };
  const step = (): void => {
    steps++;
    if (steps !== killAtStep) return;
    if (isSent) setImmediate(die);
    else die();
  };
  const source = openDatabase({ databaseUrl: null, dataDir });
  const target = openDatabase({ databaseUrl, dataDir, connections: 1 });
  await moveToPostgres({
    source,
    target: { ...target, db: target.db.withPlugin(countingPlugin(step)) },
    nowMs: 0,
  });
  await target.close();
  await source.close();
}

const [order] = process.argv.slice(2);
if (order !== undefined) await moveUntilKilled(JSON.parse(order) as MoveCrashOrder);
