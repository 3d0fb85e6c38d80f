import type { ApiKeysTables } from "./api-keys.ts";
import type { EventsTables } from "./events.ts";
import type { SignInRequestsTables } from "./sign-in-requests.ts";
import type { UsageTables } from "./usage.ts";
import type { UsersTables } from "./users.ts";
import type { WaitlistTables } from "./waitlist.ts";

/** Every table. A group of tables is typed, and queried, in a file of its own. */
export type Schema = UsageTables &
  UsersTables &
  SignInRequestsTables &
  ApiKeysTables &
  WaitlistTables &
  EventsTables;
