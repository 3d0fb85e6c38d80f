import { apiKeyBody } from "#src/api/users/user-bodies.ts";
import { dayOf } from "#src/platform/clock.ts";
import { apiKeysOfUser, revokeApiKey, userOfApiKey } from "#src/store/api-keys.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { namedUser, noUser } from "./admin-user.ts";
import { formatTable, UsageError } from "./output.ts";

/** `admin key list|revoke`. */
export async function adminKey({ words, flags }: AdminCall, deps: AdminDeps): Promise<number> {
  const [task, name = "", ...tooMany] = words;
  const isJson = flags.json === true;
  if (tooMany.length > 0) throw new UsageError(`too many words: ${tooMany.join(" ")}`);
  if (task === "list") return list({ who: name, isJson }, deps);
  if (task === "revoke" && name !== "") return revoke({ keyId: name, isJson }, deps);
  throw new UsageError("key list USER | revoke KEY_ID");
}

async function list(
  { who, isJson }: { readonly who: string; readonly isJson: boolean },
  { store, nowMs, output }: AdminDeps,
): Promise<number> {
  const user = await namedUser(store, who);
  if (user === null) return noUser(who, output);
  const records = await apiKeysOfUser(store.db, user.id, dayOf(nowMs));
  const keys = records.map((record) => apiKeyBody(record, nowMs));
  if (isJson) output.out(JSON.stringify(keys));
  else if (keys.length === 0) output.out("no keys");
  else {
    const rows = keys.map((key) => [
      key.id,
      key.hint,
      key.status,
      key.created_at.slice(0, 16),
      key.last_used_at?.slice(0, 16) ?? "never",
      key.used_today,
    ]);
    output.out(formatTable([["id", "key", "status", "created", "last used", "today"], ...rows]));
  }
  return 0;
}

async function revoke(
  { keyId, isJson }: { readonly keyId: string; readonly isJson: boolean },
  { store, nowMs, output }: AdminDeps,
): Promise<number> {
  const userId = await userOfApiKey(store.db, keyId);
  if (userId === null) {
    output.err(`there is no key ${keyId}`);
    return 1;
  }
  await revokeApiKey(store.db, { userId, keyId }, nowMs);
  output.out(
    isJson
      ? JSON.stringify({ status: "revoked", id: keyId })
      : `${keyId} is revoked, within a second everywhere`,
  );
  return 0;
}
