import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";

const STEADY = demoMint("Steady");
const EXITABILITY = /\/api\/token\/[^/]+\/exitability\?/;

test("what a visitor does, from a pasted address to the day's limit", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { visit } = dashboard;

  await t.test("a pasted address is measured, and something else is refused kindly", async () => {
    const { page, open } = await visit();
    await open("/");
    await page.getByLabel("Paste or type a token").fill("not an address");
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByRole("alert").getByText("The text has no token address").waitFor();
    await page.getByLabel("Paste or type a token").fill(`  ${STEADY} `);
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
    const time = page.locator(".freshness time");
    const first = await time.getAttribute("datetime");
    await page.evaluate("window.isStillTheSamePage = true");
    await page.locator(`.freshness time:not([datetime="${first}"])`).waitFor();
    assert.equal(await page.evaluate("window.isStillTheSamePage"), true);
    await page.locator(".freshness.live").waitFor();
  });

  await t.test("any size and either profile is answered for exactly", async () => {
    const { page, open } = await visit();
    await open(`/token/${demoMint("Three")}`);
    const slider = page.locator("input[type=range]");
    const paid = page.locator(".exit-paid");
    await paid.waitFor();
    const forOne = await paid.innerText();
    await slider.fill("400");
    await page.getByText("Selling 100 SOL worth of THREE now pays").waitFor();
    await page.getByRole("radio", { name: "split" }).check();
    await page.getByText("Split over 3 routes").waitFor();
    assert.notEqual(await paid.innerText(), forOne);
    assert.match(page.url(), /size=100&profile=pro$/);
    await page.getByLabel("Unit").selectOption("tokens");
    await page.getByLabel("Sell", { exact: true }).fill("2.3M");
    await page.getByText("Selling 2,300,000 THREE now pays").waitFor();
    await paid.waitFor();
    // The last size in SOL is kept for the next token.
    await open(`/token/${STEADY}`);
    await page.getByText("Selling 100 SOL worth of STEADY now pays").waitFor();
  });

  await t.test("a size that is chosen replaces an amount that was refused", async () => {
    const { page, open } = await visit();
    await open(`/token/${STEADY}?size=1`);
    const amount = page.getByLabel("Sell", { exact: true });
    for (const size of ["1", "5"]) {
      await amount.fill("5000");
      await page.getByText("From 0.01 to 1000 SOL.").waitFor();
      await page.getByRole("button", { name: size, exact: true }).click();
      await page.getByText(`Selling ${size} SOL worth of STEADY now pays`).waitFor();
      assert.equal(await amount.inputValue(), size);
      assert.equal(await page.getByRole("alert").count(), 0);
    }
  });

  await t.test(
    "a link to a size that is not measured states it, and shows no other size's figures",
    async () => {
      const { page, open } = await visit();
      await open(`/token/${STEADY}?size=2`);
      await page.getByText("Selling 2 SOL worth of STEADY now pays").waitFor();
      await page.locator(".exit-paid").waitFor();
      for (const [size, shown] of [
        ["5000", "5,000"],
        ["0.001", "0.001"],
      ] as const) {
        await open(`/token/${STEADY}?size=${size}`);
        await page.getByText(`Selling ${shown} SOL worth of STEADY now pays`).waitFor();
        await page.getByText("From 0.01 to 1000 SOL.").waitFor();
        assert.equal(await page.locator(".exit-paid").innerText(), "not measured");
        assert.equal(await page.getByLabel("Sell", { exact: true }).inputValue(), size);
      }
      for (const size of ["0.01", "1000"]) {
        await open(`/token/${STEADY}?size=${size}`);
        await page.locator(".exit-paid:not(.words)").waitFor();
      }
    },
  );

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
      await avoidMidnight();
      const { page, open } = await visit();
      for (const word of ["Steady", "Three", "Buck", "Curve", "Rug"]) {
        await open(`/token/${demoMint(word)}`);
        await page.locator(".exit-paid").waitFor();
        // Opening the same page again is not another query.
        await page.reload();
        await page.locator(".exit-paid").waitFor();
      }
      await open(`/token/${demoMint("Thin")}?size=5&profile=pro`);
      await page.getByText("Query limit reached").waitFor();
      assert.deepEqual(await violationsOn(page), []);
      const told = page.waitForResponse((response) => response.url().endsWith("/api/oracle/event"));
      await page.getByRole("link", { name: /Register for free/ }).click();
      const response = await told;
      assert.equal(response.status(), 201);
      assert.equal(response.request().postDataJSON().event_name, "click_upgrade_desde_limite");
      await page.getByLabel("E-mail address").waitFor();
      const next = new URL(page.url()).searchParams.get("next");
      assert.equal(next, `/token/${demoMint("Thin")}?size=5&profile=pro`);
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
    await answerSaleWith(page, { ...NOT_SOLD, state: "bloqueado_dato", reason: "blocked" });
    await open(`/token/${demoMint("Paused")}`);
    await page.getByText("Right now that can't be known").first().waitFor();
    await page.locator(".exit-loss").getByText("All of the token's pools are paused.").waitFor();
    const facts = page.locator(".facts-line dl");
    assert.equal(await facts.getByText("unknown", { exact: true }).count(), 4);
    assert.doesNotMatch(await facts.innerText(), /\b0\b/);
    assert.equal(await page.locator(".verdict.good").count(), 0);
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
    await answerSaleWith(page, {
      ...NOT_SOLD,
      state: "no_exit",
      reason: "no-market",
      capacity_sol: 0,
    });
    await open(`/token/${demoMint("Paused")}`);
    await page.getByText("No hay salida", { exact: true }).waitFor();
    await page.locator(".exit-paid").getByText("sin salida").waitFor();
    await page.getByRole("status").getByText("no se puede vender entera").waitFor();
    const cells = page.getByRole("cell", { name: "sin salida" });
    await cells.nth(11).waitFor();
    assert.equal(await cells.count(), 12);
    await keepPicture("token-no-exit-light-es");
    assert.deepEqual(await violationsOn(page), []);
  });

  await t.test("a size that a family is not measured at is not called without exit", async () => {
    const { page, open } = await dashboard.visit();
    await open(`/token/${demoMint("Sea")}`);
    await page.getByRole("cell", { name: "not measured" }).nth(1).waitFor();
    assert.equal(await page.getByRole("cell", { name: "no exit" }).count(), 0);
    await open(`/token/${demoMint("Sea")}?size=25`);
    await page.locator(".exit-paid").getByText("not measured above 10 SOL").waitFor();
    assert.equal(await page.locator(".exit-answer .verdict").count(), 0);
    assert.equal(await page.getByRole("button", { name: "Check with the programs" }).count(), 0);
  });

  await t.test("dollars beyond what is measured are refused, with their limits", async () => {
    const { page, open } = await dashboard.visit();
    // A followed pool against dollars gives the price of SOL.
    await open(`/token/${demoMint("Buck")}`);
    await page.locator(".exit-paid").waitFor();
    for (const amount of ["1000000", "0.5"]) {
      await open(`/token/${STEADY}?size=${amount}&unit=usd`);
      await page.getByText(/^From \$[\d.]+ to \$[\d,]+: what 0.01 to 1000 SOL are worth/).waitFor();
      assert.equal(await page.locator(".exit-paid").innerText(), "not measured");
    }
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
    await page.locator(".exit-paid").waitFor();
  });

  await t.test("an accuracy that can't be read is not called one without trades", async () => {
    const { page, open } = await dashboard.visit();
    await page.route("**/api/accuracy", (route) =>
      route.fulfill({ status: 429, json: { error: "rate_limit_exceeded", message: "Wait." } }),
    );
    await open("/status");
    await page.locator(".notice").getByText("Wait.").waitFor();
    assert.equal(await page.getByText("No trade has been seen yet").count(), 0);
    await page.unroute("**/api/accuracy");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Live accuracy" }).waitFor();
  });

  await t.test("the age of the chain state does not wait for the accuracy", async () => {
    const { page, open } = await dashboard.visit();
    await page.route("**/api/accuracy", () => undefined);
    await open("/status");
    await page.getByRole("heading", { name: "Chain" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Live accuracy" }).count(), 0);
  });

  await t.test("data that are no longer updated are marked as old", async () => {
    const { page, open } = await dashboard.visit();
    const updated_at = new Date(Date.now() - 45_000).toISOString();
    await answerWith(page, (body) => ({ ...body, updated_at }));
    await answerSaleWith(page, { updated_at });
    await page.route(/stream/, (route) => route.fulfill({ status: 503 }));
    await open(`/token/${STEADY}`);
    await page.getByText(/Data \d+ s old: not current/).waitFor();
    const lead = await page.locator(".exit-lead").innerText();
    assert.match(lead, /^Selling .* worth of STEADY paid, \d+ s ago$/);
    assert.equal(await page.locator(".hero .verdict.good").count(), 0);
    assert.equal(await page.locator(".freshness.live").count(), 0);
  });
});

