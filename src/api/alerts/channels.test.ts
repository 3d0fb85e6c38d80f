import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type TestContext, test } from "node:test";
import { signatureHeaders } from "#src/alerts/delivery/webhook-signature.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { eachApp, NO_OBJECTS, oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { closeAfter } from "#test/support/ending.ts";
import { pushSubscriber } from "#test/support/users/push-subscriber.ts";

const PATH = "/api/account/channels";

async function browser(app: TestApp, email: string, language = "en") {
  const { cookie, origin } = await app.signIn(email);
  const headers = { cookie, origin, "accept-language": language };
  const post = (path: string, payload: object = {}) =>
    app.send("POST", PATH + path, { headers, payload });
  return {
    headers,
    add: (kind: unknown, target: unknown) => post("", { kind, target }),
    verify: (id: unknown, code: unknown) => post(`/${id}/verify`, { code }),
    test: (id: unknown) => app.send("POST", `${PATH}/${id}/test`, { headers }),
    patch: (payload: object) => app.send("PATCH", PATH, { headers, payload }),
    remove: (id: unknown) => app.send("DELETE", `${PATH}?id=${id}`, { headers }),
    list: async () => (await app.send("GET", PATH, { headers })).json(),
  };
}

type Call = { readonly headers: IncomingHttpHeaders; readonly body: string };

async function receiver(t: TestContext) {
  const calls: Call[] = [];
  const bodies: Buffer[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      calls.push({ headers: request.headers, body: body.toString() });
      response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const answer = (next: number) => {
    status = next;
  };
  return { url: `http://127.0.0.1:${address.port}/hook`, calls, bodies, answer };
}

const codeIn = (text: string) =>
  /code(?: is |":")([0-9a-f]{6,32})/.exec(text)?.[1] ?? assert.fail(text);

test("a webhook gets a signed code, shows its secret once, and is verified by the code alone", async (t) => {
  await eachApp(t, async (app, t) => {
    const { url, calls } = await receiver(t);
    const ana = await browser(app, "ana@example.com");
    const added = await ana.add("webhook", url);
    assert.equal(added.statusCode, 201);
    const { id, status, secret, verification } = added.json();
    assert.match(secret, /^whsec_/);
    assert.ok(status === "pending" && verification.length > 0);
    const [call] = calls;
    assert.ok(call);
    const { "webhook-id": uid, "webhook-timestamp": seconds } = call.headers;
    const nowMs = Number(seconds) * 1_000;
    const signed = signatureHeaders(secret, { uid: String(uid), body: call.body, nowMs });
    assert.equal(call.headers["webhook-signature"], signed["webhook-signature"]);
    assert.equal(JSON.parse(call.body).type, "channel.verification");
    const code = codeIn(call.body);
    for (const wrong of ["", "000000x", code === "111111" ? "111112" : "111111"])
      assert.deepEqual(refusal(await ana.verify(id, wrong)), [400, "invalid_body"]);
    assert.equal((await ana.list()).items[0].status, "pending");
    assert.deepEqual((await ana.verify(id, code)).json(), { status: "verified" });
    assert.deepEqual(refusal(await ana.verify(id, code)), [400, "invalid_body"], "used");
    const listed = await ana.list();
    assert.deepEqual(
      { ...listed.items[0], created_at: "" },
      {
        id,
        kind: "webhook",
        target: url,
        status: "verified",
        enabled: true,
        created_at: "",
        last_delivery_at: null,
        last_error: null,
      },
    );
    assert.ok(!JSON.stringify(listed).includes(secret));
    assert.deepEqual((await ana.test(id)).json(), { status: "sent", error: null });
    assert.equal(JSON.parse(calls.at(-1)?.body ?? "").type, "channel.test");
    assert.deepEqual(refusal(await ana.test(id)), [429, "rate_limit_exceeded"]);
  });
});

test("after five wrong codes only a new one verifies, and each is good for half an hour", async (t) => {
  await eachApp(t, async (app, t) => {
    const { url, calls } = await receiver(t);
    const ana = await browser(app, "ana@example.com");
    const { id } = (await ana.add("webhook", url)).json();
    const lastCode = () => codeIn(calls.at(-1)?.body ?? "");
    const first = lastCode();
    await Promise.all(Array.from({ length: 5 }, () => ana.verify(id, "no")));
    assert.deepEqual(refusal(await ana.verify(id, first)), [400, "invalid_body"]);
    app.users.advance(60_000);
    await ana.test(id);
    app.users.advance(31 * 60_000);
    assert.deepEqual(refusal(await ana.verify(id, lastCode())), [400, "invalid_body"]);
    await ana.test(id);
    assert.equal((await ana.verify(id, lastCode())).statusCode, 200);
  });
});

test("another mailbox gets a code by mail; the one that signs in needs none", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await browser(app, "ana@example.com");
    const own = await ana.add("email", "Ana@Example.com");
    assert.deepEqual([own.statusCode, own.json().status], [201, "verified"]);
    const other = await ana.add("email", "alerts@example.org");
    assert.deepEqual([other.json().status, other.json().secret], ["pending", null]);
    const mail = app.users.mails.at(-1);
    assert.equal(mail?.to, parseEmailAddress("alerts@example.org"));
    assert.ok(mail && !/\d{6}/.test(mail.subject));
    const again = await ana.test(other.json().id);
    assert.equal(again.json().status, "failed", "a mailbox gets one code a minute");
    assert.equal((await ana.verify(other.json().id, codeIn(mail.text))).statusCode, 200);
  });
});

