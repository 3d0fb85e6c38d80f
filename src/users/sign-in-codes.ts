import { createHmac, randomInt } from "node:crypto";
import type { WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { guessSignInCode, setSignInCode } from "#src/store/sign-in-codes.ts";
import { secretFor } from "./auth-secret.ts";
import type { EmailAddress } from "./email-address.ts";

const CODE_DIGITS = 6;
const CODE_FORM = new RegExp(`^\\d{${CODE_DIGITS}}$`);
const GUESSES_ALLOWED = 5;
export const CODE_VALID_SECONDS = 600;

export type SignInCodes = {
  /** Makes a code for the asker, in place of an earlier one. Stored as an HMAC under our secret. */
  readonly make: (email: EmailAddress, asker: string) => Promise<string>;
  /** Whether the code is one of these askers'; it is used up then. */
  readonly use: (guess: {
    readonly email: EmailAddress;
    readonly askers: readonly string[];
    readonly code: string;
  }) => Promise<boolean>;
};

export function createSignInCodes(deps: {
  readonly store: Store;
  readonly authSecret: string;
  readonly clock: WallClock;
}): SignInCodes {
  const { store, clock } = deps;
  const secret = secretFor("sign-in-codes", deps.authSecret);
  const hashOf = (email: string, code: string): string =>
    createHmac("sha256", secret).update(`${email}/${code}`).digest("base64url");
  return {
    async make(email, asker) {
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
      const expiresAtMs = clock.nowMs() + CODE_VALID_SECONDS * 1_000;
      const codeHash = hashOf(email, code);
      await setSignInCode(store.db, { email, asker }, { codeHash, expiresAtMs });
      return code;
    },
    async use({ email, askers, code }) {
      if (!CODE_FORM.test(code)) return false;
      const codeHash = hashOf(email, code);
      const guess = { email, askers, codeHash, mostGuesses: GUESSES_ALLOWED };
      return guessSignInCode(store.db, guess, clock.nowMs());
    },
  };
}
