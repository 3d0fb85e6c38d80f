import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "#test/support/eventually.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";

const MINT = demoMint("Rug");
const PASTED = `look https://dexscreener.com/solana/${MINT}?ref=x`;

test("from a pasted link to a watched token with mail agreed, on a phone", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open, signIn } = await dashboard.visit({ isPhone: true });
  await open("/");
  const beganMs = performance.now();
  let taps = 0;
  const tap = async (name: RegExp, role: "link" | "button" = "button") => {
    await page.getByRole(role, { name }).first().click();
    taps++;
  };

  await t.test("the mint is found in what is pasted, and its page opens at once", async () => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(PASTED)})`);
    await page.getByLabel("Paste or type a token").focus();
    await page.keyboard.press("Control+V");
    taps++;
    await page.waitForURL(`**/token/${MINT}`);
    await page.locator(".exit-paid").waitFor();
  });

  await t.test("what was begun before signing in is finished after it", async () => {
    await page.getByRole("button", { name: "5", exact: true }).click();
    await page.getByText("Selling 5 SOL worth of RUG now pays").waitFor();
    await tap(/^Watch$/, "link");
    await page.waitForURL(/\/sign-in\?next=/);
    const back = new URL(page.url()).searchParams.get("next") ?? "";
    assert.match(back, /\?size=5&profile=retail$/);
    // The code itself is typed by the harness, as elsewhere.
    await signIn("phone@example.com");
    taps += 2;
    await page.goto(back);
    await page.getByRole("link", { name: /Watched · 5 SOL/ }).waitFor();
  });

  await t.test("one tap has alerts mailed", async () => {
    // The question comes after the answer.
    const row = page.locator(".hero ~ .mail-row");
    await row.getByRole("button", { name: /Mail them to phone@example.com/ }).waitFor();
    await tap(/Mail them to phone@example.com/);
    await page.getByText("Alerts are mailed to phone@example.com").waitFor();
    assert.deepEqual(await violationsOn(page), []);
    t.diagnostic(`${taps} taps, ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
    const channels = await context.request.get("/api/account/channels");
    const { items } = (await channels.json()) as { items: readonly { status: string }[] };
    assert.deepEqual(
      items.map(({ status }) => status),
      ["verified"],
    );
  });

  await t.test(
    "what was agreed is shown as long as it holds, and can be agreed again",
    async () => {
      await open("/alerts");
      const agreed = page.getByText("Alerts are mailed to phone@example.com");
      const ask = page.getByRole("button", { name: "Mail them to phone@example.com" });
      const on = (checked: boolean) => page.getByRole("checkbox", { name: "On", checked });
      // A click alone: the box changes when the service has answered.
      await on(true).click();
      await on(false).waitFor();
      await ask.click();
      await agreed.waitFor();
      await on(true).waitFor();
      await page.getByRole("button", { name: "Remove: phone@example.com" }).click();
      await ask.waitFor();
      assert.equal(await agreed.count(), 0);
      await ask.click();
      await agreed.waitFor();
    },
  );

  await t.test("opened tokens are offered again, and found by their symbol", async () => {
    await open("/");
    await page.getByRole("navigation", { name: "Opened last" }).getByText("RUG").waitFor();
    await page.getByLabel("Paste or type a token").fill("thr");
    await page.getByRole("link", { name: "THREE", exact: true }).waitFor();
    await page.getByLabel("Paste or type a token").press("Enter");
    await page.getByRole("heading", { level: 1, name: "Three Doors" }).waitFor();
  });
});

test("a pasted link that names a pool leads to its token", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open } = await dashboard.visit();
  const token = demoMint("Three");
  const pools = await context.request.get(`/api/token/${token}/pools`);
  const [pool] = ((await pools.json()) as { pools: readonly { address: string }[] }).pools;
  assert.ok(pool);
  await open("/");
  const search = page.getByLabel("Paste or type a token");
  await search.fill(`https://dexscreener.com/solana/${pool.address}`);
  await search.press("Enter");
  await page.getByText("This is the address of a pool").waitFor();
  await page.getByRole("link", { name: "Measure its token" }).click();
  await page.getByRole("heading", { level: 1, name: "Three Doors" }).waitFor();
});

