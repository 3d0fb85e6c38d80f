import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "#test/support/eventually.ts";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

const MINT = demoMint("Three");

test("the smallest payment fits its panel on a phone and on a desk", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const paid = { state: "ok", reason: null, size_sol: 1_000, slippage_pct: 99.9999999999 };
  await page.route(/\/exitability\/at\?/, async (route) => {
    const body = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...body, ...paid, net_sol: 0.000000001 } });
  });
  await open(`/token/${MINT}?size=1000`);
  await page.locator(".exit-paid").getByText("0.000000001 SOL").waitFor();
  for (const width of [320, 360, 390, 760, 1_000, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await sidewaysOverflow(page), 0, `${width} pixels`);
    const beyond = await page.evaluate<number>(`
      document.querySelector(".exit-answer").scrollWidth - document.querySelector(".exit-answer").clientWidth
    `);
    assert.equal(beyond, 0, `pixels beyond the answer at ${width}`);
  }
});

/** Keeps the words that each canvas shows now, with where they begin and end. */
const KEEP_WORDS = `
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    this.canvas.words = [];
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (word, x, y) {
    const { width } = this.measureText(word);
    const from = this.textAlign === "right" ? x - width : this.textAlign === "center" ? x - width / 2 : x;
    (this.canvas.words ??= []).push({ word, from, to: from + width, end: this.canvas.width });
    return fillText.call(this, word, x, y);
  };
`;

type Word = {
  readonly word: string;
  readonly from: number;
  readonly to: number;
  readonly end: number;
};

test("the names of alerts on a chart neither overlap nor leave it, and the newest is always named", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const points = Array.from({ length: 60 }, (_, index) => ({
    t: minutesAgo(59 - index),
    c10_sol: 30,
    depth_sol: 300,
    precio_mid: 0.000005,
    slippage: { "0.5": 0.4, "1": 0.5, "2": 1, "5": 2, "10": 4, "50": null },
  }));
  const figures = {
    ended_at: minutesAgo(0),
    detector: "drop",
    share_pct: 90,
    slot: 1,
    c10_before_sol: 40,
    c10_after_sol: 10,
    depth_before_sol: 300,
    depth_after_sol: 100,
  };
  const began = [
    [18, "trading-paused"],
    [21, "fees-raised"],
    [22, "liquidity-withdrawn"],
    [23, "liquidity-withdrawn"],
    [50, "sells"],
  ] as const;
  const alerts = began.map(([minutes, cause]) => ({
    ...figures,
    id: String(minutes),
    started_at: minutesAgo(minutes),
    cause,
  }));
  for (const isPhone of [true, false]) {
    const { page, open } = await dashboard.visit({ isPhone });
    await page.addInitScript(KEEP_WORDS);
    await page.route(/\/history\?/, (route) =>
      route.fulfill({ json: { token_id: MINT, step_seconds: 60, points, alerts } }),
    );
    await open(`/token/${MINT}`);
    const chart = page.locator("section").filter({ has: page.locator("#history") });
    await chart.locator("canvas").waitFor();
    const words = await chart
      .locator("canvas")
      .evaluate((canvas: { readonly words?: readonly Word[] }) => canvas.words ?? []);
    const names = words
      .filter(({ word }) => /^[a-z ]+$/.test(word))
      .toSorted((a, b) => a.from - b.from);
    assert.ok(
      names.some(({ word }) => word === "trading paused"),
      JSON.stringify(names),
    );
    assert.ok(names.every(({ from, to, end }) => from >= 0 && to <= end));
    for (const [place, { from, word }] of names.entries())
      assert.ok(from >= (names[place - 1]?.to ?? 0), `${word}: ${JSON.stringify(names)}`);
  }
});

test("on a phone the bar of sections covers nothing that has the focus", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ isPhone: true });
  await open(`/token/${MINT}`);
  await page.locator("#pools ~ table a.address").first().waitFor();
  const last = page.getByRole("main").getByRole("link").last();
  let count = 0;
  for (; count < 80 && !(await isFocused(page, await last.elementHandle())); count++) {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(COVERED), null);
  }
  assert.ok(count > 20 && count < 80, `${count} stops`);
});

