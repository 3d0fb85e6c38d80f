import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

const WIDTHS = [320, 390, 1440] as const;
const PHASES = ["on-curve", "migrating", "migrated", "listed"] as const;
const NOTHING = { depth_sol: null, precio_mid: null, score: null, exit_max_sol: null };
const BLOCKED_SALE = { state: "bloqueado_dato", reason: "blocked" };
const NO_SALE = { state: "no_exit", reason: "no-market" };
const EMPTY = { net_sol: null, slippage_pct: null, size_sol: null, routes: [] };

type State = {
  readonly name: string;
  readonly answer: object;
  readonly sale: object;
};

const STATES: readonly State[] = [
  { name: "ok", answer: {}, sale: {} },
  { name: "alerting", answer: { alerta_deterioro: true }, sale: {} },
  {
    name: "blocked",
    answer: {
      state: "bloqueado_dato",
      confianza: "baja",
      aviso: "Most of the liquidity sits in pools that can't be read or are not modelled.",
      ...NOTHING,
    },
    sale: { ...EMPTY, ...BLOCKED_SALE, capacity_sol: null },
  },
  {
    name: "no exit",
    answer: { precio_mid: null, depth_sol: 0, score: 0, exit_max_sol: 0 },
    sale: { ...EMPTY, ...NO_SALE, capacity_sol: 0 },
  },
];

test("every phase and state fits 320, 390 and 1440 pixels, and shows nothing as good that is not", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const [place, fase] of PHASES.entries()) {
    await t.test(`${fase}: every state`, async () => {
      const { page, open } = await dashboard.visit({ language: place % 2 === 0 ? "es" : "en" });
      const answers = new Map<string, Promise<object>>();
      for (const each of STATES) {
        await page.unrouteAll({ behavior: "ignoreErrors" });
        await show(page, answers, { ...each, fase });
        await open(`/token/${demoMint("Three")}`);
        await page.locator("#blockers").waitFor();
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
          );
          assert.equal(await sidewaysOverflow(page), 0, `${each.name} at ${width} pixels`);
          const amount = await page.locator(".amount input").boundingBox();
          assert.ok(amount !== null && amount.width >= 60, `the amount at ${width} pixels`);
        }
        if (each.name !== "ok") {
          const good = page.locator(".hero .verdict.good, .hero .badge.good");
          assert.equal(await good.count(), 0, each.name);
          assert.equal(await page.getByText(/^(?:stable|estable)$/).count(), 0, each.name);
        }
      }
    });
  }
});

test("the answer is on a phone's first screen: size, sentence, exit capacity", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const language of ["es", "en"] as const) {
    const { page, open } = await dashboard.visit({ isPhone: true, language });
    await open(`/token/${demoMint("Three")}?size=5&profile=pro`);
    await page.locator(".exit-paid").waitFor();
    const bar = await page.locator(".nav").boundingBox();
    for (const part of [".amount input", ".exit-paid", ".exit-loss", ".facts-line .main"]) {
      const box = await page.locator(part).boundingBox();
      assert.ok(box !== null && bar !== null);
      assert.ok(box.y + box.height <= bar.y, `${part} ends at ${box.y + box.height} of ${bar.y}`);
    }
  }
});

test("on a phone ten digits of an amount are in sight, and so is why an amount is refused", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const [language, typed, sentence] of [
    ["es", "398.111", "Puede ser 398111 o 398,111: escribe uno de los dos."],
    ["en", "398,111", "Read as 398111."],
  ] as const) {
    const { page, open, keepPicture } = await dashboard.visit({ isPhone: true, language });
    await open(`/token/${demoMint("Three")}?size=398111&unit=tokens`);
    await page.locator(".exit-paid").waitFor();
    const amount = page.locator(".amount input");
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      for (const digits of ["1234567890", "398111,125", "398.111"]) {
        await amount.fill(digits);
        assert.equal(await hiddenPixels(amount), 0, `${digits} at ${width} pixels`);
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await amount.fill(typed);
    const note = page.getByText(sentence);
    await note.waitFor();
    const box = await note.boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    assert.deepEqual(await violationsOn(page), []);
    await keepPicture(`token-amount-phone-light-${language}`, "window");
  }
});

/** How much of a field's text is beyond its edge. */
function hiddenPixels(field: Locator): Promise<number> {
  return field.evaluate(
    (element: { readonly scrollWidth: number; readonly clientWidth: number }) =>
      element.scrollWidth - element.clientWidth,
  );
}

test("an unknown address is a page of the dashboard with status 404, without a violation", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const [path, status] of [
    ["/nope/here", 404],
    ["/token/%E0%A4%A", 404],
  ] as const) {
    const { page } = await dashboard.visit();
    const response = await page.goto(path);
    assert.equal(response?.status(), status);
    await page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor();
    assert.match(await page.title(), /nothing here/);
    assert.deepEqual(await violationsOn(page), []);
    await page.getByRole("main").getByRole("link", { name: "Measure" }).click();
    await page.getByRole("heading", { level: 1, name: "What do I get" }).waitFor();
  }
});

