import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "#src/store/user-id.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { TEST_AUTH_SECRET, TEST_PUBLIC_URL, testUsers } from "#test/support/users/users.ts";
import { AccessCacheSync } from "./access-cache-sync.ts";
import type { EmailAddress } from "./email-address.ts";
import { createKeptNames } from "./kept-usage.ts";
import { sessionCookie } from "./own-cookie.ts";
import { Sessions } from "./sessions.ts";
import { createSignInLibrary } from "./sign-in-library.ts";

const EMAIL = "ana@example.com" as EmailAddress;
const HERE = { cookies: undefined, address: "127.0.0.1" };

test("a session that ends while it is read is not cached", async (t) => {
  await eachDatabase(t, async (t, store) => {
    const users = await testUsers(t, store);
    await users.signIn.requestCode(EMAIL, HERE);
    await users.outbox.runDue();
    const attempt = { email: EMAIL, code: users.lastCode(EMAIL), userAgent: null, asker: HERE };
    const [session = ""] = (await users.signIn.signIn(attempt))?.cookies ?? [];

    const settings = { authSecret: TEST_AUTH_SECRET, publicUrl: TEST_PUBLIC_URL };
    const library = createSignInLibrary({ store, ...settings });
    const cacheSync = new AccessCacheSync({ db: store.db, clock: users.clock, log: null });
    const cookie = sessionCookie(TEST_PUBLIC_URL);
    const keptNames = createKeptNames(TEST_AUTH_SECRET);
    const common = { store, library, cookie, foreignTokens: null, keptNames };
    const sessions = new Sessions({ ...common, cacheSync });
    await cacheSync.poll();
    const { getSession } = library.api;
    t.mock.method(library.api, "getSession", async (request: Parameters<typeof getSession>[0]) => {
      const found = await getSession(request);
      if (found === null) return null;
      const { id: sessionId } = found.session;
      await users.signIn.endSession(found.user.id as UserId, sessionId);
      await cacheSync.poll();
      return found;
    });
    const [header = ""] = session.split(";");
    assert.notEqual(await sessions.ofCookie(header, users.clock.nowMs()), null);
    assert.equal(await sessions.ofCookie(header, users.clock.nowMs()), null);
  });
});
