import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { EmailAddress } from "./email-address.ts";

export type Mail = {
  readonly to: EmailAddress;
  /** Never holds a code: subjects are shown on locked screens and kept in logs. */
  readonly subject: string;
  readonly text: string;
  /** The same at every attempt to send the same mail: mailboxes show one of them. */
  readonly messageId?: string;
};

export type Mailer = {
  /** Resolves when the mail server has taken the mail, or the file is written. */
  readonly send: (mail: Mail) => Promise<void>;
  readonly close: () => void;
};

const SMTP_TIMEOUT_MS = 10_000;

/** Mail through a server (`smtp:` or `smtps:` with user and password in the address). */
export function createSmtpMailer(settings: {
  readonly smtpUrl: string;
  readonly mailFrom: string;
}): Mailer {
  const transport = createTransport(
    {
      url: settings.smtpUrl,
      pool: true,
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: settings.mailFrom },
  );
  return {
    async send(mail) {
      await transport.sendMail(mail).catch((cause: unknown) => {
        throw withoutAddresses(cause);
      });
    },
    close: () => transport.close(),
  };
}

/** Each mail a file in `directory`, which any mail program opens; its path goes to `onFile`. */
export function createFileMailer(settings: {
  readonly directory: string;
  readonly mailFrom: string;
  readonly nowMs: () => number;
  readonly onFile: (path: string) => void;
}): Mailer {
  const { directory, mailFrom, nowMs, onFile } = settings;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const composer = createTransport(
    { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true },
    { from: mailFrom },
  );
  return {
    async send(mail) {
      const { message } = await composer.sendMail(mail);
      if (!Buffer.isBuffer(message)) throw new Error("the mail was composed as a stream");
      const moment = new Date(nowMs()).toISOString().replaceAll(/[:.]/g, "-");
      const path = join(directory, `${moment}-${randomBytes(4).toString("hex")}.eml`);
      await writeFile(path, message, { mode: 0o600 });
      onFile(path);
    },
    close: () => composer.close(),
  };
}

/** Mail servers quote the address that they refuse, and errors end in a log: code and status remain. */
function withoutAddresses(cause: unknown): Error {
  const { code, responseCode } = cause instanceof Error ? smtpFailure(cause) : UNKNOWN_FAILURE;
  const status = responseCode === null ? "" : `, status ${responseCode}`;
  return Object.assign(new Error(`the mail server did not take the mail: ${code}${status}`), {
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
