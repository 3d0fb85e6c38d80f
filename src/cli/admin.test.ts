import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { addFirstApiKey } from "#src/store/api-keys.ts";
import { recordEvent } from "#src/store/events.ts";
import type { Store } from "#src/store/schema.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { joinWaitlist } from "#src/store/waitlist.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { readCall, runAdmin } from "./admin.ts";
import { UsageError } from "./output.ts";

const NOW = Date.UTC(2026, 10, 20, 12);

type Run = (...args: string[]) => Promise<{ code: number; out: string; err: string }>;

async function each(t: TestContext, suite: (run: Run, store: Store) => Promise<void>) {
  await eachDatabase(t, async (_t, store) => {
    const run: Run = async (...args) => {
      const written = { out: "", err: "" };
      const output = {
        out: (text: string) => {
          written.out += `${text}\n`;
        },
        err: (text: string) => {
          written.err += `${text}\n`;
        },
      };
      const code = await runAdmin(readCall(args), { store, nowMs: NOW, output });
      return { code, ...written };
    };
    await createUserForEmail(store, "ana@example.com", NOW);
    await createUserForEmail(store, "eva_100%@example.com", NOW + 1);
    await suite(run, store);
  });
}

async function idOf(store: Store, email: string) {
  const user = await findUserByEmail(store.db, email);
  assert.ok(user);
  return user.id;
}

test("users are found by any part of their address or id; wildcards are literal", async (t) => {
  await each(t, async (run, store) => {
    const found = async (text: string) =>
      JSON.parse((await run("user", "find", text, "--json")).out).map(
        (user: { email: string }) => user.email,
      );
    assert.deepEqual(await found("ANA@"), ["ana@example.com"]);
    assert.deepEqual(await found("_100%"), ["eva_100%@example.com"]);
    assert.deepEqual(await found("a_a"), []);
    assert.deepEqual(await found("example"), ["eva_100%@example.com", "ana@example.com"]);
    const id = await idOf(store, "ana@example.com");
    assert.deepEqual(await found(id.slice(0, 13)), ["ana@example.com"]);
    const table = await run("user", "find", "ana");
    assert.match(table.out, /^id +e-mail +tier +created/);
    assert.match(table.out, /ana@example\.com +free +2026-11-20T12:00/);
    assert.equal(
      (await run("user", "find", "no-match")).out,
      'no user\'s address or id has "no-match" in it\n',
    );
  });
});

test("users are listed, the newest first, and a list that is cut is reported as cut", async (t) => {
  await each(t, async (run, store) => {
    const listed = await run("user", "list");
    assert.match(listed.out, /^id .*\n.*eva_100%@example\.com.*\n.*ana@example\.com/);
    assert.equal(listed.err, "");
    for (let index = 0; index < 49; index++)
      await createUserForEmail(store, `u${index}@example.com`, NOW + 2 + index);
    const cut = await run("user", "list", "--json");
    assert.equal(JSON.parse(cut.out).length, 50);
    assert.equal(JSON.parse(cut.out)[0].email, "u48@example.com");
    assert.match(cut.err, /only the newest 50 are listed/);
    await assert.rejects(run("user", "list", "ana"), UsageError);
    await assert.rejects(run("user", "find"), UsageError);
  });
});

test("a tier is set, by address or by id, and only one that exists", async (t) => {
  await each(t, async (run, store) => {
    const set = await run("user", "tier", "ANA@example.com", "founder", "--json");
    assert.equal(JSON.parse(set.out).tier, "founder");
    const id = await idOf(store, "ana@example.com");
    assert.equal(JSON.parse((await run("user", "tier", id, "pro", "--json")).out).tier, "pro");
    await assert.rejects(run("user", "tier", id, "anonymous"), UsageError);
    await assert.rejects(run("user", "tier", "not an address", "pro"), UsageError);
    assert.equal((await run("user", "tier", "new@example.com", "pro")).code, 1);
  });
});

test("queries of today are unknown, not 0, in a tier that does not count them", async (t) => {
  await each(t, async (run) => {
    await run("user", "tier", "ana@example.com", "pro");
    const users: readonly { readonly email: string; readonly used_today: number | null }[] =
      JSON.parse((await run("user", "list", "--json")).out);
    assert.deepEqual(
      new Map(users.map(({ email, used_today }) => [email, used_today])),
      new Map([
        ["ana@example.com", null],
        ["eva_100%@example.com", 0],
      ]),
    );
    assert.match((await run("user", "find", "ana")).out, /ana@example.com .* -$/m);
  });
});

test("a user is disabled and enabled again", async (t) => {
  await each(t, async (run) => {
    const disabled = await run("user", "disable", "ana@example.com", "--json");
    assert.equal(JSON.parse(disabled.out).disabled_at, "2026-11-20T12:00:00.000Z");
    const enabled = await run("user", "enable", "ana@example.com", "--json");
    assert.equal(JSON.parse(enabled.out).disabled_at, null);
  });
});

