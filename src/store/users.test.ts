import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { accessChangesSince } from "./access-changes.ts";
import { parseUserId } from "./user-id.ts";
import {
  createUserForEmail,
  findUser,
  findUserByEmail,
  setUserDisabled,
  setUserTier,
  userOfForeignIdentity,
} from "./users.ts";

const NOW = 1_800_000_000_000;

test("parallel registrations of one address create one user", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await Promise.all(
      Array.from({ length: 10 }, () => createUserForEmail(store, "a@example.com", NOW)),
    );
    const rows = await store.db.selectFrom("users").select("id").execute();
    assert.equal(rows.length, 1);
    const user = await findUserByEmail(store.db, "a@example.com");
    assert.ok(user);
    assert.notEqual(parseUserId(user.id), null);
    assert.deepEqual([user.tier, user.createdAtMs, user.disabledAtMs], ["free", NOW, null]);
  });
});

test("a foreign identity has one user of its own", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await createUserForEmail(store, "a@example.com", NOW);
    const identity = { issuer: "https://id.example", subject: "a@example.com" };
    const users = await Promise.all(
      Array.from({ length: 10 }, () => userOfForeignIdentity(store, identity, NOW)),
    );
    assert.equal(new Set(users.map(({ id }) => id)).size, 1);
    assert.equal(users[0]?.email, null);
    const other = await userOfForeignIdentity(
      store,
      { ...identity, issuer: "https://other.example" },
      NOW,
    );
    assert.notEqual(other.id, users[0]?.id);
    const rows = await store.db.selectFrom("users").select("id").execute();
    assert.equal(rows.length, 3, "no account is left over from the race");
  });
});

test("a change of tier or status adds an access change for other processes", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await createUserForEmail(store, "a@example.com", NOW);
    const user = await findUserByEmail(store.db, "a@example.com");
    assert.ok(user);
    assert.equal(await setUserTier(store.db, { userId: user.id, tier: "pro" }, NOW + 1), true);
    await setUserDisabled(store.db, { userId: user.id, isDisabled: true }, NOW + 2);
    const changed = await findUser(store.db, user.id);
    assert.deepEqual([changed?.tier, changed?.disabledAtMs], ["pro", NOW + 2]);
    const changes = await accessChangesSince(store.db, NOW + 1);
    assert.deepEqual(
      changes.map(({ userId }) => userId),
      [user.id, user.id],
    );
    assert.equal((await accessChangesSince(store.db, NOW + 3)).length, 0);
    const unknown = parseUserId("00000000-0000-4000-8000-000000000000");
    assert.ok(unknown);
    assert.equal(await setUserTier(store.db, { userId: unknown, tier: "pro" }, NOW), false);
  });
});
