import { readFileSync, writeFileSync } from "node:fs";
import type { KyselyPlugin } from "kysely";
import { openDatabase } from "#src/store/database.ts";
import { waitingMessages } from "#src/store/deliveries.ts";
import { AlertOutbox } from "#src/watchlist/alert-outbox.ts";
import { AlertRules } from "#src/watchlist/alert-rules.ts";
import { createChannelSender } from "#src/watchlist/channel-sender.ts";
import { parseRanges } from "#src/watchlist/webhook-addresses.ts";
import { createWebhookSender } from "#src/watchlist/webhook-sender.ts";
import { poolAddress } from "./pools.ts";
import { scriptedMarkets } from "./scripted-markets.ts";

/**
 * A process that alerts and delivers until it kills itself at a given step, as `kill -9` would. Steps
 * are the begins and ends of database statements and of calls to receivers. The market stands in a
 * file: it does not go back in time because a process of ours died.
 */
export type CrashOrder = {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly marketFile: string;
  /** Null: it ends by itself once everything is delivered. */
  readonly killAtStep: number | null;
  readonly rounds: number;
};

type MarketFile = { round: number; sol: number; nowMs: number };

const MINT = poolAddress(1);
const DEEP_SOL = 100;
const SHALLOW_SOL = 20;

export async function alertUntilKilled(order: CrashOrder): Promise<void> {
  let steps = 0;
  const step = (): void => {
    steps++;
    if (steps === order.killAtStep) process.kill(process.pid, "SIGKILL");
  };
  const market = JSON.parse(readFileSync(order.marketFile, "utf8")) as MarketFile;
  const keep = (): void => writeFileSync(order.marketFile, JSON.stringify(market));
  // A dead process's leases are over by now, on either database.
  market.nowMs += 61_000;
  keep();
  const nowMs = () => market.nowMs;
  const { databaseUrl, dataDir } = order;
  const database = openDatabase({ databaseUrl, dataDir });
  const store = { ...database, db: database.db.withPlugin(countingPlugin(step)) };
  const scripted = scriptedMarkets(nowMs);
  const log = { warn: (context: unknown) => console.error(context) };
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
    authSecret: "a secret for tests that is long enough",
    publicUrl: "http://127.0.0.1:8080",
    nowMs,
  });
  const outbox = new AlertOutbox({ store, sender, nowMs, random: () => 0.5, log });
  const { markets } = scripted;
  const newUid = () => `msg_${crypto.randomUUID()}`;
  const rules = new AlertRules({ store, markets, nowMs, newUid, onRecorded: () => undefined, log });
  await outbox.start();
  await rules.start();
  const show = async (sol: number): Promise<void> => {
    market.sol = sol;
    keep();
    scripted.showPool(MINT, sol);
    await rules.idle();
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
    await show(SHALLOW_SOL);
    await deliver();
  }
  await rules.close();
  await outbox.close();
  await database.close();
}

function countingPlugin(step: () => void): KyselyPlugin {
  return {
    transformQuery({ node }) {
      step();
      return node;
    },
    async transformResult({ result }) {
      step();
      return result;
    },
  };
}

const [order] = process.argv.slice(2);
if (order !== undefined) await alertUntilKilled(JSON.parse(order) as CrashOrder);
