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
} from "#test/support/processes/dashboard.ts";
import { runCommand } from "#test/support/processes/service.ts";

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

test("between a phone and a desk nothing leaves its panel, and the header is one line", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn, keepPicture } = await dashboard.visit({ language: "es" });
  await signIn("tablet@example.com");
  // A size that is not measured has the longest words of its row.
  const data = { mint: demoMint("Sea"), size_sol: 25 };
  const headers = { origin: dashboard.url };
  const added = await page.context().request.post("/api/oracle/watchlist", { data, headers });
  assert.equal(added.status(), 201);
  for (const { name, path, sign, edit } of [
    { name: "token", path: `/token/${demoMint("Three")}?size=30`, sign: ".exit-paid", edit: null },
    { name: "watchlist", path: "/watchlist", sign: "tbody tr", edit: "25, Tamaño (SOL): SEA" },
  ] as const) {
    await open(path);
    await page.locator(sign).waitFor();
    await settled(page);
    for (const width of [740, 768, 840, 900, 930, 1_024, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      assert.equal(await sidewaysOverflow(page), 0, `${name} at ${width} pixels`);
      assert.deepEqual(await page.evaluate(LEAVES_PANEL), [], `${name} at ${width} pixels`);
      const [brand, tools] = await Promise.all(
        [".brand", ".tools"].map((part) => page.locator(part).boundingBox()),
      );
      assert.equal(brand?.y, tools?.y, `the header at ${width} pixels`);
      if (width === 768) await keepPicture(`${name}-tablet-light-es`);
    }
    if (edit === null) continue;
    await page.setViewportSize({ width: 768, height: 900 });
    await page.getByRole("button", { name: edit }).click();
    await page.getByRole("button", { name: "Guardar" }).waitFor();
    assert.deepEqual(await page.evaluate(LEAVES_PANEL), [], `${name}, while a size is edited`);
  }
});

/** The elements that reach beyond the panel that they are in; what is scrolled or drawn as one picture aside. */
const LEAVES_PANEL = `
  [...document.querySelectorAll(":is(.panel, .hero) *:not(:is(.visually-hidden, .scroll-x, pre, .chart, svg) *)")]
    .filter((part) => part.getBoundingClientRect().width > 1)
    .filter((part) => part.getBoundingClientRect().right > part.closest(".panel, .hero").getBoundingClientRect().right)
    .map((part) => part.outerHTML.slice(0, 120))
`;

/** Nothing is being loaded any more, and the charts are drawn. */
async function settled(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}