test("pools that are all paused are not called unknown, and stay listed", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const mint = demoMint("Paused");
  const blocked = STATES.find(({ name }) => name === "blocked");
  assert.ok(blocked !== undefined);
  await show(page, new Map(), { ...blocked, fase: "listed" });
  const last = { c10_sol: 0, depth_sol: null, precio_mid: null, slippage: {} };
  const points = [{ t: new Date().toISOString(), ...last }];
  await page.route(/\/history\?/, (route) =>
    route.fulfill({ json: { token_id: mint, step_seconds: 60, points, alerts: [] } }),
  );
  await open(`/token/${mint}`);
  await page.locator(".exit-paid").getByText("nothing").waitFor();
  await page.locator(".notice").getByText("Trading is paused: nothing can be sold now.").waitFor();
  await page.getByRole("cell", { name: "closed now" }).waitFor();
  assert.equal(await page.getByText("does not mean that there is no way out").count(), 0);
  assert.deepEqual(await violationsOn(page), []);
});

test("the banner of an alert states when it began, and once it has ended, also for how long it is over", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit();
  const mint = demoMint("Three");
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const alert = {
    id: "1",
    started_at: minutesAgo(50),
    detector: "drop",
    cause: "sells",
    share_pct: 90,
    slot: 1,
    c10_before_sol: 40,
    c10_after_sol: 10,
    depth_before_sol: 300,
    depth_after_sol: 100,
  };
  const time = page.locator(".alert-banner time");
  for (const ended_at of [null, minutesAgo(4)]) {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.route(/\/history\?/, (route) =>
      route.fulfill({
        json: { token_id: mint, step_seconds: 60, points: [], alerts: [{ ...alert, ended_at }] },
      }),
    );
    await open(`/token/${mint}`);
    await time.first().waitFor();
    const times = await time.evaluateAll((found) =>
      found.map((each) => each.getAttribute("datetime")),
    );
    assert.deepEqual(times, [alert.started_at, ...(ended_at === null ? [] : [ended_at])]);
    assert.equal(await page.locator(".alert-when").getAttribute("aria-live"), "off");
    const when = await page.locator(".alert-when").innerText();
    assert.equal(when, ended_at === null ? "50 min ago" : "50 min ago · over for 4 min");
    assert.match(await page.locator(".alert-title").innerText(), /Heavy selling$/);
    await keepPicture(`token-alert-${ended_at === null ? "on" : "over"}-light-en`, "window");
  }
});

test("an invalid address is shown whole, without a link, in the page's language", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ language: "es" });
  await open("/token/not-an-address-0OIl");
  await page.getByText("No es la dirección de un token").waitFor();
  assert.equal(await page.locator("h1").innerText(), "not-an-address-0OIl");
  assert.equal(await page.locator(".token-mint").count(), 0);
  assert.doesNotMatch(await page.getByRole("main").innerText(), /is not a Solana address/);
});

