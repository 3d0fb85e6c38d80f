import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { SMTPServer } from "smtp-server";
import { closeAfter } from "#test/support/ending.ts";
import { type EmailAddress, parseEmailAddress } from "./email-address.ts";
import { createSmtpMailer } from "./mailer.ts";
import { signInMail } from "./sign-in-mail.ts";

const ANA = parseEmailAddress("ana@example.com") as EmailAddress;

/** A mailer, and a mail server that keeps what it accepts, and refuses while `refuse` returns true. */
async function mailerAndServer(
  t: TestContext,
  refuse: () => boolean = () => false,
  accepts: Promise<void> = Promise.resolve(),
) {
  const taken: { to: readonly string[]; text: string; user: string | undefined }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === "secret" ? done(null, { user: username }) : done(new Error("wrong password")),
    onRcptTo: ({ address }, _session, done) =>
      done(refuse() ? new Error(`<${address}> is not known here`) : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        taken.push({ to, text: Buffer.concat(chunks).toString(), user: session.user });
        void accepts.then(() => done());
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const smtpUrl = `smtp://post:secret@127.0.0.1:${port}`;
  const mailer = createSmtpMailer({ smtpUrl, mailFrom: "Exitability <no-reply@example.com>" });
  closeAfter(t, async () => {
    mailer.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
  return { taken, mailer };
}

test("a sign-in mail goes to the one address, with the code in its text and not in its subject", async (t) => {
  const { taken, mailer } = await mailerAndServer(t);
  await mailer.send(signInMail({ to: ANA, code: "123456", publicUrl: "https://exit.example" }));
  const [mail] = taken;
  assert.deepEqual(mail?.to, ["ana@example.com"]);
  assert.equal(mail?.user, "post");
  assert.match(mail?.text ?? "", /^From: Exitability <no-reply@example\.com>\r?$/m);
  assert.match(mail?.text ?? "", /Your sign-in code is 123456/);
  assert.doesNotMatch(/^Subject: .*$/m.exec(mail?.text ?? "")?.[0] ?? "123456", /123456/);
});

test("an error of a refused mail does not contain the address", async (t) => {
  let isRefusing = true;
  const { taken, mailer } = await mailerAndServer(t, () => isRefusing);
  const mail = signInMail({ to: ANA, code: "123456", publicUrl: "https://exit.example" });
  await assert.rejects(mailer.send(mail), (error: Error) => {
    const logged = JSON.stringify({ ...error, message: error.message, stack: error.stack });
    return !logged.includes("ana@") && !logged.includes("123456") && !logged.includes("secret");
  });
  isRefusing = false;
  await mailer.send(mail);
  assert.equal(taken.length, 1);
});

test("a mail that is given up while it waits for a connection is never sent", async (t) => {
  const accepts = Promise.withResolvers<void>();
  const { taken, mailer } = await mailerAndServer(t, undefined, accepts.promise);
  const mail = signInMail({ to: ANA, code: "123456", publicUrl: "https://exit.example" });
  const begun = Array.from({ length: 5 }, () => mailer.send(mail));
  const waiting = new AbortController();
  const givenUp = assert.rejects(mailer.send(mail, waiting.signal));
  const last = mailer.send(mail);
  waiting.abort();
  accepts.resolve();
  await Promise.all([...begun, givenUp, last]);
  assert.equal(taken.length, 6);
});

test("an unreachable server is an error within the timeout", async () => {
  const mailer = createSmtpMailer({ smtpUrl: "smtp://127.0.0.1:9", mailFrom: "a@example.com" });
  const mail = signInMail({ to: ANA, code: "123456", publicUrl: "https://exit.example" });
  await assert.rejects(mailer.send(mail), { code: "ESOCKET" });
  mailer.close();
});
