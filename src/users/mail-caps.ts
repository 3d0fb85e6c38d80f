import type { DailyLimit } from "#src/store/usage.ts";

/** What a day's mails with codes are limited by; the names are labels of a metric. */
export type MailCap =
  | "mailbox_from_asker"
  | "mailbox"
  | "address"
  | "new_from_address"
  | "new_to_domain"
  | "new"
  | "all";

/** Mails in one UTC day. The table of docs/abuse.md has the reasons. */
const MAILS_A_DAY: Readonly<Record<MailCap, number>> = {
  mailbox_from_asker: 10,
  mailbox: 30,
  address: 30,
  new_from_address: 10,
  new_to_domain: 500,
  new: 5_000,
  all: 20_000,
};

export type CappedMail = {
  readonly email: string;
  /** The mailbox in the form in which it is counted: a keyed hash. */
  readonly mailbox: string;
  readonly asker: string;
  /** An account, where it asks for the code of a channel. Null: this machine, whose callers are not distinguished. */
  readonly address: string | null;
  /** The mailbox's owner signed in from this browser before: other callers cannot use up its mails. */
  readonly isFromKnownBrowser: boolean;
  /** No account has this address yet. */
  readonly isToNewUser: boolean;
};

/** The limits that a mail counts against, narrowest first. */
export function mailCapsOf(mail: CappedMail): readonly (DailyLimit & { readonly name: MailCap })[] {
  const { mailbox, asker, address, isFromKnownBrowser, isToNewUser } = mail;
  const domain = mail.email.slice(mail.email.lastIndexOf("@") + 1);
  const subjects: Partial<Record<MailCap, string>> = {
    mailbox_from_asker: `mails/to:${mailbox}/from:${asker}`,
    ...(!isFromKnownBrowser && { mailbox: `mails/to:${mailbox}` }),
    ...(address !== null && { address: `mails/from:${address}` }),
    ...(isToNewUser && {
      ...(address !== null && { new_from_address: `mails/new/from:${address}` }),
      new_to_domain: `mails/new/domain:${domain}`,
      new: "mails/new",
    }),
    all: "mails",
  };
  return (Object.keys(subjects) as MailCap[]).map((name) => ({
    name,
    subject: subjects[name] ?? "",
    limit: MAILS_A_DAY[name],
  }));
}
