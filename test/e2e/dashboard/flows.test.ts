import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { demoMint, startDashboard, violationsOn } from "#test/support/dashboard.ts";

const STEADY = demoMint("Steady");
const EXITABILITY = /\/api\/token\/[^/]+\/exitability\?/;

test("what a visitor does, from a pasted address to the day's limit", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { visit } = dashboard;

  await t.test("a pasted address is measured, and something else is refused kindly", async () => {
    const { page, open } = await visit();
    await open("/");
    await page.getByLabel("Token address (mint)").fill("not an address");
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByRole("alert").getByText("32 to 44 characters").waitFor();
    await page.getByLabel("Token address (mint)").fill(`  ${STEADY} `);
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByRole("heading", { level: 1, name: "Steady Hand" }).waitFor();
    assert.match(await page.title(), /^STEADY/);
    await page.goBack();
    await page.getByRole("link", { name: /^THREE/ }).click();
    await page.getByRole("heading", { level: 1, name: "Three Doors" }).waitFor();
  });

  await t.test("a token's page moves with the chain, without loading again", async () => {
    const { page, open } = await visit();
    await open(`/token/${STEADY}`);
    const time = page.locator("header time");
    const first = await time.getAttribute("datetime");
    await page.evaluate("window.isStillTheSamePage = true");
    await page.locator(`header time:not([datetime="${first}"])`).waitFor();
    assert.equal(await page.evaluate("window.isStillTheSamePage"), true);
    assert.equal(await page.getByText("No live connection").count(), 0);
  });

  await t.test("any size and either profile is answered for exactly", async () => {
    const { page, open } = await visit();
    await open(`/token/${demoMint("Three")}`);
    const slider = page.getByRole("slider");
    const paid = page.locator(".outcome-main");
    await paid.waitFor();
    const forOne = await paid.innerText();
    await slider.fill("400");
    await page.locator("output").getByText("100").waitFor();
    await page.getByRole("group", { name: "Profile" }).getByText("pro").click();
    await page.locator(".routes li").nth(2).waitFor();
    assert.notEqual(await paid.innerText(), forOne);
    await page.getByText("split over routes").waitFor();
  });

  await t.test("language and theme are the reader's choice, and are kept", async () => {
    const { page, open } = await visit({ language: "es", theme: "light" });
    await open("/method");
    await page.getByRole("heading", { name: "Cómo se mide" }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Dark theme" }).click();
    await page.getByRole("heading", { name: "How it is measured" }).waitFor();
    await open("/status");
    await page.getByRole("heading", { name: "Service status" }).waitFor();
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
  });

  await t.test(
    "the sixth token of a day shows the limit and the upgrade, and is counted in the funnel",
    async () => {
      const { page, open } = await visit();
      for (const word of ["Steady", "Three", "Buck", "Curve", "Rug"]) {
        await open(`/token/${demoMint(word)}`);
        await page.locator(".figures").waitFor();
        // Opening the same page again is not another query.
        await page.reload();
        await page.locator(".figures").waitFor();
      }
      await open(`/token/${demoMint("Thin")}`);
      await page.getByText("Query limit reached").waitFor();
      assert.deepEqual(await violationsOn(page), []);
      const told = page.waitForResponse((response) => response.url().endsWith("/api/oracle/event"));
      await page.getByRole("link", { name: /Register for free/ }).click();
      const response = await told;
      assert.equal(response.status(), 201);
      assert.equal(response.request().postDataJSON().event_name, "click_upgrade_desde_limite");
      await page.getByLabel("E-mail address").waitFor();
    },
  );
});

