import { userBody } from "#src/api/users/user-bodies.ts";
import { timestamp } from "#src/api/values.ts";
import { dayOf } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { deleteUserData } from "#src/store/user-data.ts";
import { parseUserId } from "#src/store/user-id.ts";
import { type FoundUser, searchUsers } from "#src/store/user-search.ts";
import {
  findUser,
  findUserByEmail,
  setUserDisabled,
  setUserTier,
  type User,
} from "#src/store/users.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { parseUserTier, tierLimits, USER_TIERS } from "#src/users/tiers.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { formatTable, type Output, UsageError } from "./output.ts";

const FOUND_AT_MOST = 50;

/** `admin user list|find|tier|disable|enable|delete`. */
export async function adminUser({ words, flags }: AdminCall, deps: AdminDeps): Promise<number> {
  const [task, who = "", tierName = ""] = words;
  const tooMany = words.slice(task === "tier" ? 3 : 2);
  if (tooMany.length > 0) throw new UsageError(`too many words: ${tooMany.join(" ")}`);
  const { store, nowMs, output } = deps;
  if (task === "list" || task === "find") {
    if ((task === "list") !== (who === ""))
      throw new UsageError("user list takes no argument, user find takes one");
    return find({ text: who, isJson: flags.json === true }, deps);
  }
  const change = changeFor(task, tierName, flags.yes === true);
  const user = await namedUser(store, who);
  if (user === null) return noUser(who, output);
  await change(store, user, nowMs);
  const after = await findUser(store.db, user.id);
  if (flags.json === true) output.out(JSON.stringify(after === null ? null : shown(after)));
  else output.out(after === null ? `${user.id} is deleted` : formatTable(rowsOf([after])));
  return 0;
}

type Change = (store: Store, user: User, nowMs: number) => Promise<unknown>;

function changeFor(task: string | undefined, tierName: string, isSure: boolean): Change {
  switch (task) {
    case "tier": {
      const tier = parseUserTier(tierName);
      if (tier === null) throw new UsageError(`TIER must be one of ${USER_TIERS.join(", ")}`);
      return ({ db }, { id }, nowMs) => setUserTier(db, { userId: id, tier }, nowMs);
    }
    case "disable":
    case "enable": {
      const isDisabled = task === "disable";
      return ({ db }, { id }, nowMs) => setUserDisabled(db, { userId: id, isDisabled }, nowMs);
    }
    case "delete":
      if (!isSure)
        throw new UsageError("this deletes all data of the user; repeat the command with --yes");
      return ({ db }, { id }, nowMs) => deleteUserData(db, id, { nowMs, kept: null });
    default:
      throw new UsageError(
        "user list | find TEXT | tier USER TIER | disable USER | enable USER | delete USER",
      );
  }
}

/** The user with this e-mail address or id. */
export async function namedUser({ db }: Store, who: string): Promise<User | null> {
  const userId = parseUserId(who.toLowerCase());
  if (userId !== null) return findUser(db, userId);
  const email = parseEmailAddress(who);
  if (email === null) throw new UsageError("USER must be an e-mail address or an id");
  return findUserByEmail(db, email);
}

export function noUser(who: string, output: Output): number {
  output.err(`there is no user ${who}`);
  return 1;
}

async function find(
  { text, isJson }: { readonly text: string; readonly isJson: boolean },
  { store, nowMs, output }: AdminDeps,
): Promise<number> {
  const query = { text, limit: FOUND_AT_MOST + 1, day: dayOf(nowMs) };
  const all = await searchUsers(store.db, query);
  const users = all.slice(0, FOUND_AT_MOST);
  if (all.length > users.length)
    output.err(`only the newest ${FOUND_AT_MOST} are listed; user find TEXT lists fewer`);
  if (isJson) {
    const found = (user: FoundUser) => ({
      ...shown(user),
      api_keys: user.keys,
      used_today: countedToday(user),
    });
    output.out(JSON.stringify(users.map(found)));
  } else if (users.length === 0) {
    output.out(text === "" ? "no users" : `no user's address or id has "${text}" in it`);
  } else {
    const extra: readonly (readonly (string | number)[])[] = [
      ["keys", "today"],
      ...users.map((user) => [user.keys, countedToday(user) ?? "-"]),
    ];
    output.out(formatTable(rowsOf(users).map((row, index) => [...row, ...(extra[index] ?? [])])));
  }
  return 0;
}

/** Today's queries; null in a tier without a daily limit, whose queries of a day are not counted. */
function countedToday({ tier, usedToday }: FoundUser): number | null {
  const known = parseUserTier(tier);
  return known === null || tierLimits(known).dailyQueries === null ? null : usedToday;
}

function shown(user: User) {
  const { disabledAtMs } = user;
  return {
    ...userBody(user),
    disabled_at: disabledAtMs === null ? null : timestamp(disabledAtMs),
  };
}

function rowsOf(users: readonly User[]): readonly (readonly string[])[] {
  const rows = users.map((user) => [
    user.id,
    user.email ?? "(external)",
    user.tier,
    timestamp(user.createdAtMs).slice(0, 16),
    user.disabledAtMs === null ? "" : "disabled",
  ]);
  return [["id", "e-mail", "tier", "created", ""], ...rows];
}
