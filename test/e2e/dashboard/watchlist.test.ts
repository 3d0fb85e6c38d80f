import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "#test/support/eventually.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";
import { runCommand } from "#test/support/processes/service.ts";

test("a watchlist is filled, changed, sorted and emptied, within what the plan allows", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn, keepPicture } = await dashboard.visit();
  const email = "eva@example.com";
  const session = await signIn(email);
  const rows = page.locator("tbody tr");

  await t.test("a token is watched from its page, and counted in the funnel", async () => {
    await open(`/token/${demoMint("Three")}`);
    const told = page.waitForResponse((response) => response.url().endsWith("/api/oracle/event"));
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    const request = (await told).request();
    assert.equal(request.postDataJSON().event_name, "watchlist_add");
    await page.getByRole("link", { name: /Watched · 1 SOL/ }).click();
    await page.getByText("Watched tokens: 1 of 1").waitFor();
    await rows.getByRole("link", { name: "THREE" }).waitFor();
  });

  await t.test(
    "a full plan shows its limit, refuses further tokens, and shows the upgrade",
    async () => {
      await page.getByText("Your plan takes no more tokens").waitFor();
      assert.ok(await page.getByLabel("Token address (mint)").isDisabled());
      await keepPicture("watchlist-full-light-en");
      assert.deepEqual(await violationsOn(page), []);
      await open(`/token/${demoMint("Steady")}`);
      await page.getByText("Your plan takes no more tokens").waitFor();
      const raised = runCommand(dashboard.place, ["admin", "user", "tier", email, "degen"]);
      assert.equal(raised.code, 0, raised.err);
    },
  );

  await t.test(
    "more tokens are added, each at its own size; doubles and nonsense are refused",
    async () => {
      // Another process raised the plan: the service reads the change within a second.
      const plan = page.getByRole("heading", { name: "Watched tokens" });
      do await open("/watchlist");
      while (!(await plan.innerText()).includes("of 20"));
      const mint = page.getByLabel("Token address (mint)");
      const size = page.getByRole("textbox", { name: "Size (SOL)", exact: true });
      for (const [word, sol] of [
        ["Thin", "5"],
        ["Sea", "2,5"],
      ] as const) {
        await mint.fill(demoMint(word));
        await size.fill(sol);
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await rows.getByRole("link", { name: word.toUpperCase() }).waitFor();
      }
      await mint.fill(demoMint("Thin"));
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("You watch that token already").waitFor();
      await mint.fill("nonsense");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("alert").getByText("The text has no token address").waitFor();
      assert.equal(await rows.count(), 3);
    },
  );

  await t.test("on a phone each entry is a card with every cell in sight", async () => {
    const phone = await dashboard.visit({ session, isPhone: true });
    await phone.open("/watchlist");
    await phone.page.locator("tbody tr").nth(2).waitFor();
    assert.equal(await sidewaysOverflow(phone.page), 0, "pixels beyond the window");
    for (const control of await phone.page.getByRole("button", { name: /^Remove:/ }).all()) {
      const box = await control.boundingBox();
      assert.ok(box !== null && box.x + box.width <= 390 && box.height >= 44, JSON.stringify(box));
    }
  });

  await t.test("sizes and alerts are changed in place, and stay changed", async () => {
    const thin = rows.filter({ hasText: "THIN" });
    await thin.getByRole("button", { name: "5, Size (SOL): THIN" }).click();
    await thin.getByRole("textbox").fill("0.5");
    await thin.getByRole("textbox").press("Enter");
    await thin.getByRole("button", { name: "0.5, Size (SOL): THIN" }).waitFor();
    const patched = page.waitForResponse((response) => response.request().method() === "PATCH");
    await thin.getByRole("checkbox").click();
    await patched;
    await page.reload();
    await thin.getByRole("button", { name: "0.5, Size (SOL): THIN" }).waitFor();
    assert.ok(!(await thin.getByRole("checkbox").isChecked()));
  });

  await t.test(
    "in Spanish a size is written and edited with a comma, and read with either",
    async () => {
      const spanish = await dashboard.visit({ session, language: "es" });
      await spanish.open("/watchlist");
      const sea = spanish.page.locator("tbody tr").filter({ hasText: "SEA" });
      for (const [shown, typed] of [
        ["2,5", "3.25"],
        ["3,25", "2,5"],
      ] as const) {
        await sea.getByRole("button", { name: `${shown}, Tamaño (SOL): SEA` }).click();
        assert.equal(await sea.getByRole("textbox").inputValue(), shown);
        await sea.getByRole("textbox").fill(typed);
        await sea.getByRole("textbox").press("Enter");
      }
      await sea.getByRole("button", { name: "2,5, Tamaño (SOL): SEA" }).waitFor();
    },
  );

  await t.test(
    "values are current, and sorting by urgency shows the most urgent first",
    async () => {
      const again = page.waitForResponse((response) => response.url().endsWith("/watchlist"));
      await page.getByRole("radio", { name: "worst first" }).check();
      await rows.filter({ hasText: "%" }).nth(2).waitFor();
      const shown = await rows.locator("td:nth-child(4)").allInnerTexts();
      const slippages = shown.map((text) => Number.parseFloat(text));
      assert.deepEqual(
        slippages,
        slippages.toSorted((a, b) => b - a),
      );
      await again;
      await keepPicture("watchlist-filled-light-en");
      assert.deepEqual(await violationsOn(page), []);
    },
  );

  await t.test("an edit in place is left by Escape, and the focus returns", async () => {
    const thin = rows.filter({ hasText: "THIN" });
    await thin.getByRole("button", { name: /Size \(SOL\)/ }).click();
    await thin.getByRole("textbox").fill("nonsense");
    await thin.getByText("From 0.01 to 1000 SOL").waitFor();
    await thin.getByRole("textbox").press("Escape");
    assert.match(
      (await page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')")) ??
        "",
      /^0.5, Size/,
    );
  });

  await t.test("a removal can be undone, and what is removed is gone", async () => {
    await page.getByRole("button", { name: "Remove: THIN" }).click();
    await page.getByRole("button", { name: "Undo: THIN" }).click();
    await page.getByRole("button", { name: "Remove: THIN" }).waitFor();
    // One that fails is not shown as done.
    await page.route(/\/watchlist\?id=/, (route) => route.abort());
    await page.getByRole("button", { name: "Remove: THIN" }).click();
    await page.getByText("The service did not answer. Try again.").waitFor();
    // The reason is below the entry, where the reader is.
    const below = rows.filter({ hasText: "THIN" }).locator("+ tr");
    await below.getByText("The service did not answer. Try again.").waitFor();
    await page.getByRole("button", { name: "Remove: THIN" }).waitFor();
    assert.equal(await page.locator("tr.leaving").count(), 0);
    await page.unroute(/\/watchlist\?id=/);
    for (const name of ["THREE", "THIN"]) {
      await page.getByRole("button", { name: `Remove: ${name}` }).click();
      await rows.filter({ hasText: name }).waitFor({ state: "detached" });
    }
  });

  await t.test("a removal is made also if the tab is closed before its time is over", async () => {
    const proxy = await startCuttingProxy(t, dashboard.url);
    const closing = await dashboard.visit({ session, url: proxy.url });
    await closing.open("/watchlist");
    await closing.page.getByRole("button", { name: "Remove: SEA" }).click();
    await closing.page.getByRole("button", { name: "Undo: SEA" }).waitFor();
    // The service is slow: every connection of the browser waits, and the removal for one of them.
    dashboard.service.freeze();
    const waits = "for (let count = 0; count < 6; count++) void fetch('/healthz?' + count)";
    await closing.page.evaluate(waits);
    await eventually("every connection is taken", () => proxy.open() === 6 || null);
    await closing.page.close({ runBeforeUnload: true });
    const isClosed = () => proxy.open() < 6 || null;
    await eventually("the tab's own requests are given up", isClosed);
    dashboard.service.thaw();
    const items = async () => {
      const list = await page.context().request.get("/api/oracle/watchlist");
      return ((await list.json()) as { items: readonly object[] }).items.length === 0 || null;
    };
    await eventually("an empty watchlist", items);
  });
});

