import type { EmailAddress } from "./email-address.ts";
import type { Mail } from "./mailer.ts";
import { CODE_VALID_SECONDS } from "./sign-in-codes.ts";

/** The mail with a sign-in code. The same for new and existing users. */
export function signInMail(input: {
  readonly to: EmailAddress;
  readonly code: string;
  readonly publicUrl: string;
}): Mail {
  return {
    to: input.to,
    subject: "Your sign-in code for Exitability",
    text: [
      `Your sign-in code is ${input.code}`,
      "",
      `Enter it at ${input.publicUrl}. It works once, for ${CODE_VALID_SECONDS / 60} minutes.`,
      "",
      "If you did not ask for it, nothing has to be done: it is not possible to sign in without the code.",
      "",
    ].join("\n"),
  };
}