test("what is not known is never shown as a number", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;

  await t.test("a blocked answer says why, and shows unknown for each figure", async () => {
    const { page, open, keepPicture } = await dashboard.visit();
    await answerWith(page, (body) => ({
      ...body,
      state: "bloqueado_dato",
      calidad_dato: "insuficiente",
      confianza: "baja",
      aviso: "All of the token's pools are paused.",
      depth_sol: null,
      precio_mid: null,
      score: null,
      exit_max_sol: null,
    }));
    await open(`/token/${demoMint("Paused")}`);
    await page.getByText("Right now that can't be known").first().waitFor();
    assert.equal(await page.locator(".figures").getByText("unknown", { exact: true }).count(), 4);
    assert.doesNotMatch(await page.locator(".figures").innerText(), /\b0\b/);
    await keepPicture("token-blocked-light-en");
    assert.deepEqual(await violationsOn(page), []);
  });

  await t.test("a token without any exit is shown differently from an unknown one", async () => {
    const { page, open, keepPicture } = await dashboard.visit({ language: "es" });
    await answerWith(page, (body) => ({
      ...body,
      depth_sol: 0,
      precio_mid: null,
      score: 0,
      exit_max_sol: 0,
      slippage: {
        ...body.slippage,
        slip_pct: null,
        all: { "0.5": null, "1": null, "2": null, "5": null, "10": null, "50": null },
      },
    }));
    await open(`/token/${demoMint("Paused")}`);
    await page.getByText("No hay salida", { exact: true }).waitFor();
    assert.equal(await page.getByRole("cell", { name: "sin salida" }).count(), 12);
    await keepPicture("token-no-exit-light-es");
    assert.deepEqual(await violationsOn(page), []);
  });

  await t.test("a size that a family is not measured at is not called without exit", async () => {
    const { page, open } = await dashboard.visit();
    await open(`/token/${demoMint("Sea")}`);
    await page.getByRole("cell", { name: "not measured" }).nth(1).waitFor();
    assert.equal(await page.getByRole("cell", { name: "no exit" }).count(), 0);
  });

  await t.test("an unavailable service is reported, and the request is repeated", async () => {
    const { page, open } = await dashboard.visit();
    let isDown = true;
    await page.route(EXITABILITY, (route) =>
      isDown
        ? route.fulfill({
            status: 503,
            json: { error: "chain_unavailable", message: "The chain cannot be reached." },
          })
        : route.fallback(),
    );
    await open(`/token/${STEADY}`);
    await page.getByText("The chain does not answer").waitFor();
    isDown = false;
    await page.locator(".figures").waitFor();
  });

  await t.test("data that are no longer updated are marked as old", async () => {
    const { page, open } = await dashboard.visit();
    await answerWith(page, (body) => ({
      ...body,
      updated_at: new Date(Date.now() - 45_000).toISOString(),
    }));
    await page.route(/exitability\/stream/, (route) => route.fulfill({ status: 503 }));
    await open(`/token/${STEADY}`);
    await page.getByText("The data are not current").waitFor();
    await page.getByText("No live connection").waitFor();
  });
});

test("a token's name is harmless text, whatever is in it", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit();
  const name = `\u202Egnp.exe<img src=x onerror="window.owned=1"><script>window.owned=1</script>\u0000\u200B`;
  await page.route(new RegExp(`/api/token/${STEADY}$`), (route) =>
    route.fulfill({ json: { token_id: STEADY, name, symbol: `\u2067<b>X\u0007</b>` } }),
  );
  await open(`/token/${STEADY}`);
  const heading = page.getByRole("heading", { level: 1 });
  await heading.getByText('gnp.exe<img src=x onerror="window.owned').waitFor();
  const shown = `${await heading.innerText()}${await page.title()}`;
  assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
  assert.equal(await heading.locator("img, script, b").count(), 0);
  assert.equal(await page.evaluate("window.owned"), undefined);
  await page.locator(".figures").waitFor();
  await keepPicture("token-hostile-name-light-en");
});

test("every control can be reached by keyboard, and the focus is visible", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ isMotionReduced: true });
  const focused = () => page.evaluate<string>("document.activeElement.textContent.trim()");
  await open("/");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type(demoMint("Three"));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Three Doors" }).waitFor();
  assert.equal(await page.evaluate("document.activeElement.id"), "content");
  await page.locator(".outcome-main").waitFor();
  for (let presses = 0; (await page.evaluate("document.activeElement.id")) !== "size"; presses++) {
    assert.ok(presses < 40, "the slider is reached");
    await page.keyboard.press("Tab");
    assert.notEqual(
      await page.evaluate("getComputedStyle(document.activeElement).outlineStyle"),
      "none",
    );
  }
  const before = await page.getByRole("slider").getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  assert.notEqual(await page.getByRole("slider").getAttribute("aria-valuetext"), before);
});

test("pages come with a policy that runs nothing but our own files", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const response = await fetch(`${dashboard.url}/token/${STEADY}`);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(response.headers.get("strict-transport-security"), null, "plain http");
  const html = await response.text();
  assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/);
  const { page, open } = await dashboard.visit();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await open(`/token/${STEADY}`);
  await page.locator(".figures").waitFor();
  assert.deepEqual([...hosts], [new URL(dashboard.url).host], "no foreign script, font or tracker");
});

type Body = {
  readonly slippage: { readonly all: Readonly<Record<string, number | null>> };
};

/** Lets the service answer, and the page see another answer. */
async function answerWith(page: Page, change: (body: Body) => object): Promise<void> {
  await page.route(EXITABILITY, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Body) });
  });
  await page.route(/exitability\/stream/, (route) => route.fulfill({ status: 503 }));
}
