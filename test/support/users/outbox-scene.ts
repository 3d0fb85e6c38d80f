import assert from "node:assert/strict";
import { AlertOutbox } from "#src/alerts/delivery/outbox.ts";
import type { Sent } from "#src/alerts/delivery/webhook-sender.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import type { Address } from "#src/units/address.ts";
import { SILENT_LOG } from "../failure-loggers.ts";
import { poolAddress } from "../pools/pools.ts";
import { recordUserAlerts } from "./user-alerts.ts";
import { someUser, verifiedChannel, watch } from "./watching-users.ts";

export const SENT: Sent = { kind: "sent" };
export const NOT_TAKEN: Sent = { kind: "failed", error: "It answered 500." };

type Received = {
  readonly target: string;
  readonly uid: string;
  readonly alerts: readonly bigint[];
};

/** An outbox with a clock to turn and receivers that answer as the test says. */
export async function outboxScene(
  store: Store,
  answer: (received: Received) => Sent | Promise<Sent>,
) {
  let nowMs = 1_800_000_000_000;
  let uid = 0;
  const received: Received[] = [];
  const newOutbox = () =>
    new AlertOutbox({
      store,
      sender: {
        async send(channel, notification) {
          assert.ok(notification.kind === "alerts");
          const alerts = notification.alerts.map(({ id }) => id);
          const sent = { target: channel.target, uid: notification.uid, alerts };
          received.push(sent);
          return answer(sent);
        },
      },
      clock: { nowMs: () => nowMs },
      random: () => 0.5,
      log: SILENT_LOG,
    });
  return {
    outbox: newOutbox(),
    newOutbox,
    received,
    clock: { nowMs: () => nowMs },
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** Records one alert of an entry, as the rules do. */
    async alert(entry: { userId: UserId; entryId: bigint; mint: Address }) {
      const figures = { before: null, after: null };
      const [id] = await recordUserAlerts(
        store,
        [
          {
            ...entry,
            dedupe: `test/${uid}`,
            tokenName: null,
            tokenSymbol: null,
            sizeLamports: 1n,
            kind: "deterioration",
            cause: "sold",
            share: null,
            causes: null,
            slot: 1n,
            slippagePct: figures,
            c10Sol: figures,
            depthSol: figures,
            position: null,
            sinceMs: nowMs,
          },
        ],
        { nowMs, newUid: () => `msg_${uid++}` },
      );
      uid++;
      return id;
    },
  };
}

export async function watcher(store: Store, name: string, kind: "email" | "webhook" = "webhook") {
  const userId = await someUser(store, `${name}@example.com`);
  const mint = poolAddress(1);
  const entryId = await watch(store, userId, { mint });
  const channel = await verifiedChannel(store, userId, { kind, target: name });
  return { userId, entryId, mint, channel };
}
