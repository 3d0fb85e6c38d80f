import { readFileSync, writeFileSync } from "node:fs";
import { AlertRecorder } from "#src/alerts/alert-recorder.ts";
import { createChannelSender } from "#src/alerts/delivery/channel-sender.ts";
import { AlertOutbox } from "#src/alerts/delivery/outbox.ts";
import { parseRanges } from "#src/alerts/delivery/webhook-addresses.ts";
import { createWebhookSender } from "#src/alerts/delivery/webhook-sender.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { waitingMessages } from "#src/store/deliveries.ts";
import { countingPlugin } from "../databases/counting-plugin.ts";
import { warningsTo } from "../failure-loggers.ts";
import { scriptedMarkets } from "../markets/scripted-markets.ts";
import { poolAddress } from "../pools/pools.ts";
import { NO_NOTICES } from "../users/alert-notices.ts";

/**
 * A process that alerts and delivers until it kills itself at a given step, as `kill -9` would. Steps
 * are the begins and ends of database statements and of calls to receivers. The market is kept in a
 * file, so that it does not go back in time when this process dies.
 */
export type CrashOrder = {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly marketFile: string;
  /** Null: the process ends after everything is delivered. */
  readonly killAtStep: number | null;
  readonly rounds: number;
};

type MarketFile = { round: number; sol: number; nowMs: number };

const MINT = poolAddress(1);
const DEEP_SOL = 100;
const SHALLOW_SOL = 20;

async function alertUntilKilled(order: CrashOrder): Promise<void> {
  let steps = 0;
  const step = (): void => {
    steps++;
    if (steps === order.killAtStep) process.kill(process.pid, "SIGKILL");
  };
  const market = JSON.parse(readFileSync(order.marketFile, "utf8")) as MarketFile;
  const keep = (): void => writeFileSync(order.marketFile, JSON.stringify(market));
  // The leases of a process that died have expired by now, on either database.
  market.nowMs += 61_000;
  keep();
  const clock = { nowMs: () => market.nowMs };
  const { databaseUrl, dataDir } = order;
  const database = openDatabase({ databaseUrl, dataDir });
  const store = { ...database, db: database.db.withPlugin(countingPlugin(step)) };
  const scripted = scriptedMarkets(clock);
  const log = warningsTo((context) => console.error(context));
  const webhooks = createWebhookSender({ allowed: parseRanges(["127.0.0.0/8"]) });
  const sender = createChannelSender({
    mailer: { send: () => Promise.reject(new Error("no mail here")) },
    webhooks: {
      async post(url, headers, body) {
        step();
        const sent = await webhooks.post(url, headers, body);
        step();
        return sent;
      },
    },
    telegram: null,
    push: null,
    authSecret: "a secret for tests that is long enough",
    publicUrl: "http://127.0.0.1:8080",
    clock,
  });
  const outbox = new AlertOutbox({ store, sender, clock, random: () => 0.5, log });
  const { markets } = scripted;
  const newUid = () => `msg_${crypto.randomUUID()}`;
  const recorder = new AlertRecorder({ store, markets, clock, newUid, log, ...NO_NOTICES });
  await outbox.start();
  await recorder.start();
  const show = async (sol: number, alert?: { readonly sinceMs: number }): Promise<void> => {
    market.sol = sol;
    keep();
    scripted.showPool(MINT, sol, alert);
    await recorder.idle();
  };
  const deliver = async (): Promise<void> => {
    while ((await waitingMessages(store.db)).count > 0) {
      market.nowMs += 3_000;
      keep();
      await outbox.idle();
    }
  };
  await show(market.sol);
  await deliver();
  while (market.round < order.rounds) {
    await show(DEEP_SOL);
    // Beyond the cool-down: every round is a market event of its own.
    market.nowMs += 61_000;
    market.round++;
    // In every second round the token's own alert turns on with the fall.
    await show(SHALLOW_SOL, market.round % 2 === 0 ? { sinceMs: market.nowMs } : undefined);
    await deliver();
  }
  await recorder.close();
  await outbox.close();
  await database.close();
}

const [order] = process.argv.slice(2);
if (order !== undefined) await alertUntilKilled(JSON.parse(order) as CrashOrder);