test("S4: an account mails codes to ten third parties a day, however often it adds and removes mailboxes", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await browser(app, "ana@example.com");
    for (let number = 0; number < 12; number++) {
      const added = await ana.add("email", `mailbox${number}@example.org`);
      assert.equal(added.statusCode, 201);
      await ana.remove(added.json().id);
    }
    const mailed = app.users.mails.filter(({ to }) => to.endsWith("@example.org"));
    assert.equal(mailed.length, 10);
  });
});

test("a browser is verified by what its first push message holds, and switched off when its service reports the end", async (t) => {
  await eachApp(t, async (app, t) => {
    const { url, bodies, answer } = await receiver(t);
    const ana = await browser(app, "ana@example.com");
    assert.match((await ana.list()).push_key, /^B[\w-]{86}$/);
    const { subscription, open } = pushSubscriber(url);
    const added = await ana.add("push", subscription);
    assert.equal(added.statusCode, 201, added.body);
    assert.deepEqual([added.json().status, added.json().secret], ["pending", null]);
    assert.deepEqual(refusal(await ana.add("push", subscription)), [409, "duplicate"]);
    const { verify } = JSON.parse(open(bodies[0] ?? assert.fail("no message")));
    assert.equal(verify.id, added.json().id);
    assert.equal((await ana.verify(verify.id, verify.code)).statusCode, 200);
    const [item] = (await ana.list()).items;
    assert.deepEqual([item.target, item.status], [url, "verified"], "its keys are not shown");
    answer(410);
    app.users.advance(60_000);
    assert.equal((await ana.test(item.id)).json().status, "failed");
    const [ended] = (await ana.list()).items;
    assert.equal(ended.enabled, false);
    assert.match(ended.last_error, /no longer takes/);
  });
});

test("an invalid channel is refused with the reason, and an internal webhook without a call", async (t) => {
  await oneApp(t, async (app) => {
    const ana = await browser(app, "ana@example.com");
    for (const [kind, target, expected] of [
      [undefined, "x", [400, "invalid_body"]],
      ["sms", "x", [400, "invalid_body"]],
      ["webhook", undefined, [400, "invalid_body"]],
      ["webhook", 7, [400, "invalid_body"]],
      ["webhook", "no url", [400, "invalid_body"]],
      ["webhook", "http://169.254.169.254/latest/meta-data", [400, "invalid_body"]],
      ["webhook", "https://[::1]/", [400, "invalid_body"]],
      ["webhook", "https://10.0.0.1/", [400, "invalid_body"]],
      ["email", "nobody", [400, "invalid_email"]],
      ["email", "a@b.example\r\nBcc: c@d.example", [400, "invalid_email"]],
      ["telegram", "12345", [400, "invalid_body"]],
      ["push", "https://push.example/send", [400, "invalid_body"]],
      ["push", pushSubscriber("http://push.example/send").subscription, [400, "invalid_body"]],
      ["push", pushSubscriber("https://10.0.0.1/send").subscription, [400, "invalid_body"]],
      ["push", pushSubscriber("https://169.254.169.254/").subscription, [400, "invalid_body"]],
    ] as const)
      assert.deepEqual(refusal(await ana.add(kind, target)), expected, `${kind} ${target}`);
    assert.deepEqual((await ana.list()).items, []);
    for (const [what, payload, expected] of NO_OBJECTS)
      for (const method of ["POST", "PATCH"] as const) {
        const headers = { ...ana.headers, "content-type": "application/json" };
        assert.deepEqual(
          refusal(await app.send(method, PATH, { headers, payload })),
          expected,
          what,
        );
      }
  });
});

