import { createHmac } from "node:crypto";
import type { CodeRequest } from "#src/store/sign-in-requests.ts";
import { secretFor } from "./auth-secret.ts";
import type { Browser, Browsers } from "./browsers.ts";
import { countedAddress, isLoopback } from "./caller-address.ts";
import type { EmailAddress } from "./email-address.ts";

/** Where a request for a code, or a code, comes from. */
export type Asker = {
  readonly cookies: string | undefined;
  readonly address: string;
};

export type Askers = {
  /** Who asks for a code. A browser that shows its cookie; any other caller is its address. */
  readonly requestOf: (email: EmailAddress, asker: Asker) => CodeRequest;
  /** All names under which a caller may have asked for the code that it brings. */
  readonly namesOf: (asker: Asker) => readonly string[];
  readonly browserOf: (asker: Asker) => Browser | null;
};

export function createAskers(deps: {
  readonly authSecret: string;
  readonly browsers: Browsers;
}): Askers {
  const { browsers } = deps;
  const secret = secretFor("askers", deps.authSecret);
  const nameOf = (kind: "browser" | "address", id: string): string =>
    createHmac("sha256", secret).update(`${kind}/${id}`).digest("base64url").slice(0, 22);
  const ofAddress = ({ address }: Asker): string => nameOf("address", countedAddress(address));
  const ofBrowser = ({ id }: Browser): string => nameOf("browser", id);
  return {
    browserOf: ({ cookies }) => browsers.read(cookies),
    namesOf(asker) {
      const browser = browsers.read(asker.cookies);
      return browser === null ? [ofAddress(asker)] : [ofBrowser(browser), ofAddress(asker)];
    },
    requestOf(email, asker) {
      const browser = browsers.read(asker.cookies);
      return {
        email,
        asker: browser === null ? ofAddress(asker) : ofBrowser(browser),
        address: isLoopback(asker.address) ? null : countedAddress(asker.address),
        isFromKnownBrowser: browser !== null && browsers.isKnown(browser, email),
      };
    },
  };
}
