import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import type { EmailAddress } from "./email-address.ts";
import { parseEmailAddress } from "./email-address.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** What the owner of an account is mailed about, because another person may have done it. */
export type NoticeKind = "sign-in" | "api-key" | "deleted";

export type Notices = {
  /** Mails the owner. Nothing waits for the mail, and a refused one is logged, not repeated. */
  readonly send: (email: string | null, kind: NoticeKind) => void;
};

const TEXTS: Readonly<Record<NoticeKind, { readonly subject: string; readonly what: string }>> = {
  "sign-in": {
    subject: "New sign-in to Exitability",
    what: "Your account was signed in to from a browser that was not used for it before.",
  },
  "api-key": {
    subject: "New API key for your Exitability account",
    what: "A new API key was made for your account.",
  },
  deleted: {
    subject: "Your Exitability account was deleted",
    what: "Your account and everything stored about it were deleted.",
  },
};

export function createNotices(deps: {
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly log: FailureLogger;
}): Notices {
  const { mailer, publicUrl, log } = deps;
  const failures = new FailureLog({
    log,
    what: "mail an owner about a change of the account",
    next: "this notice is dropped",
  });
  return {
    send(text, kind) {
      const to = text === null ? null : parseEmailAddress(text);
      if (to === null) return;
      void failures.outcomeOf(mailer.send(noticeMail({ to, kind, publicUrl })));
    },
  };
}

function noticeMail(notice: {
  readonly to: EmailAddress;
  readonly kind: NoticeKind;
  readonly publicUrl: string;
}): Mail {
  const { subject, what } = TEXTS[notice.kind];
  const advice =
    notice.kind === "deleted"
      ? "If this was not you, another person can read your mail: secure the mailbox first."
      : `If this was not you, end the other sessions and revoke the keys at ${notice.publicUrl}.`;
  return { to: notice.to, subject, text: [what, "", advice, ""].join("\n") };
}
