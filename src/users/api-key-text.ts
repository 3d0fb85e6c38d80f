import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 26 digits of base62: 154 bits. */
const SECRET_DIGITS = 26;
/** Enough base62 digits for a 32-bit checksum. */
const CHECK_DIGITS = 6;
const FORM = /^([a-z][a-z0-9]{0,15})_([0-9A-Za-z]{26})([0-9A-Za-z]{6})$/;
/** The largest multiple of 62 in a byte: higher bytes would favour the first digits. */
const UNBIASED_BELOW = 248;
const HINT_DIGITS = 4;

/** A new API key: `prefix_`, 154 random bits, and a checksum over both. */
export function newApiKeyText(prefix: string): string {
  const secret = randomDigits(SECRET_DIGITS);
  return `${prefix}_${secret}${checkDigits(prefix, secret)}`;
}

/** Whether a text has the form and checksum of an API key: a typo fails without a query. */
export function isApiKeyText(text: string): boolean {
  const match = FORM.exec(text);
  if (match === null) return false;
  const [, prefix = "", secret = "", check = ""] = match;
  return checkDigits(prefix, secret) === check;
}

/** The stored hash of a key. 154 random bits need no salt and no slow hash. */
export function hashApiKey(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Enough of a key for its owner to distinguish it, and useless as a credential. */
export function apiKeyHint(text: string): string {
  const start = text.indexOf("_") + 1 + HINT_DIGITS;
  return `${text.slice(0, start)}…${text.slice(-HINT_DIGITS)}`;
}

function checkDigits(prefix: string, secret: string): string {
  let sum = crc32(`${prefix}_${secret}`);
  let digits = "";
  for (let digit = 0; digit < CHECK_DIGITS; digit++) {
    digits = BASE62.charAt(sum % 62) + digits;
    sum = Math.floor(sum / 62);
  }
  return digits;
}

function randomDigits(count: number): string {
  let digits = "";
  while (digits.length < count) {
    for (const byte of randomBytes(count))
      if (byte < UNBIASED_BELOW && digits.length < count) digits += BASE62.charAt(byte % 62);
  }
  return digits;
}