test("a watchlist that can't be read is not called an empty one", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit();
  await signIn("unread@example.com");
  await page.route(/\/oracle\/watchlist$/, (route) =>
    route.fulfill({ status: 503, json: { error: "overloaded", message: "Failed here." } }),
  );
  await open("/watchlist");
  await page.getByText("Failed here.").waitFor();
  assert.equal(await page.locator("#watched").innerText(), "Watched tokens");
  await page.unroute(/\/oracle\/watchlist$/);
  await page.getByRole("heading", { name: "Watched tokens: 0 of 1" }).waitFor();
});

test("an entry states its trend, and that its token has no pool; a removal leaves the focus in the list", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit();
  await signIn("nora@example.com");
  const mint = `${"1".repeat(31)}2`;
  const add = async (data: object) =>
    page
      .context()
      .request.post("/api/oracle/watchlist", { data, headers: { origin: dashboard.url } });
  assert.equal((await add({ mint })).status(), 201);
  await open("/watchlist");
  const row = page.locator("tbody tr");
  await row.getByText("No known pool").waitFor();
  await row.getByText("not measured").waitFor();
  let measured: object = { state: "ok", trend: "deteriorating", alerta_deterioro: false };
  await page.route(/\/oracle\/watchlist$/, async (route) => {
    const response = await route.fetch();
    const { items } = (await response.json()) as { items: { exitability: object }[] };
    const changed = items.map((item) => ({
      ...item,
      exitability: { ...item.exitability, ...measured },
    }));
    await route.fulfill({ response, json: { items: changed } });
  });
  await row.locator(".badge.warn").getByText("deteriorating").waitFor();
  measured = { state: "bloqueado_dato", trend: "deteriorating" };
  await row.locator(".badge.warn").waitFor({ state: "detached" });
  await page.unroute(/\/oracle\/watchlist$/);
  await page.getByRole("button", { name: /^Remove:/ }).press("Enter");
  await row.waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.id"), "watched");
});

