import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Store } from "#src/store/schema.ts";
import { setUserDisabled } from "#src/store/users.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { type TestUsers, testUsers } from "#test/support/users/users.ts";
import { type EmailAddress, parseEmailAddress } from "./email-address.ts";

const EMAIL = parseEmailAddress("ana@example.com") as EmailAddress;
const MINUTE_MS = 60_000;
const HERE = { cookies: undefined, address: "127.0.0.1" };

async function codeFor(users: TestUsers, email = EMAIL): Promise<string> {
  await users.signIn.requestCode(email, HERE);
  await users.outbox.runDue();
  return users.lastCode(email);
}

async function signedIn(users: TestUsers) {
  const email = EMAIL;
  const code = await codeFor(users, email);
  const session = await users.signIn.signIn({ email, code, userAgent: "test", asker: HERE });
  assert.ok(session);
  return { ...session, cookieHeader: session.cookies[0]?.split(";")[0] ?? "" };
}

async function each(t: TestContext, suite: (users: TestUsers, store: Store) => Promise<void>) {
  await eachDatabase(t, async (t, store) => {
    const users = await testUsers(t, store);
    await suite(users, store);
  });
}

test("a code signs in once, by cookie and by bearer token, as the same user", async (t) => {
  await each(t, async (users) => {
    const code = await codeFor(users);
    const attempt = { email: EMAIL, code, userAgent: "test", asker: HERE };
    const session = await users.signIn.signIn(attempt);
    assert.ok(session);
    assert.match(session.cookies[0] ?? "", /HttpOnly/);
    assert.match(session.cookies[0] ?? "", /SameSite=Lax/);
    assert.equal(await users.signIn.signIn(attempt), null, "a code works once");
    const byCookie = await users.sessions.ofCookie(
      session.cookies[0]?.split(";")[0] ?? "",
      users.clock.nowMs(),
    );
    const byBearer = await users.sessions.ofBearer(session.accessToken, users.clock.nowMs());
    assert.deepEqual([byCookie?.tier, byCookie?.via.kind], ["free", "cookie"]);
    assert.deepEqual([byBearer?.userId, byBearer?.via.kind], [byCookie?.userId, "bearer"]);
  });
});

test("one of several parallel uses of a code signs in", async (t) => {
  await each(t, async (users) => {
    const code = await codeFor(users);
    const attempts = await Promise.all(
      Array.from({ length: 8 }, () =>
        users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
      ),
    );
    assert.equal(attempts.filter(Boolean).length, 1);
  });
});

test("a code is invalid after five wrong guesses", async (t) => {
  await each(t, async (users) => {
    const code = await codeFor(users);
    const wrong = code === "000000" ? "000001" : "000000";
    const guess = (digits: string) =>
      users.signIn.signIn({ email: EMAIL, code: digits, userAgent: null, asker: HERE });
    for (let guessed = 0; guessed < 5; guessed++) assert.equal(await guess(wrong), null);
    assert.equal(await guess(code), null);
  });
});

test("after four wrong guesses the code still works", async (t) => {
  await each(t, async (users) => {
    const code = await codeFor(users);
    const wrong = code === "000000" ? "000001" : "000000";
    for (let guessed = 0; guessed < 4; guessed++)
      await users.signIn.signIn({ email: EMAIL, code: wrong, userAgent: null, asker: HERE });
    assert.notEqual(
      await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
      null,
    );
  });
});

test("parallel guesses do not allow more than five", async (t) => {
  await each(t, async (users, store) => {
    const code = await codeFor(users);
    const wrong = code === "000000" ? "000001" : "000000";
    await Promise.all(
      Array.from({ length: 40 }, () =>
        users.signIn.signIn({ email: EMAIL, code: wrong, userAgent: null, asker: HERE }),
      ),
    );
    const [row] = await store.db.selectFrom("sign_in_codes").select("guesses").execute();
    const guesses = row === undefined ? 5 : Number(row.guesses);
    assert.ok(guesses >= 1 && guesses <= 5, `${guesses}`);
  });
});

test("a code expires after ten minutes", async (t) => {
  await each(t, async (users) => {
    const code = await codeFor(users);
    users.advance(10 * MINUTE_MS);
    assert.equal(
      await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
      null,
    );
  });
});