test("the banner of an alert covers nothing that has the focus, on a phone and on a desk", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const alert = {
    id: "1",
    started_at: new Date(Date.now() - 60_000).toISOString(),
    ended_at: null,
    detector: "drop",
    cause: "liquidity-withdrawn",
    share_pct: 90,
    slot: 1,
    c10_before_sol: 40.25,
    c10_after_sol: 10.25,
    depth_before_sol: 300.5,
    depth_after_sol: 100.5,
  };
  for (const isPhone of [true, false]) {
    const { page, open } = await dashboard.visit({ isPhone, language: "es" });
    await page.route(/\/history\?/, (route) =>
      route.fulfill({ json: { token_id: MINT, step_seconds: 60, points: [], alerts: [alert] } }),
    );
    await open(`/token/${MINT}`);
    await page.locator("#pools ~ table a.address").first().waitFor();
    const banner = page.locator(".alert-banner.on");
    await banner.waitFor();
    const atFirst = await banner.boundingBox();
    assert.ok(atFirst !== null && atFirst.height <= 110, JSON.stringify(atFirst));
    await page.getByRole("main").getByRole("link").last().focus();
    let count = 0;
    for (; count < 60 && (await page.evaluate(IS_IN_PAGE)); count++) {
      await page.keyboard.press("Shift+Tab");
      assert.equal(await page.evaluate(COVERED_BY_BANNER), null);
    }
    assert.ok(count > 15 && count < 60, `${count} stops`);
    // At 400 % of a small screen nothing has room beside it.
    await page.setViewportSize({ width: 320, height: 256 });
    await page.getByRole("main").getByRole("link").last().scrollIntoViewIfNeeded();
    const scrolled = await banner.boundingBox();
    assert.ok(scrolled !== null && scrolled.y < -256, JSON.stringify(scrolled));
  }
});

const IS_IN_PAGE = "document.activeElement.closest('#content > *') !== null";

/** What has the focus and begins above the lower edge of the banner, unless it is above the banner itself. */
const COVERED_BY_BANNER = `
  (() => {
    const banner = document.querySelector(".alert-banner").getBoundingClientRect();
    const focused = document.activeElement;
    const { top, bottom } = focused.getBoundingClientRect();
    const isCovered = top < banner.bottom - 1 && bottom > banner.top;
    return isCovered ? focused.outerHTML.slice(0, 120) : null;
  })()
`;

function isFocused(page: Page, element: unknown): Promise<boolean> {
  return page.evaluate(
    (each) => each === Reflect.get(globalThis, "document").activeElement,
    element,
  );
}

/** What has the focus and reaches below the upper edge of the bar, unless it is in the bar. */
const COVERED = `
  (() => {
    const bar = document.querySelector(".nav");
    const focused = document.activeElement;
    const isCovered = !bar.contains(focused) && focused.getBoundingClientRect().bottom > bar.getBoundingClientRect().top;
    return isCovered ? focused.outerHTML.slice(0, 120) : null;
  })()
`;

test("without a clipboard, as on plain http, copying works too, and leaves the focus where it was", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open } = await dashboard.visit();
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await open(`/token/${MINT}`);
  const button = page.getByRole("button", { name: "Copy the address" });
  await button.press("Enter");
  await page.getByText("Copied", { exact: true }).waitFor();
  assert.ok(await isFocused(page, await button.elementHandle()));
  assert.equal(await page.locator("textarea").count(), 0);
  const other = await context.newPage();
  await other.goto("/");
  assert.equal(await other.evaluate("navigator.clipboard.readText()"), MINT);
});

test("an alert of a pause is called one without an exit, and not an unknown one", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit();
  await signIn("paused@example.com");
  const now = new Date().toISOString();
  const alert = {
    id: "1",
    kind: "blocked",
    mint: MINT,
    token_name: "Three Doors",
    token_symbol: "THREE",
    size_sol: 1,
    created_at: now,
    started_at: now,
    slippage_before_pct: 1,
    slippage_after_pct: null,
    c10_before_sol: 40,
    c10_after_sol: null,
    depth_before_sol: 300,
    depth_after_sol: null,
    grade: null,
  };
  for (const [cause, words] of [
    ["trading-paused", "your position has no exit"],
    ["unknown", "your exit is unknown for now"],
  ] as const) {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.route(/\/api\/account\/alerts\?/, (route) =>
      route.fulfill({ json: { items: [{ ...alert, cause }] } }),
    );
    await open("/alerts");
    await page.locator(".feed-item .badge").getByText(words).waitFor();
  }
});

test("a watchlist keeps names as long as their authors like in its panel, and shows nothing old as good", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit();
  await signIn("names@example.com");
  const now = Date.now();
  const itemOf = (id: number, name: string, ageMs: number) => ({
    id,
    user_id: "00000000-0000-4000-8000-000000000000",
    mint: demoMint("Three"),
    size_sol: 1,
    alerts_enabled: true,
    created_at: new Date(now).toISOString(),
    exitability: {
      state: "ok",
      score: 99,
      depth_sol: 300,
      exit_max_sol: 50,
      slippage_pct: 0.5,
      trend: "deteriorating",
      alerta_deterioro: false,
      confianza: "alta",
      calidad_dato: "suficiente",
      updated_at: new Date(now - ageMs).toISOString(),
      token_name: name,
      token_symbol: id === 2 ? null : name,
    },
  });
  const items = [itemOf(1, "W".repeat(80), 0), itemOf(2, "M".repeat(80), 45_000)];
  await page.route(/\/api\/oracle\/watchlist$/, (route) => route.fulfill({ json: { items } }));
  await open("/watchlist");
  const rows = page.locator("tbody tr");
  await rows.last().waitFor();
  for (const width of [320, 360, 740, 800, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await sidewaysOverflow(page), 0, `${width} pixels`);
    const beyond = await page.evaluate<number>(`
      document.querySelector("table").getBoundingClientRect().right - document.querySelector(".panel:has(table)").getBoundingClientRect().right
    `);
    assert.ok(beyond < 0, `${beyond} pixels beyond the panel at ${width}`);
  }
  assert.equal(await rows.first().locator(".verdict.good").count(), 1);
  assert.equal(await rows.last().locator(".verdict").innerText(), "0.50\u00a0%");
  assert.equal(await rows.last().locator(".verdict.good").count(), 0);
});

