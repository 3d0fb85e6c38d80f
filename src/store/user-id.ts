import { randomUUID } from "node:crypto";

/** A user's UUID, lower case. */
export type UserId = string & { readonly __brand: "UserId" };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function parseUserId(text: string): UserId | null {
  return UUID.test(text) ? (text as UserId) : null;
}

export function newUserId(): UserId {
  return randomUUID() as UserId;
}
