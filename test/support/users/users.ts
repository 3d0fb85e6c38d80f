import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import type { EmailAddress } from "#src/users/email-address.ts";
import { createFileMailer, type Mail, type Mailer } from "#src/users/mailer.ts";
import { createUsers, type Users, type UsersDeps } from "#src/users/users.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const TEST_PUBLIC_URL = "http://127.0.0.1:8080";
export const TEST_AUTH_SECRET = "a secret for tests that is long enough";

/** Users on a real database, with a clock to turn and a mailbox to look into. */
export type TestUsers = Users & {
  readonly clock: WallClock;
  /** Turns the clock. The library's own clock for codes is the real one. */
  readonly advance: (ms: number) => void;
  readonly setNow: (ms: number) => void;
  readonly mails: readonly Mail[];
  readonly mailer: Mailer;
  /** The code in the last mail to an address. */
  readonly lastCode: (email: EmailAddress) => string;
  readonly refuseMails: (count: number) => void;
  readonly logged: readonly string[];
  readonly mailDirectory: string;
  readonly mailPaths: readonly string[];
};

/** Midday, so that hours of requests stay within one day of the quotas. Today's, since sessions begin at the real time. */
export const START_MS = (Math.floor(Date.now() / MS_PER_DAY) + 0.5) * MS_PER_DAY;

export async function testUsers(
  t: TestContext,
  store: Store,
  options: Partial<UsersDeps> & { readonly mailFiles?: boolean } = {},
): Promise<TestUsers> {
  let nowMs = START_MS;
  const mails: Mail[] = [];
  const mailPaths: string[] = [];
  const logged: string[] = [];
  let refusals = 0;
  const mailDirectory = temporaryDirectory(t);
  const memory: Mailer = {
    async send(mail) {
      if (refusals-- > 0) throw new Error("450 try again later");
      mails.push(mail);
    },
    close: () => undefined,
  };
  const files = () =>
    createFileMailer({
      directory: mailDirectory,
      mailFrom: "Exitability <no-reply@localhost>",
      clock: { nowMs: () => nowMs },
      onFile: (path) => mailPaths.push(path),
    });
  const log = (context: unknown, message?: string) => {
    const text = (_key: string, value: unknown) =>
      value instanceof Error ? `${value.message}\n${value.stack}` : value;
    logged.push(`${message} ${JSON.stringify(context, text)}`);
  };
  const users = createUsers({
    store,
    mailer: options.mailFiles === true ? files() : memory,
    authSecret: TEST_AUTH_SECRET,
    publicUrl: TEST_PUBLIC_URL,
    apiKeyPrefix: "exi",
    foreignIdentity: null,
    clock: { nowMs: () => nowMs },
    log: { info: log, warn: log, error: log },
    ...options,
  });
  return {
    ...users,
    clock: { nowMs: () => nowMs },
    advance: (ms) => {
      nowMs += ms;
    },
    setNow: (ms) => {
      nowMs = ms;
    },
    mails,
    mailer: memory,
    lastCode: (email) => {
      const mail = mails.findLast(({ to, text }) => to === email && text.includes("code is"));
      assert.ok(mail, "no mail was sent");
      const [, code] = /code is (\d{6})/.exec(mail.text) ?? [];
      assert.ok(code, "the mail holds no code");
      return code;
    },
    refuseMails: (count) => {
      refusals = count;
    },
    logged,
    mailDirectory,
    mailPaths,
  };
}
