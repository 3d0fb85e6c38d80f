import { createHmac } from "node:crypto";
import type { User } from "#src/store/users.ts";
import { secretFor } from "./auth-secret.ts";

/** Names of counts that outlive an account: keyed hashes, which do not reveal the address. */
export type KeptNames = {
  /** Under which the queries of a deleted account are kept. */
  readonly ofEmail: (email: string) => string;
  /** Under which a mailbox's mails of the day are counted. */
  readonly ofMailbox: (email: string) => string;
  /** Under which the codes of the last hour to a mailbox, a chat or a URL are counted. */
  readonly ofReceiver: (receiver: string) => string;
  /** Under which the mails are counted that an account asks for: a new account of its address goes on with them. */
  readonly ofAccount: (user: Pick<User, "id" | "email">) => string;
  readonly ofIdentity: (identity: { readonly issuer: string; readonly subject: string }) => string;
};

export function createKeptNames(authSecret: string): KeptNames {
  const secret = secretFor("deleted-accounts", authSecret);
  const hashOf = (identity: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(identity)).digest("base64url");
  return {
    ofEmail: (email) => `deleted:${hashOf([email])}`,
    ofMailbox: (email) => hashOf(["mailbox", email]),
    ofReceiver: (receiver) => hashOf(["receiver", receiver]),
    ofAccount: ({ id, email }) => hashOf(["account", email ?? id]),
    ofIdentity: ({ issuer, subject }) => `deleted:${hashOf([issuer, subject])}`,
  };
}