test("a new code invalidates the previous one", async (t) => {
  await each(t, async (users) => {
    const first = await codeFor(users);
    users.advance(MINUTE_MS);
    const second = await codeFor(users);
    if (first !== second)
      assert.equal(
        await users.signIn.signIn({ email: EMAIL, code: first, userAgent: null, asker: HERE }),
        null,
      );
    assert.notEqual(
      await users.signIn.signIn({ email: EMAIL, code: second, userAgent: null, asker: HERE }),
      null,
    );
  });
});

test("a sign-in elsewhere does not change the first session", async (t) => {
  await each(t, async (users) => {
    const first = await signedIn(users);
    users.advance(MINUTE_MS);
    await signedIn(users);
    assert.notEqual(await users.sessions.ofCookie(first.cookieHeader, users.clock.nowMs()), null);
  });
});

test("a sign-in ends the session that its browser had before, of this or another user", async (t) => {
  await each(t, async (users) => {
    const elsewhere = await signedIn(users);
    for (const next of [EMAIL, parseEmailAddress("eva@example.com") as EmailAddress]) {
      users.advance(MINUTE_MS);
      const before = await signedIn(users);
      users.advance(MINUTE_MS);
      const ended: string[] = [];
      users.onAccessChange((userId) => ended.push(userId));
      const caller = await users.sessions.ofCookie(before.cookieHeader, users.clock.nowMs());
      const asker = { ...HERE, cookies: before.cookieHeader };
      const code = await codeFor(users, next);
      assert.ok(await users.signIn.signIn({ email: next, code, userAgent: null, asker }));
      assert.equal(await users.sessions.ofCookie(before.cookieHeader, users.clock.nowMs()), null);
      assert.equal(await users.sessions.ofBearer(before.accessToken, users.clock.nowMs()), null);
      assert.ok(caller !== null && ended.includes(caller.userId), "open streams are checked");
    }
    const kept = await users.sessions.ofCookie(elsewhere.cookieHeader, users.clock.nowMs());
    assert.notEqual(kept, null, "another browser keeps its session");
  });
});

test("a wrong code leaves the browser's session as it is", async (t) => {
  await each(t, async (users) => {
    const { cookieHeader } = await signedIn(users);
    const asker = { ...HERE, cookies: cookieHeader };
    const attempt = { email: EMAIL, code: "000000", userAgent: null, asker };
    assert.equal(await users.signIn.signIn(attempt), null);
    assert.notEqual(await users.sessions.ofCookie(cookieHeader, users.clock.nowMs()), null);
  });
});

test("an ended session is invalid at once, by cookie and by bearer token", async (t) => {
  await each(t, async (users) => {
    const session = await signedIn(users);
    const caller = await users.sessions.ofCookie(session.cookieHeader, users.clock.nowMs());
    assert.ok(caller?.via.kind === "cookie");
    await users.sessions.ofBearer(session.accessToken, users.clock.nowMs());
    assert.equal(await users.signIn.endSession(caller.userId, caller.via.sessionId), true);
    assert.equal(await users.sessions.ofCookie(session.cookieHeader, users.clock.nowMs()), null);
    assert.equal(await users.sessions.ofBearer(session.accessToken, users.clock.nowMs()), null);
    assert.equal(await users.signIn.endSession(caller.userId, caller.via.sessionId), false);
  });
});

test("ending the other sessions keeps this one", async (t) => {
  await each(t, async (users) => {
    const other = await signedIn(users);
    users.advance(MINUTE_MS);
    const own = await signedIn(users);
    const caller = await users.sessions.ofCookie(own.cookieHeader, users.clock.nowMs());
    assert.ok(caller?.via.kind === "cookie");
    assert.equal(await users.signIn.endOtherSessions(caller.userId, caller.via.sessionId), 1);
    assert.equal(await users.sessions.ofCookie(other.cookieHeader, users.clock.nowMs()), null);
    assert.notEqual(await users.sessions.ofCookie(own.cookieHeader, users.clock.nowMs()), null);
  });
});

test("a disabled user can neither sign in nor use a session", async (t) => {
  await each(t, async (users, store) => {
    const session = await signedIn(users);
    const caller = await users.sessions.ofCookie(session.cookieHeader, users.clock.nowMs());
    assert.ok(caller);
    users.advance(MINUTE_MS);
    const code = await codeFor(users);
    await setUserDisabled(
      store.db,
      { userId: caller.userId, isDisabled: true },
      users.clock.nowMs(),
    );
    users.advance(16_000);
    assert.equal(await users.sessions.ofCookie(session.cookieHeader, users.clock.nowMs()), null);
    assert.equal(
      await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
      null,
    );
  });
});