test("a user is deleted only with --yes", async (t) => {
  await each(t, async (run, store) => {
    await assert.rejects(run("user", "delete", "ana@example.com"), UsageError);
    assert.notEqual(await findUserByEmail(store.db, "ana@example.com"), null);
    assert.match((await run("user", "delete", "ana@example.com", "--yes")).out, /is deleted/);
    assert.equal(await findUserByEmail(store.db, "ana@example.com"), null);
  });
});

test("keys are listed by hint, and one is revoked by its id", async (t) => {
  await each(t, async (run, store) => {
    const userId = await idOf(store, "ana@example.com");
    assert.equal((await run("key", "list", "ana@example.com")).out, "no keys\n");
    const key = { id: "key-1", userId, hash: "h", hint: "exi_AbCd…wxyz" };
    await addFirstApiKey(store.db, key, NOW);
    assert.match((await run("key", "list", userId)).out, /key-1 +exi_AbCd…wxyz +active/);
    assert.equal((await run("key", "revoke", "key-1")).code, 0);
    const [listed] = JSON.parse((await run("key", "list", userId, "--json")).out);
    assert.equal(listed.status, "revoked");
    assert.equal((await run("key", "revoke", "key-2")).code, 1);
  });
});

test("the waitlist is exported in order, safe for a spreadsheet", async (t) => {
  await each(t, async (run, store) => {
    await joinWaitlist(store.db, { email: "b@example.com", origin: "landing", createdAtMs: NOW });
    await joinWaitlist(store.db, { email: "=a@example.com", origin: "@x,y", createdAtMs: NOW + 1 });
    assert.equal(
      (await run("waitlist")).out,
      "email,origen,created_at\r\n" +
        "b@example.com,landing,2026-11-20T12:00:00.000Z\r\n" +
        `'=a@example.com,"'@x,y",2026-11-20T12:00:00.001Z\n`,
    );
    assert.equal(JSON.parse((await run("waitlist", "--json")).out).length, 2);
  });
});

test("the funnel counts events by name, source and day, between the given days", async (t) => {
  await each(t, async (run, store) => {
    const event = {
      email: null,
      isProven: false,
      payload: null,
      utmMedium: null,
      utmCampaign: null,
    };
    for (const [eventName, utmSource, atMs] of [
      ["registro", "x", NOW - 86_400_000],
      ["registro", "x", NOW],
      ["click_upgrade_desde_limite", "x", NOW],
      ["alerta_click", null, NOW],
    ] as const)
      await recordEvent(store.db, { ...event, eventName, utmSource, atMs });
    const all = JSON.parse((await run("funnel", "--json")).out);
    assert.deepEqual(all.steps.slice(0, 2), [
      { event_name: "registro", count: 2, conversion_pct: null },
      { event_name: "click_upgrade_desde_limite", count: 1, conversion_pct: 50 },
    ]);
    assert.deepEqual(
      all.by_day.map(({ day }: { day: string }) => day),
      ["2026-11-19", "2026-11-20"],
    );
    const day = ["--from", "2026-11-19", "--until", "2026-11-19"];
    assert.equal(JSON.parse((await run("funnel", ...day, "--json")).out).steps[0].count, 1);
    const table = (await run("funnel")).out;
    assert.match(table, /x \/ - \/ - +2 +1 \(50 %\)/);
    assert.match(table, /2026-11-20 +1 +1 \(100 %\)/);
    for (const date of ["yesterday", "2026-02-31", "2026-11-20T00:00:00Z"])
      await assert.rejects(run("funnel", "--from", date), /is not a date like 2026-11-20/);
    const reversed = ["--from", "2026-11-20", "--until", "2026-11-19"];
    await assert.rejects(run("funnel", ...reversed), /--from is after/);
  });
});

test("an unknown task is refused with the list of tasks", async () => {
  assert.throws(() => readCall([]), UsageError);
  assert.throws(() => readCall(["constructor"]), /exitability admin user find/);
  assert.throws(() => readCall(["user", "--no-such-flag"]), {
    code: "ERR_PARSE_ARGS_UNKNOWN_OPTION",
  });
  for (const option of ["--yes", "--from=2026-11-20", "--until=2026-11-20"])
    assert.throws(() => readCall(["alerts", option]), /alerts has no option --/);
});

test("alerts prints grades, waiting messages and messages given up, also as JSON", async (t) => {
  await each(t, async (run) => {
    const json = await run("alerts", "--json");
    assert.deepEqual(JSON.parse(json.out), {
      grades: [],
      waiting: { count: 0, oldestDueMs: null },
      deadLetters: [],
    });
    assert.match((await run("alerts")).out, /0 messages wait to be sent; 0 were given up/);
    await assert.rejects(run("alerts", "more"), UsageError);
  });
});

test("a command that is given more users or keys than it takes changes none", async (t) => {
  await each(t, async (run) => {
    for (const words of [
      ["user", "disable", "ana@example.com", "eva_100%@example.com"],
      ["user", "tier", "ana@example.com", "pro", "eva_100%@example.com"],
      ["user", "find", "ana", "eva"],
      ["key", "revoke", "key-1", "key-2"],
    ])
      await assert.rejects(run(...words), UsageError, words.join(" "));
    const [ana] = JSON.parse((await run("user", "find", "ana", "--json")).out);
    assert.deepEqual([ana.disabled_at, ana.tier], [null, "free"]);
  });
});
