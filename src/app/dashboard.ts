import { join } from "node:path";

/** The paths that the dashboard's own router answers (web/src/app/app.tsx). */
export const DASHBOARD_PAGES = [
  "/",
  "/token/:id",
  "/sign-in",
  "/api-keys",
  "/watchlist",
  "/alerts",
  "/account",
  "/method",
  "/status",
] as const;

/** The built files of the dashboard. */
export const DASHBOARD_DIRECTORY = join(import.meta.dirname, "..", "..", "web", "dist");