test("another size is not shown with the figures of the one before, and nothing refused as done", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open, signIn } = await dashboard.visit();
  await signIn("sizes@example.com");
  const data = { mint: demoMint("Three"), size_sol: 1 };
  const { request } = context;
  await request.post("/api/oracle/watchlist", { data, headers: { origin: dashboard.url } });
  await open("/watchlist");
  const row = page.locator("tbody tr");
  const field = row.getByRole("textbox");
  const changes = /\/oracle\/watchlist$/;
  await row.locator(".verdict").waitFor();

  await t.test("a refused size stays in its field, with the reason", async () => {
    await page.route(changes, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await row.getByRole("button", { name: "1, Size (SOL): THREE" }).click();
    await field.fill("50");
    await field.press("Enter");
    await row.getByText("The service did not answer. Try again.").waitFor();
    assert.equal(await field.inputValue(), "50");
    await page.unroute(changes);
  });

  await t.test("while it is saved, the new size is not a row's", async () => {
    const held = Promise.withResolvers<void>();
    await page.route(changes, async (route) => {
      if (route.request().method() === "PATCH") await held.promise;
      await route.fallback();
    });
    const sent = page.waitForRequest((each) => each.method() === "PATCH");
    await field.press("Enter");
    await sent;
    const button = row.getByRole("button", { name: "50, Size (SOL): THREE" });
    await page.waitForResponse(changes);
    assert.equal(await button.count(), 0);
    await field.fill("500");
    held.resolve();
    await row.locator("button[type=submit]:enabled").waitFor();
    assert.equal(await field.inputValue(), "500", "what was typed meanwhile stays");
    await field.press("Escape");
    await button.waitFor();
    const list = await request.get("/api/oracle/watchlist");
    const { items } = (await list.json()) as {
      items: readonly { exitability: { slippage_pct: number } }[];
    };
    const shown = Number.parseFloat(await row.locator(".verdict").innerText());
    assert.ok(Math.abs(shown - (items[0]?.exitability.slippage_pct ?? 0)) < 2, `${shown} %`);
    await page.unroute(changes);
    // The page of the token shows what is measured here.
    const link = row.getByRole("link", { name: "THREE" });
    assert.match((await link.getAttribute("href")) ?? "", /\?size=50&profile=retail$/);
  });

  await t.test("a switch that fails takes back nothing that was read meanwhile", async () => {
    const [failing, reading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isReadHeld = false;
    await page.route(changes, async (route) => {
      if (route.request().method() === "PATCH") {
        await failing.promise;
        return route.abort();
      }
      if (isReadHeld) await reading.promise;
      return route.fallback();
    });
    const isOn = row.getByRole("checkbox");
    await isOn.click();
    const list = await request.get("/api/oracle/watchlist");
    const { items } = (await list.json()) as { items: readonly { id: number }[] };
    const elsewhere = (data: object) =>
      request.patch("/api/oracle/watchlist", {
        data: { id: items[0]?.id, ...data },
        headers: { origin: dashboard.url },
      });
    await elsewhere({ size_sol: 7, alerts_enabled: false });
    const button = row.getByRole("button", { name: "7, Size (SOL): THREE" });
    await button.waitFor();
    isReadHeld = true;
    failing.resolve();
    await row.locator("input:checked").waitFor();
    assert.equal(await button.count(), 1);
    await elsewhere({ alerts_enabled: true });
    await page.unroute(changes);
    reading.resolve();
  });

  await t.test("without a network a switch goes back, until something else is done", async () => {
    const isOn = row.getByRole("checkbox");
    const notice = page.getByText("There is no network. Try again once there is.");
    await context.setOffline(true);
    await isOn.click();
    await notice.first().waitFor();
    assert.ok(await isOn.isChecked());
    await context.setOffline(false);
    await isOn.click();
    await notice.first().waitFor({ state: "detached" });
    assert.ok(!(await isOn.isChecked()));
  });
});
