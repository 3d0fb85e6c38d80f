import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { WallClock } from "#src/platform/clock.ts";
import { makeDirectory } from "#src/platform/make-directory.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { EmailAddress } from "./email-address.ts";

export type Mail = {
  readonly to: EmailAddress;
  /** Never contains a code: subjects are shown on lock screens and stored in logs. */
  readonly subject: string;
  readonly text: string;
  /** The same at every attempt to send one mail: mailboxes show it once. */
  readonly messageId?: string;
};

export type Mailer = {
  /**
   * Resolves when the mail server has accepted the mail, or the file is written. If the signal aborts
   * while the mail waits for a connection, the mail is never sent.
   */
  readonly send: (mail: Mail, signal?: AbortSignal) => Promise<void>;
  readonly close: () => void;
};

const SMTP_TIMEOUT_MS = 10_000;
const SMTP_CONNECTIONS = 5;

/** Sends mail through a server (`smtp:` or `smtps:` with user and password in the URL). */
export function createSmtpMailer(settings: {
  readonly smtpUrl: string;
  readonly mailFrom: string;
}): Mailer {
  const transport = createTransport(
    {
      url: settings.smtpUrl,
      pool: true,
      maxConnections: SMTP_CONNECTIONS,
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: settings.mailFrom },
  );
  // The library's own queue sends a mail also after its sender has given it up and will send it again.
  const turns = new TaskQueue({
    maxActive: SMTP_CONNECTIONS,
    maxWaiting: Infinity,
    overloadedMessage: "Too many mails wait to be sent.",
  });
  return {
    async send(mail, signal) {
      const sent = turns.run(() => transport.sendMail(mail), signal);
      await sent.catch((cause: unknown) => {
        throw withoutAddresses(cause);
      });
    },
    close() {
      void turns.close();
      transport.close();
    },
  };
}

/** Writes each mail to a file in `directory`, for any mail program; `onFile` gets its path. */
export function createFileMailer(settings: {
  readonly directory: string;
  readonly mailFrom: string;
  readonly clock: WallClock;
  readonly onFile: (path: string) => void;
}): Mailer {
  const { directory, mailFrom, clock, onFile } = settings;
  makeDirectory(directory, 0o700);
  const composer = createTransport(
    { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true },
    { from: mailFrom },
  );
  return {
    async send(mail) {
      const { message } = await composer.sendMail(mail);
      if (!Buffer.isBuffer(message)) throw new Error("the mail was composed as a stream");
      const moment = new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, "-");
      const path = join(directory, `${moment}-${randomBytes(4).toString("hex")}.eml`);
      await writeFile(path, message, { mode: 0o600 });
      onFile(path);
    },
    close: () => composer.close(),
  };
}

/** Mail servers quote the refused address, and errors are logged: only code and status are kept. */
function withoutAddresses(cause: unknown): Error {
  const { code, responseCode } = cause instanceof Error ? smtpFailure(cause) : UNKNOWN_FAILURE;
  const status = responseCode === null ? "" : `, status ${responseCode}`;
  return Object.assign(new Error(`the mail server refused the mail: ${code}${status}`), {
    code,
  });
}

type SmtpFailure = { readonly code: string; readonly responseCode: number | null };

const UNKNOWN_FAILURE: SmtpFailure = { code: "EUNKNOWN", responseCode: null };

function smtpFailure(cause: Error): SmtpFailure {
  return {
    code: "code" in cause ? String(cause.code) : UNKNOWN_FAILURE.code,
    responseCode: "responseCode" in cause ? Number(cause.responseCode) : null,
  };
}
