import { ACCOUNTS } from "./accounts.ts";
import { ALERTS } from "./alerts.ts";
import { MEASURING } from "./measuring.ts";
import type { Operation } from "./operation.ts";
import { SERVICE } from "./service.ts";
import { STREAMS } from "./streams.ts";
import { WATCHLIST } from "./watchlist.ts";

/** Every method on every path that the service answers, the dashboard's own pages apart. */
export const OPERATIONS: readonly Operation[] = [
  ...MEASURING,
  ...STREAMS,
  ...ACCOUNTS,
  ...WATCHLIST,
  ...ALERTS,
  ...SERVICE,
];