test("a stolen database gives no usable code and no usable session", async (t) => {
  await each(t, async (users, store) => {
    const code = await codeFor(users);
    const codes = await store.db.selectFrom("sign_in_codes").selectAll().execute();
    assert.ok(!codes.some(({ code_hash }) => code_hash.includes(code)));
    const session = await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE });
    const [row] = await store.db.selectFrom("sessions").select("token").execute();
    assert.ok(session && row);
    const [name = ""] = (session.cookies[0] ?? "").split("=");
    for (const forged of [row.token, `${row.token}.`, `${row.token}.${"A".repeat(43)}=`]) {
      assert.equal(await users.sessions.ofBearer(forged, users.clock.nowMs()), null, forged);
      const header = `${name}=${encodeURIComponent(forged)}`;
      assert.equal(await users.sessions.ofCookie(header, users.clock.nowMs()), null, forged);
    }
    const thief = await testUsers(t, store, { authSecret: "another secret, and long enough, too" });
    assert.equal(await thief.sessions.ofBearer(session.accessToken, users.clock.nowMs()), null);
  });
});

test("one code a minute goes to a mailbox, however often it is requested", async (t) => {
  await each(t, async (users) => {
    for (let asked = 0; asked < 30; asked++) await users.signIn.requestCode(EMAIL, HERE);
    for (let rounds = 0; rounds < 3; rounds++) await users.outbox.runDue();
    assert.equal(users.mails.length, 1);
    users.advance(MINUTE_MS);
    await codeFor(users);
    assert.equal(users.mails.length, 2);
  });
});

test("a refused mail is retried within the mailbox's limit", async (t) => {
  await each(t, async (users) => {
    users.refuseMails(2);
    await users.signIn.requestCode(EMAIL, HERE);
    for (let minute = 0; minute < 5; minute++) {
      await users.outbox.runDue();
      users.advance(61_000);
    }
    assert.equal(users.mails.length, 1);
    assert.deepEqual(users.outbox.outcomes, { handled: 1, failed: 2, dead: 0 });
    const code = users.lastCode(EMAIL);
    assert.notEqual(
      await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
      null,
    );
  });
});

test("a mail refused at every attempt is dropped, and logged without the address", async (t) => {
  await each(t, async (users, store) => {
    users.refuseMails(Number.POSITIVE_INFINITY);
    await users.signIn.requestCode(EMAIL, HERE);
    for (let minute = 0; minute < 120; minute++) {
      await users.outbox.runDue();
      users.advance(61_000);
    }
    assert.deepEqual(await store.db.selectFrom("sign_in_requests").selectAll().execute(), []);
    assert.ok(users.logged.some((line) => line.includes("the request is dropped")));
    assert.equal(users.outbox.outcomes.dead, 1);
    assert.ok(!users.logged.join("\n").includes("ana@"));
  });
});

test("requests of known and unknown addresses write the same row", async (t) => {
  await each(t, async (users, store) => {
    await signedIn(users);
    await users.signIn.requestCode(EMAIL, HERE);
    await users.signIn.requestCode(parseEmailAddress("eva@example.com") as EmailAddress, HERE);
    const rows = await store.db
      .selectFrom("sign_in_requests")
      .select(["requested_at_ms", "run_at_ms", "attempts"])
      .execute();
    assert.equal(rows.length, 2);
    assert.deepEqual(rows[0], rows[1]);
    assert.equal((await store.db.selectFrom("users").select("id").execute()).length, 1);
  });
});

test("without a mail server each mail is a file, without the code in its subject", async (t) => {
  const store = await sqliteDatabase(t);
  const users = await testUsers(t, store, { mailFiles: true });
  await users.signIn.requestCode(EMAIL, HERE);
  await users.outbox.runDue();
  const [file = "", ...more] = readdirSync(users.mailDirectory);
  assert.deepEqual(more, []);
  assert.deepEqual(users.mailPaths, [join(users.mailDirectory, file)]);
  assert.ok(!file.includes("ana"));
  const mail = readFileSync(join(users.mailDirectory, file), "utf8");
  const [, code = ""] = /code is (\d{6})/.exec(mail) ?? [];
  assert.ok(!(/^Subject: (.*)$/m.exec(mail)?.[1] ?? code).includes(code));
  assert.match(mail, /^To: ana@example\.com\r?$/m);
  assert.notEqual(
    await users.signIn.signIn({ email: EMAIL, code, userAgent: null, asker: HERE }),
    null,
  );
});
