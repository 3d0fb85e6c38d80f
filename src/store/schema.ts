import type { UsageTables } from "./usage.ts";

/** Every table. A group of tables is typed, and queried, in a file of its own. */
export type Schema = UsageTables;
