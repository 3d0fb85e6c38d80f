import assert from "node:assert/strict";
import { test } from "node:test";
import { type RootOperationNode, sql, TableNode } from "kysely";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { switchChannel } from "#src/store/channels.ts";
import { takeMessage, waitingMessages } from "#src/store/deliveries.ts";
import { finishMessage } from "#src/store/delivery-attempts.ts";
import type { Store } from "#src/store/schema.ts";
import { type AlertKind, takeBackAlerts } from "#src/store/user-alerts.ts";
import { deleteUserData } from "#src/store/user-data.ts";
import { setSeenSides } from "#src/store/watchlist.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { someUserAlert } from "#test/support/users/some-user-alert.ts";
import { recordUserAlerts } from "#test/support/users/user-alerts.ts";
import { someUser, verifiedChannel, watch } from "#test/support/users/watching-users.ts";

const NOW = 1_800_000_000_000;

async function watcher(store: Store) {
  const userId = await someUser(store, "ana@example.com");
  const { mint } = someUserAlert();
  const entryId = await watch(store, userId, { mint });
  const channel = await verifiedChannel(store, userId, { kind: "webhook", target: "ana" });
  return { userId, channel: { userId, id: channel.id }, owner: { userId, entryId, mint } };
}

type Owner = Awaited<ReturnType<typeof watcher>>["owner"];

function record(store: Store, owner: Owner, kind: AlertKind, nowMs = NOW) {
  const alert = { ...someUserAlert({ ...owner, kind }), dedupe: `test/${nowMs}` };
  return recordUserAlerts(store, [alert], { nowMs, newUid: () => `msg_${nowMs}` });
}

/**
 * A store on which another process acts after the first query of a table: until it has ended or, on
 * Postgres, waits for a lock. SQLite admits it after the transaction.
 */
function interrupted(
  store: Store,
  query: { readonly kind: RootOperationNode["kind"]; readonly table: string },
  act: () => Promise<unknown>,
): { readonly store: Store; readonly acted: () => Promise<unknown> } {
  const acted = Promise.withResolvers<unknown>();
  let isOver = false;
  let place: object | null = null;
  const db = store.db.withPlugin({
    transformQuery({ node, queryId }) {
      if (node.kind === query.kind && tableOf(node) === query.table) place ??= queryId;
      return node;
    },
    async transformResult({ result, queryId }) {
      if (queryId !== place) return result;
      act()
        .then(acted.resolve, acted.reject)
        .finally(() => {
          isOver = true;
        });
      if (store.dialect === "postgres")
        await eventually("the other process ends or waits", async () =>
          isOver || (await isAnyWaiting(store)) ? true : null,
        );
      return result;
    },
  });
  return {
    store: { ...store, db },
    acted() {
      assert.ok(place !== null, `no ${query.kind} of ${query.table}`);
      return acted.promise;
    },
  };
}

function tableOf(node: RootOperationNode): string | null {
  const place =
    node.kind === "SelectQueryNode" || node.kind === "DeleteQueryNode"
      ? node.from?.froms[0]
      : node.kind === "UpdateQueryNode"
        ? node.table
        : undefined;
  return place !== undefined && TableNode.is(place) ? place.table.identifier.name : null;
}

/** Whether a connection that uses tables of this schema waits for a lock. */
async function isAnyWaiting({ db }: Store): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_locks waiting join pg_locks held using (pid)
    join pg_class on pg_class.oid = held.relation
    where not waiting.granted and relnamespace = current_schema()::regnamespace`.execute(db);
  return rows.length > 0;
}

test("a channel that is switched off while alerts are recorded keeps no message", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { channel, owner } = await watcher(store);
    const query = { kind: "SelectQueryNode", table: "channels" } as const;
    const other = interrupted(store, query, () => switchChannel(store.db, channel, false));
    assert.equal((await record(other.store, owner, "deterioration")).length, 1);
    await other.acted();
    assert.equal((await waitingMessages(store.db)).count, 0);
    await switchChannel(store.db, channel, true);
    assert.equal(await takeMessage(store.db, channel.id, NOW + MS_PER_DAY), null);
  });
});

test("a delivery that ends while alerts are recorded does not deadlock", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { channel, owner } = await watcher(store);
    await record(store, owner, "deterioration");
    const message = await takeMessage(store.db, channel.id, NOW + 1_000);
    assert.ok(message);
    const held = { channelId: channel.id, leaseUntilMs: 0 };
    const attempt = { ...held, messageId: message.id, nowMs: NOW, isSlow: false };
    const query = { kind: "SelectQueryNode", table: "channels" } as const;
    const other = interrupted(store, query, () => finishMessage(store.db, attempt));
    assert.equal((await record(other.store, owner, "deterioration", NOW + 1_000)).length, 1);
    await other.acted();
    assert.equal((await waitingMessages(store.db)).count, 1);
  });
});

test("a channel that is switched off while an alert is taken back does not deadlock", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { channel, owner } = await watcher(store);
    const alert = {
      ...someUserAlert({ ...owner, kind: "deterioration", commitment: "processed" }),
      dedupe: "test",
    };
    await recordUserAlerts(store, [alert], { nowMs: NOW, newUid: () => "msg_1" });
    const query = { kind: "DeleteQueryNode", table: "message_alerts" } as const;
    const other = interrupted(store, query, () => switchChannel(store.db, channel, false));
    const since = { mint: owner.mint, sinceSlot: alert.slot, nowMs: NOW };
    await takeBackAlerts(other.store, since);
    assert.equal(await other.acted(), true);
    assert.equal((await waitingMessages(store.db)).count, 0);
  });
});

test("an account that is deleted while its alert is recorded does not deadlock", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { userId, owner } = await watcher(store);
    const low = {
      entryId: owner.entryId,
      sizeLamports: 1_000_000_000n,
      isHigh: false,
      isBlockReported: null,
    };
    await setSeenSides(store.db, [low]);
    const query = { kind: "UpdateQueryNode", table: "watchlist_entries" } as const;
    const remove = () => deleteUserData(store.db, userId, { nowMs: NOW, kept: null });
    const other = interrupted(store, query, remove);
    assert.equal((await record(other.store, owner, "slippage")).length, 1);
    assert.equal(await other.acted(), true);
    const alerts = await store.db.selectFrom("user_alerts").selectAll().execute();
    assert.deepEqual(alerts, []);
  });
});
