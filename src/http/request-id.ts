import { randomUUID } from "node:crypto";

/** Ids that no other process and no other start gives: a random part made once, and a count. */
export function createRequestIds(): () => string {
  const start = randomUUID().slice(0, 13);
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