test("of a young token the axis of seven days has no day twice, that of a small loss no value twice, and the table begins with the newest point", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.addInitScript(KEEP_WORDS);
  const points = Array.from({ length: 49 }, (_, index) => ({
    t: new Date(Date.now() - (48 - index) * 75_000).toISOString(),
    c10_sol: 100 + index,
    depth_sol: 300,
    precio_mid: 0.000005,
    slippage: { "1": 0.5 },
  }));
  await page.route(/\/history\?/, (route) =>
    route.fulfill({ json: { token_id: MINT, step_seconds: 75, points, alerts: [] } }),
  );
  await open(`/token/${MINT}`);
  const history = page.locator("section").filter({ has: page.locator("#history") });
  await history.getByRole("radio", { name: "7 days" }).check();
  await history.locator("canvas").waitFor();
  const words = await wordsOf(history);
  const ticks = words.filter((word) => /^(?:\d\d:\d\d|\w+ \d+)$/.test(word));
  assert.ok(ticks.length >= 3, words.join());
  assert.equal(new Set(ticks).size, ticks.length, ticks.join());
  await history.locator("summary").click();
  assert.equal(await history.locator("tbody td").first().innerText(), "148");
  // All of them within half a percent.
  await history.getByRole("radio", { name: "Loss at my size" }).check();
  const losses = await eventually("an axis in percent", async () => {
    const shown = await wordsOf(history);
    const found = shown.filter((word) => word.includes("%"));
    return found.length === 0 ? null : found;
  });
  assert.ok(losses.length >= 3, losses.join());
  assert.equal(new Set(losses).size, losses.length, losses.join());
});

async function wordsOf(section: Locator): Promise<readonly string[]> {
  const words = await section
    .locator("canvas")
    .evaluate((canvas: { readonly words?: readonly Word[] }) => canvas.words ?? []);
  return words.map(({ word }) => word);
}

test("how far the figures can be trusted is stated beside them, and leads to the reason", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ isPhone: true });
  const low = { confianza: "baja", aviso: "The answer is wrong in a way of its own." };
  await page.route(/\/exitability\?/, async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, ...low } });
  });
  await page.route(/\/api\/stream\?/, (route) => route.fulfill({ status: 503 }));
  await open(`/token/${MINT}`);
  const stated = page.locator(".hero").getByRole("link", { name: "low confidence" });
  await page.locator("#confidence").waitFor();
  const [link, bar] = [await stated.boundingBox(), await page.locator(".nav").boundingBox()];
  assert.ok(link !== null && bar !== null && link.y + link.height <= bar.y, JSON.stringify(link));
  assert.deepEqual(await violationsOn(page), []);
  await stated.click();
  const reason = await page.getByText(low.aviso).boundingBox();
  assert.ok(reason !== null && reason.y >= 0 && reason.y < bar.y, JSON.stringify(reason));
});

test("on a tablet no column of the accuracy table is out of sight", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const language of ["es", "en"] as const) {
    const { page, open } = await dashboard.visit({ language });
    const counts = { seen: 12_345, replayed: 12_345, exact: 12_345, within_1bp: 12_345 };
    const hour = { ...counts, skipped: {}, worst_bps: 0 };
    await page.route("**/api/accuracy", async (route) => {
      const { venues, ...rest } = (await (await route.fetch()).json()) as { venues: object[] };
      const seen = { windows: { hour }, deployed_slot: 310_000_000 };
      await route.fulfill({
        json: { ...rest, venues: venues.map((venue) => ({ ...venue, ...seen })) },
      });
    });
    await open("/status");
    const box = page.locator("section[aria-labelledby=accuracy] .scroll-x").first();
    await box.locator("tbody tr").first().waitFor();
    for (const width of [740, 820, 920, 1_000]) {
      await page.setViewportSize({ width, height: 900 });
      const hidden = await box.evaluate(
        (element: { readonly scrollWidth: number; readonly clientWidth: number }) =>
          element.scrollWidth - element.clientWidth,
      );
      assert.equal(hidden, 0, `${language}, ${width} pixels`);
    }
  }
});
