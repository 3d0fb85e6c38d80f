import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import {
  type Dashboard,
  demoMint,
  type Session,
  sidewaysOverflow,
  startDashboard,
  type VisitorOptions,
  violationsOn,
} from "#test/support/dashboard.ts";
import { runCommand } from "#test/support/service.ts";

const EMAIL = "looker@example.com";

type PlannedPage = {
  readonly name: string;
  readonly path: string;
  readonly isPrivate?: boolean;
  /** Present once the page's data has arrived. */
  readonly sign: string;
};

const PAGES: readonly PlannedPage[] = [
  { name: "home", path: "/", sign: ".example" },
  { name: "token", path: `/token/${demoMint("Three")}`, sign: "table a.address" },
  { name: "token-other-family", path: `/token/${demoMint("Sea")}`, sign: "table a.address" },
  { name: "token-unknown", path: `/token/${"So1".padEnd(43, "1")}`, sign: ".notice" },
  { name: "sign-in", path: "/sign-in", sign: "#email" },
  { name: "watchlist", path: "/watchlist", sign: "#watch-mint", isPrivate: true },
  { name: "alerts", path: "/alerts", sign: "#channels", isPrivate: true },
  { name: "api-keys", path: "/api-keys", sign: "pre.code", isPrivate: true },
  { name: "account", path: "/account", sign: "#own-data", isPrivate: true },
  { name: "watchlist-signed-out", path: "/watchlist", sign: ".panel .button" },
  { name: "method", path: "/method", sign: "details" },
  { name: "status", path: "/status", sign: ".venue-list li" },
];

const LOOKS: readonly (VisitorOptions & { readonly name: string })[] = [
  { name: "light-es", theme: "light", language: "es" },
  { name: "light-en", theme: "light", language: "en" },
  { name: "dark-es", theme: "dark", language: "es" },
  { name: "dark-en", theme: "dark", language: "en" },
  { name: "phone-es", theme: "light", language: "es", isPhone: true },
];

test("every page in both themes and both languages, wide and on a phone: no violation, no sideways scroll, nothing refused", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const session = await (await dashboard.visit()).signIn(EMAIL);
  const raised = runCommand(dashboard.place, ["admin", "user", "tier", EMAIL, "pro"]);
  assert.equal(raised.code, 0, raised.err);
  for (const look of LOOKS) await t.test(look.name, (t) => lookAround(t, dashboard, look, session));
});

async function lookAround(
  t: TestContext,
  dashboard: Dashboard,
  look: (typeof LOOKS)[number],
  session: Session,
): Promise<void> {
  const stranger = await dashboard.visit(look);
  const member = await dashboard.visit({ ...look, session });
  for (const { name, path, sign, isPrivate = false } of PAGES) {
    await t.test(name, async () => {
      const { page, open, keepPicture } = isPrivate ? member : stranger;
      await open(path);
      await page.locator(sign).first().waitFor();
      await settled(page);
      await keepPicture(`${name}-${look.name}`);
      assert.equal(await page.evaluate("document.documentElement.lang"), look.language);
      assert.equal(await page.evaluate("document.documentElement.dataset.theme"), look.theme);
      assert.equal(await sidewaysOverflow(page), 0, "pixels beyond the window");
      assert.deepEqual(await violationsOn(page), []);
    });
  }
}

/** Nothing is being loaded any more, and the charts are drawn. */
async function settled(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}