test("a channel is there once, ten of them at most, and tries are counted", async (t) => {
  await oneApp(t, async (app, t) => {
    const { url } = await receiver(t);
    const ana = await browser(app, "ana@example.com");
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ana.add("webhook", `${url}/${index}`)),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 10);
    assert.deepEqual(refusal(await ana.add("webhook", `${url}/99`)), [403, "limit_reached"]);
    const [first] = (await ana.list()).items;
    assert.deepEqual(refusal(await ana.add("webhook", first.target)), [409, "duplicate"]);
    for (let tries = 14; tries < 20; tries++) await ana.add("webhook", url);
    assert.deepEqual(refusal(await ana.add("webhook", url)), [429, "rate_limit_exceeded"]);
  });
});

test("channels are switched and deleted by their user alone; another's is not there", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await browser(app, "ana@example.com");
    const eva = await browser(app, "eva@example.com");
    const { id } = (await ana.add("email", "ana@example.com")).json();
    for (const known of [id, "999"]) {
      assert.deepEqual(refusal(await eva.patch({ id: known, enabled: false })), [404, "not_found"]);
      assert.deepEqual(refusal(await eva.remove(known)), [404, "not_found"]);
      assert.deepEqual(refusal(await eva.test(known)), [404, "not_found"]);
      assert.deepEqual(refusal(await eva.verify(known, "123456")), [404, "not_found"]);
    }
    for (const change of [
      { id },
      { id, enabled: 1 },
      { enabled: true },
      { id: "x", enabled: true },
      { id: 1, enabled: true },
    ])
      assert.deepEqual(refusal(await ana.patch(change)), [400, "invalid_body"]);
    for (const noId of ["", "x", "1e3"]) {
      assert.deepEqual(refusal(await ana.test(noId)), [400, "invalid_body"], noId);
      assert.deepEqual(refusal(await ana.verify(noId, "123456")), [400, "invalid_body"], noId);
    }
    assert.deepEqual((await ana.patch({ id, enabled: false })).json(), { status: "updated" });
    assert.equal((await ana.list()).items[0].enabled, false);
    assert.deepEqual((await ana.remove(id)).json(), { status: "deleted" });
    assert.deepEqual((await ana.list()).items, []);
  });
});

test("M2: one receiver gets one code a minute and five an hour, over all accounts", async (t) => {
  await oneApp(t, async (app, t) => {
    const { url, calls } = await receiver(t);
    const users = await Promise.all(
      ["ana", "eva"].map((name) => browser(app, `${name}@a.example`)),
    );
    for (let minute = 0; minute < 30; minute++) {
      for (const user of users) {
        const [channel] = (await user.list()).items;
        if (channel === undefined) await user.add("webhook", url);
        else await user.test(channel.id);
      }
      app.users.advance(60_000);
    }
    assert.equal(calls.length, 5);
  });
});

test("a code that does not arrive leaves the channel pending, and says why", async (t) => {
  await oneApp(t, async (app, t) => {
    const { url, answer } = await receiver(t);
    answer(503);
    const ana = await browser(app, "ana@example.com");
    const added = await ana.add("webhook", url);
    assert.equal(added.statusCode, 201);
    assert.match(added.json().verification, /did not arrive/);
    const [channel] = (await ana.list()).items;
    assert.deepEqual([channel.status, channel.last_error], ["pending", "It answered 503."]);
    app.users.advance(60_000);
    const eva = await browser(app, "eva@example.com", "es");
    assert.match((await eva.add("webhook", url)).json().verification, /\(Respondió 503\.\)/);
    const [listed] = (await eva.list()).items;
    assert.equal(listed.last_error, "Respondió 503.");
    app.users.advance(60_000);
    assert.equal((await eva.test(listed.id)).json().error, "Respondió 503.");
  });
});

test("every path about channels needs a session, and writes with the cookie our own origin", async (t) => {
  await oneApp(t, async (app) => {
    const { cookie } = await app.signIn("ana@example.com");
    for (const [method, path] of [
      ["GET", PATH],
      ["POST", PATH],
      ["PATCH", PATH],
      ["DELETE", `${PATH}?id=1`],
      ["POST", `${PATH}/1/verify`],
      ["POST", `${PATH}/1/test`],
      ["POST", `${PATH}//test`],
    ] as const) {
      assert.deepEqual(refusal(await app.send(method, path)), [401, "unauthorized"], path);
      if (method === "GET") continue;
      const foreign = { cookie, origin: "https://evil.example" };
      const response = await app.send(method, path, { headers: foreign });
      assert.deepEqual(refusal(response), [403, "forbidden_origin"], `${method} ${path}`);
    }
  });
});