test("a token without a pool is shown as such also while it is read again", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${"1".repeat(31)}2`);
  const notice = page.getByText("No known pool");
  await notice.waitFor();
  const again = Promise.withResolvers<void>();
  await page.route(/\/exitability(?:\/at)?\?/, async (route) => {
    if (route.request().url().includes("/at?")) again.resolve();
    // Neither request is answered.
  });
  await again.promise;
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  assert.ok(await notice.isVisible());
  assert.equal(await page.locator(".exit-answer").count(), 0);
});

test("an amount finer than the token's smallest unit is refused as such, in the page's language", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ language: "es" });
  await open(`/token/${demoMint("Three")}?size=1.0000001&unit=tokens`);
  await page.getByText("Este token no tiene tantos decimales.").waitFor();
  assert.equal(await page.getByText("De 0,01 a 1000 SOL").count(), 0);
});

test("a browser that keeps nothing, or has no room, shows every page", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const script of [
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });",
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
  ]) {
    const { page, open } = await dashboard.visit();
    await page.addInitScript(script);
    await open(`/token/${demoMint("Three")}`);
    await page.locator(".exit-paid").waitFor();
    await page.getByRole("button", { name: "5", exact: true }).click();
    await page.getByText("Selling 5 SOL worth of THREE now pays").waitFor();
    await page.getByRole("button", { name: "Dark theme" }).click();
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
    await page.getByRole("button", { name: "Español" }).click();
    await page.getByText("Vender 5 SOL en THREE ahora paga").waitFor();
    await open("/");
  }
});

test("a name as long as its author likes widens no list of tokens or alerts", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit({ isPhone: true });
  await signIn("long@example.com");
  const mint = demoMint("Three");
  const name = "W".repeat(80);
  const now = new Date().toISOString();
  const alert = {
    id: "1",
    kind: "slippage",
    mint,
    token_name: name,
    token_symbol: name,
    size_sol: 1_000,
    cause: "sells",
    created_at: now,
    started_at: now,
    slippage_before_pct: 1,
    slippage_after_pct: 50,
    c10_before_sol: 40,
    c10_after_sol: 10,
    depth_before_sol: 300,
    depth_after_sol: 100,
    grade: null,
  };
  await page.route(/\/api\/(?:alerts\/current|account\/alerts\?)/, (route) =>
    route.fulfill({ json: { items: [alert] } }),
  );
  const facts = { name, symbol: null };
  await page.route(new RegExp(`/api/token/${mint}$`), async (route) => {
    const known = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...known, ...facts } });
  });
  // Opened once, it is offered on the first page too.
  for (const path of [`/token/${mint}`, "/alerts", "/"]) {
    await open(path);
    await page
      .getByText(/^W{12,40}…$/)
      .first()
      .waitFor();
    assert.equal(await sidewaysOverflow(page), 0, path);
  }
  assert.equal(await page.getByText(/^W{12,40}…$/).count(), 2);
});

test("a theme is there from the first paint, and with reduced motion nothing moves", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ theme: "dark", isMotionReduced: true });
  // Before any module of the page has run.
  await page.route(/\/assets\/index-.*\.js/, (route) => route.abort());
  await page.goto("/", { waitUntil: "domcontentloaded" });
  const ground = "getComputedStyle(document.documentElement).backgroundColor";
  assert.equal(await page.evaluate(ground), "rgb(20, 21, 26)");
  await page.unrouteAll();
  await open(`/token/${demoMint("Three")}`);
  await page.locator("#curve").waitFor();
  assert.equal(await page.evaluate("document.getAnimations().length"), 0);
});

test("a link preview has the token's name and figures", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${demoMint("Three")}`);
  await page.locator(".exit-paid").waitFor();
  const html = await (await fetch(`${dashboard.url}/token/${demoMint("Three")}`)).text();
  assert.match(html, /<meta property="og:title" content="THREE: /);
  assert.match(html, /og:description" content="[^"]*Selling 5 SOL loses about \d+ %/);
});

/** Lets the service answer each question once, and the page see a phase and a state. */
async function show(
  page: Page,
  answers: Map<string, Promise<object>>,
  { answer, sale, fase }: State & { readonly fase: string },
): Promise<void> {
  await page.route(/\/exitability(?:\/at)?\?/, async (route) => {
    const url = route.request().url();
    const asked = answers.get(url) ?? route.fetch().then((response) => response.json());
    answers.set(url, asked);
    const body = await asked;
    const changes = url.includes("/at?") ? sale : { fase, ...answer };
    await route.fulfill({ json: { ...body, ...changes } });
  });
  await page.route(/\/api\/stream\?/, (route) => route.fulfill({ status: 503 }));
}

test("the chart over time reads capacity, depth, price and loss by the keyboard", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit();
  const mint = demoMint("Three");
  const pointAt = (index: number) => ({
    t: new Date(Date.now() - (5 - index) * 60_000).toISOString(),
    c10_sol: 30 + index,
    depth_sol: 320 + index,
    precio_mid: 0.000005 + index * 1e-7,
    slippage: { "0.5": 0.4, "1": 0.5 + index, "2": 1, "5": 2, "10": 4, "50": null },
  });
  const points = [0, 1, 2, 3, 4, 5].map(pointAt);
  await page.route(/\/history\?/, (route) =>
    route.fulfill({ json: { token_id: mint, step_seconds: 60, points, alerts: [] } }),
  );
  await open(`/token/${mint}?size=1`);
  const history = page.locator("section").filter({ has: page.locator("#history") });
  for (const [series, last, earlier] of [
    ["Exit within 10 %", "35 SOL", "34 SOL"],
    ["Can be taken out", "325 SOL", "324 SOL"],
    ["Price", "0.0₅5500 SOL", "0.0₅5400 SOL"],
    ["Loss at my size", "5.5 %", "4.5 %"],
  ] as const) {
    await history.getByRole("radio", { name: series }).check();
    const chart = history.getByRole("slider");
    const reading = async () =>
      (await chart.getAttribute("aria-valuetext"))?.replaceAll("\u00a0", " ") ?? "";
    await chart.press("End");
    assert.match(await reading(), new RegExp(`: ${last}`));
    await chart.press("ArrowLeft");
    assert.match(await reading(), new RegExp(`: ${earlier}`));
    if (series === "Price") await keepPicture("token-price-light-en");
  }
});
