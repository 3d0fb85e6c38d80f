import type { UserCaller } from "#src/users/caller.ts";
import type { Users } from "#src/users/users.ts";

/** Mails the owner of an account that has a new key. */
export async function noticeNewKey(
  { records, notices }: Pick<Users, "records" | "notices">,
  userId: UserCaller["userId"],
): Promise<void> {
  const user = await records.find(userId);
  notices.send(user?.email ?? null, "api-key");
}