test("while a size is dragged, at most ten requests a second are sent", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${demoMint("Steady")}`);
  await page.locator("#curve").waitFor();
  const sent: number[] = [];
  const sizes: (string | null)[] = [];
  page.on("request", (request) => {
    if (!request.url().includes("/api/")) return;
    sent.push(performance.now());
    sizes.push(new URL(request.url()).searchParams.get("size"));
  });
  const box = await page.locator(".size-slider").boundingBox();
  assert.ok(box !== null);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 20, y);
  await page.mouse.down();
  let step = 0;
  await eventually("the sale follows the slider", async () => {
    await page.mouse.move(box.x + 20 + ((4 * step++) % 240), y);
    return new Set(sizes).size >= 3 || null;
  });
  await page.mouse.up();
  const chosen = await page.getByRole("textbox", { name: "Sell" }).inputValue();
  await eventually(`a request for ${chosen}`, () => sizes.includes(chosen) || null);
  await page.locator(".exit-paid").waitFor();
  const most = Math.max(
    0,
    ...sent.map((from) => sent.filter((at) => at >= from && at < from + 1_000).length),
  );
  t.diagnostic(`${sent.length} requests while dragging, ${most} in the fullest second`);
  assert.ok(most <= 10, `${most} requests in a second`);
});

test("a visitor without a session sees every page without a refused request or a line in the console", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const lines: string[] = [];
  page.on("console", (message) => void lines.push(message.text()));
  page.on("response", (response) => {
    if (response.status() >= 400) lines.push(`${response.status()} ${response.url()}`);
  });
  const token = `/token/${MINT}`;
  for (const path of ["/", token, "/watchlist", "/alerts", "/api-keys", "/account", "/status"]) {
    await open(path);
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    if (path === token) await page.locator(".exit-paid").waitFor();
  }
  assert.deepEqual(lines, []);
});

test("signing in from the header leads back to the page, with its sale; from the first page to the watchlist", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const signIn = page.getByRole("banner").getByRole("link", { name: "Sign in" });
  await open("/");
  assert.equal(await signIn.getAttribute("href"), "/sign-in");
  const token = `/token/${MINT}?size=5&profile=pro`;
  await open(token);
  await signIn.click();
  // A second click loses nothing.
  await page.locator("#email").waitFor();
  await signIn.click();
  const { pathname, searchParams } = new URL(page.url());
  assert.deepEqual([pathname, searchParams.get("next")], ["/sign-in", token]);
});

test("a position of a dear token is sold in tokens too: its amount has no more decimals than the token", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const price = { precio_mid: 600 };
  await page.route(/\/exitability\?/, async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, ...price } });
  });
  await page.route(/\/api\/stream\?/, (route) => route.fulfill({ status: 503 }));
  await open(`/token/${demoMint("Three")}?size=0.5`);
  await page.locator(".freshness time").waitFor();
  await page.getByLabel("Unit").selectOption("tokens");
  await page.waitForURL(/size=0\.000833&unit=tokens/);
  await page.getByText("Selling 0.000833 THREE now pays").waitFor();
  await page.locator(".exit-paid:not(.words)").waitFor();
});

test("a link writes nothing: what it asks to watch is watched on a tap", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open, signIn } = await dashboard.visit();
  await signIn("link@example.com");
  const watched = async () => {
    const list = await context.request.get("/api/oracle/watchlist");
    return ((await list.json()) as { items: readonly { size_sol: number }[] }).items;
  };
  await open(`/token/${MINT}?size=5&watch=5`);
  await page.locator(".watch button:enabled").waitFor();
  await page.locator("#curve").waitFor();
  assert.deepEqual(await watched(), []);
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("link", { name: /Watched · 5 SOL/ }).waitFor();
  assert.deepEqual(
    (await watched()).map(({ size_sol }) => size_sol),
    [5],
  );
});

test("what is chosen on one tab changes nothing on another", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open } = await dashboard.visit();
  await open(`/token/${demoMint("Three")}`);
  await page.getByText("Selling 1 SOL worth of THREE now pays").waitFor();
  const other = await context.newPage();
  await other.goto(`/token/${demoMint("Steady")}`);
  await other.getByRole("button", { name: "50", exact: true }).click();
  await other.getByText("Selling 50 SOL worth of STEADY now pays").waitFor();
  // The page is drawn each second.
  for (let poll = 0; poll < 2; poll++) await page.waitForRequest(/\/exitability\?profile=/);
  assert.match(await page.locator(".exit-lead").innerText(), /^Selling 1\sSOL worth of THREE /);
});