test("a token's name is harmless text, whatever is in it", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit();
  const name = `\u202Egnp.exe<img src=x onerror="window.owned=1"><script>window.owned=1</script>\u0000\u200B`;
  await page.route(new RegExp(`/api/token/${STEADY}$`), async (route) => {
    const facts = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...facts, name, symbol: `\u2067<b>X\u0007</b>` } });
  });
  await open(`/token/${STEADY}`);
  const heading = page.getByRole("heading", { level: 1 });
  await heading.getByText('gnp.exe<img src=x onerror="window.owned').waitFor();
  const shown = `${await heading.innerText()}${await page.title()}`;
  assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
  assert.equal(await heading.locator("img, script, b").count(), 0);
  assert.equal(await page.evaluate("window.owned"), undefined);
  await page.locator(".exit-paid").waitFor();
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
  await page.locator(".exit-paid").waitFor();
  for (
    let presses = 0;
    (await page.evaluate("document.activeElement.type")) !== "range";
    presses++
  ) {
    assert.ok(presses < 40, "the slider is reached");
    await page.keyboard.press("Tab");
    assert.notEqual(
      await page.evaluate("getComputedStyle(document.activeElement).outlineStyle"),
      "none",
    );
  }
  const before = await page.locator("input[type=range]").getAttribute("aria-valuetext");
  for (const size of ["1.1", "1.2"]) {
    await page.keyboard.press("ArrowRight");
    await page.getByText(`Selling ${size} SOL worth of THREE now pays`).waitFor();
  }
  await page.keyboard.press("End");
  assert.notEqual(await page.locator("input[type=range]").getAttribute("aria-valuetext"), before);
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
  await page.locator(".exit-paid").waitFor();
  assert.deepEqual([...hosts], [new URL(dashboard.url).host], "no foreign script, font or tracker");
});

type Body = {
  readonly slippage: { readonly all: Readonly<Record<string, number | null>> };
};

/** A sale that can't be made: every figure null. */
const NOT_SOLD = {
  size_sol: null,
  tokens_sold: null,
  net_sol: null,
  slippage_pct: null,
  price_impact_pct: null,
  average_price: null,
  capacity_sol: null,
  routes: [],
};

/** Lets the service answer what a sale pays, and the page see other fields in it. */
async function answerSaleWith(page: Page, fields: object): Promise<void> {
  await page.route(/\/exitability\/at\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...fields } });
  });
}

/** Lets the service answer, and the page see another answer. */
async function answerWith(page: Page, change: (body: Body) => object): Promise<void> {
  await page.route(EXITABILITY, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Body) });
  });
  await page.route(/stream/, (route) => route.fulfill({ status: 503 }));
}
