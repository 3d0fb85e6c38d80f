import { randomUUID } from "node:crypto";

const RADIX = 36;
/** The last two digits of every count. */
const ENDINGS = Array.from({ length: RADIX ** 2 }, (_, count) =>
  count.toString(RADIX).padStart(2, "0"),
);

/** Ids that no other process and no other start gives: a random part made once, and a count. */
export function createRequestIds(): () => string {
  const start = randomUUID().slice(0, 13);
  let beginning = `${start}-0`;
  let count = 0;
  return () => {
    const place = count % ENDINGS.length;
    if (place === 0) beginning = `${start}-${(count / ENDINGS.length).toString(RADIX)}`;
    count++;
    return beginning + ENDINGS[place];
  };
}
