import type { EmailAddress } from "./email-address.ts";
import type { Mail } from "./mailer.ts";
import { CODE_VALID_SECONDS } from "./sign-in-library.ts";

/** The mail with a sign-in code. The same for a new account and an old one. */
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
      "If you did not ask for it, nothing has to be done: without the code nobody gets in.",
      "",
    ].join("\n"),
  };
}
