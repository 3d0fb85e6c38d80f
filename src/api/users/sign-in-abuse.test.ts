import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { EmailAddress } from "#src/users/email-address.ts";
import { eachApp, oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { START_MS } from "#test/support/users/users.ts";
import { CHANNELS_PATH } from "../alerts/channel-bodies.ts";

const ANA = "ana@example.com" as EmailAddress;
const MINUTE_MS = 60_000;
const OWNER = "203.0.113.1";
const ATTACKER = "198.51.100.7";

/** A caller at an address, perhaps a browser with a cookie. */
function callerAt({ send, users }: TestApp, address: string, browser?: string) {
  const headers = {
    "x-forwarded-for": address,
    ...(browser !== undefined && { cookie: browser }),
  };
  return {
    async ask(email: string) {
      const asked = await send("POST", "/api/auth/code", { payload: { email }, headers });
      await users.outbox.runDue();
      return asked;
    },
    bring: (email: string, code: string) =>
      send("POST", "/api/auth/sign-in", { payload: { email, code }, headers }),
  };
}

function newBrowser({ users }: TestApp): string {
  return users.browsers.newCookie().split(";")[0] ?? "";
}

const wrongFor = (code: string): string => (code === "000000" ? "000001" : "000000");

test("S5: guesses by others, by cookie or by address, do not use up a browser's code", async (t) => {
  await eachApp(t, async (app) => {
    const owner = callerAt(app, OWNER, newBrowser(app));
    const attackers = [
      callerAt(app, ATTACKER),
      callerAt(app, ATTACKER, newBrowser(app)),
      callerAt(app, OWNER, newBrowser(app)),
      callerAt(app, OWNER),
    ];
    await owner.ask(ANA);
    const code = app.users.lastCode(ANA);
    for (const attacker of attackers) {
      for (let guess = 0; guess < 7; guess++)
        assert.equal((await attacker.bring(ANA, wrongFor(code))).statusCode, 401);
      assert.equal((await attacker.bring(ANA, code)).statusCode, 401, "the code is the owner's");
    }
    assert.equal((await owner.bring(ANA, code)).statusCode, 200);
  });
});

test("S5: a caller without a cookie is its address", async (t) => {
  await oneApp(t, async (app) => {
    await callerAt(app, OWNER).ask(ANA);
    const code = app.users.lastCode(ANA);
    for (let guess = 0; guess < 7; guess++) await callerAt(app, ATTACKER).bring(ANA, code);
    assert.equal((await callerAt(app, OWNER, newBrowser(app)).bring(ANA, code)).statusCode, 200);
  });
});

test("S5: an attacker who has asked for the mailbox's mails leaves the owner's browser its own", async (t) => {
  await oneApp(t, async (app) => {
    const browser = newBrowser(app);
    const owner = callerAt(app, OWNER, browser);
    await owner.ask(ANA);
    const signedIn = await owner.bring(ANA, app.users.lastCode(ANA));
    const [, known = ""] = [signedIn.headers["set-cookie"]].flat();
    for (let asked = 0; asked < 60; asked++) {
      app.users.advance(MINUTE_MS);
      await callerAt(app, `198.51.100.${asked}`).ask(ANA);
    }
    const sent = app.users.mails.filter(({ text }) => text.includes("code is")).length;
    assert.equal(sent, 30, "one mailbox, one day");
    await callerAt(app, OWNER, known.split(";")[0]).ask(ANA);
    const code = app.users.lastCode(ANA);
    const back = await callerAt(app, OWNER, known.split(";")[0]).bring(ANA, code);
    assert.equal(back.statusCode, 200);
  });
});

test("S4: an account is made when its code is used, not when one is asked for", async (t) => {
  await eachApp(t, async (app) => {
    for (let stranger = 0; stranger < 5; stranger++)
      await callerAt(app, ATTACKER).ask(`stranger${stranger}@example.net`);
    assert.equal(app.users.mails.length, 5);
    const users = () => app.store.db.selectFrom("users").select("email").execute();
    assert.deepEqual(await users(), []);
    await app.signIn(ANA);
    assert.deepEqual(await users(), [{ email: ANA }]);
  });
});

test("S4: one address mails at most ten new addresses a day, and at most thirty mails in all", async (t) => {
  await eachApp(t, async (app) => {
    const { users } = app;
    const known = Array.from({ length: 25 }, (_, user) => `user${user}@example.com`);
    for (const email of known) {
      await app.signIn(email);
      users.advance(MINUTE_MS);
    }
    const before = users.mails.length;
    for (let stranger = 0; stranger < 40; stranger++) {
      await callerAt(app, ATTACKER).ask(`stranger${stranger}@example.net`);
      if (stranger % 20 === 19) users.advance(MINUTE_MS);
    }
    assert.equal(users.mails.length - before, 10);
    for (const email of known) await callerAt(app, ATTACKER).ask(email);
    assert.equal(users.mails.length - before, 30);
    assert.equal(users.outbox.capped.new_from_address, 30);
    assert.equal(users.outbox.capped.address, 5);
    users.advance(MS_PER_DAY);
    await callerAt(app, ATTACKER).ask("stranger@example.net");
    assert.equal(users.mails.length - before, 31);
  });
});

test("S4: new addresses of one domain are mailed at most 500 times a day, with one alarm in the log", async (t) => {
  await oneApp(t, async (app) => {
    const { users, store } = app;
    const day = BigInt(Math.floor(users.clock.nowMs() / MS_PER_DAY));
    const subject = "mails/new/domain:a.example";
    await store.db.insertInto("daily_usage").values({ subject, day, used: 480n }).execute();
    for (let stranger = 0; stranger < 40; stranger++) {
      await callerAt(app, `198.51.100.${stranger}`).ask(`s${stranger}@a.example`);
    }
    assert.equal(users.mails.length, 20);
    await callerAt(app, OWNER).ask(ANA);
    assert.equal(users.mails.length, 21, "other domains are mailed on");
    const alarms = users.logged.filter((line) => line.includes("limit of sign-in mails"));
    assert.equal(alarms.length, 1);
    assert.match(alarms[0] ?? "", /"cap":"new_to_domain","limit":500/);
  });
});

test("S4: deleting an account and making it again goes on with the day's count", async (t) => {
  await eachApp(t, async (app) => {
    const { send, users, store } = app;
    const first = await app.signIn(ANA);
    const usedOf = async (cookie: string) => {
      const { headers } = await send("GET", "/api/token/x/exitability", { headers: { cookie } });
      return 10 - Number(headers["x-ratelimit-remaining"]);
    };
    const me = (await send("GET", "/api/account/me", { headers: first })).json();
    const subject = `user:${me.user_id}`;
    const day = BigInt(Math.floor(users.clock.nowMs() / MS_PER_DAY));
    await store.db.insertInto("daily_usage").values({ subject, day, used: 7n }).execute();
    await send("DELETE", "/api/account", { headers: first });
    const kept = await store.db.selectFrom("daily_usage").select("subject").execute();
    assert.ok(kept.every(({ subject }) => !subject.includes(me.user_id)));
    assert.ok(!JSON.stringify(kept.map(({ subject }) => subject)).includes("ana"));
    users.advance(MINUTE_MS);
    const second = await app.signIn(ANA);
    assert.equal(await usedOf(second.cookie), 7);
  });
});

test("M9: the owner is mailed about a new key, a sign-in from a new browser, and the deletion", async (t) => {
  await oneApp(t, async (app) => {
    const { send, users } = app;
    const owner = await app.signIn(ANA);
    const headers = { cookie: owner.cookie, origin: owner.origin };
    const subjects = () => users.mails.map(({ subject }) => subject).slice(1);
    await send("POST", "/api/account/keys", { headers });
    assert.deepEqual(subjects(), ["New API key for your Exitability account"]);
    users.advance(MINUTE_MS);
    await app.signIn(ANA);
    assert.equal(subjects().at(-1), "New sign-in to Exitability");
    await send("DELETE", "/api/account", { headers });
    assert.equal(subjects().at(-1), "Your Exitability account was deleted");
    assert.ok(users.mails.every(({ to }) => to === ANA));
  });
});

test("M9: deleting the account and adding a channel need a session of the last day", async (t) => {
  await oneApp(t, async (app) => {
    const { send, users } = app;
    const { cookie, origin } = await app.signIn(ANA);
    const headers = { cookie, origin };
    const payload = { kind: "email", target: "eva@example.com" };
    users.advance(2 * MS_PER_DAY);
    for (const old of [
      await send("DELETE", "/api/account", { headers }),
      await send("POST", CHANNELS_PATH, { headers, payload }),
    ]) {
      assert.deepEqual(refusal(old), [401, "unauthorized"]);
      assert.match(old.json().message, /sign in again/i);
    }
    users.setNow(START_MS + MINUTE_MS);
    const again = await app.signIn(ANA);
    const fresh = { cookie: again.cookie, origin: again.origin };
    assert.equal((await send("DELETE", "/api/account", { headers: fresh })).statusCode, 200);
  });
});
