import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  demoMint,
  type Session,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

test("what a member does, from the first code to leaving", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { visit, url } = dashboard;
  const { page, open, signIn, keepPicture } = await visit();
  const email = "ana@example.com";
  let session: Session = [];

  await t.test("a wrong code is refused in words, and the mailed one signs in", async () => {
    const stranger = await visit({ language: "es" });
    await stranger.page.goto("/sign-in");
    await stranger.page.locator("#email").fill("otra@example.com");
    await stranger.page.locator("#email").press("Enter");
    await stranger.page.locator("#code").fill("000000");
    await stranger.page.locator("#code").press("Enter");
    await stranger.page.getByText("Ese código no vale").waitFor();
    await stranger.keepPicture("sign-in-wrong-code-light-es");
    assert.deepEqual(await violationsOn(stranger.page), []);
    await stranger.page.route("**/api/oracle/register", (route) => route.abort());
    await stranger.page.getByRole("button", { name: "Enviar el código otra vez" }).click();
    await stranger.page.getByText("El servicio no respondió. Vuelve a intentarlo.").waitFor();
    session = await signIn(email);
    await page.getByRole("link", { name: "Account" }).waitFor();
  });

  await t.test("what needs a recent session is refused with the way to one", async () => {
    const later = await visit({ language: "es", session });
    await later.page.route("**/api/account/channels", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 401, json: { error: "unauthorized", message: "Sign in again." } })
        : route.fallback(),
    );
    await later.open("/alerts");
    await later.page.getByRole("button", { name: email }).click();
    const failure = later.page.locator(".notice");
    await failure.getByText("entra otra vez").waitFor();
    assert.deepEqual(await violationsOn(later.page), []);
    await failure.getByRole("link", { name: "Entrar" }).click();
    await later.page.locator("#email").waitFor();
    assert.match(later.page.url(), /next=%2Falerts$/);
  });

  await t.test("a key is shown once, works, is replaced, and is revoked", async () => {
    await open("/api-keys");
    await page.getByRole("button", { name: "Activate access" }).click();
    const key = await page.getByTestId("issued-key").innerText();
    assert.match(key, /^exi_\w{20,}$/);
    await page.getByText("It will not be shown again").waitFor();
    assert.match(await page.locator("pre.code").innerText(), new RegExp(key));
    await keepPicture("api-keys-issued-light-en");
    assert.deepEqual(await violationsOn(page), []);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByText("Copied").first().waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), key);
    for (const language of ["TypeScript", "Python"]) {
      await page.getByRole("radio", { name: language }).check();
      assert.match(await page.locator("pre.code").innerText(), new RegExp(key));
    }
    assert.equal(await statusWith(url, key), 200);

    await open("/api-keys");
    assert.equal(
      await page.getByText(key).count(),
      0,
      "after another load it is not known any more",
    );
    await page.getByText("1 of 10").waitFor();
    await page.getByRole("button", { name: "Rotate the key" }).click();
    const second = await page.getByTestId("issued-key").innerText();
    assert.notEqual(second, key);
    await page.getByRole("cell", { name: "expiring" }).waitFor();
    assert.deepEqual([await statusWith(url, key), await statusWith(url, second)], [200, 200]);

    const active = page.getByRole("row").filter({ hasText: "active" });
    const focused = page.locator(":focus");
    await active.getByRole("button", { name: /^Revoke/ }).click();
    await page.keyboard.press("Escape");
    assert.match((await focused.getAttribute("aria-label")) ?? "", /^Revoke/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "revoked" }).waitFor();
    assert.ok(
      second.startsWith((await focused.innerText()).slice(0, 6)),
      "the focus is in its row",
    );
    assert.equal(await statusWith(url, second), 401);
    assert.equal(await page.getByText(second).count(), 0, "a revoked key is not offered");

    await page.getByRole("button", { name: "Activate access" }).click();
    const third = await page.getByTestId("issued-key").innerText();
    assert.notEqual(third, second);
    assert.equal(await statusWith(url, third), 200);
  });

  await t.test("what could not be done is not shown as done", async () => {
    const failure = page.getByText("The service did not answer. Try again.");
    const upgrade = page.getByRole("button", { name: "Notify me when there is a larger plan" });
    await page.route("**/api/oracle/waitlist", (route) => route.abort());
    await upgrade.click();
    await failure.waitFor();
    await page.unroute("**/api/oracle/waitlist");
    await upgrade.click();
    await page.getByText("You are on the list").waitFor();

    await open("/account");
    await page.route("**/api/auth/sign-out", (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await failure.waitFor();
    await page.unroute("**/api/auth/sign-out");
  });

  await t.test(
    "the account shows its sessions, ends another one, and gives its data away",
    async () => {
      const phone = await visit({ isPhone: true });
      await dashboard.forgetCodesSent();
      await phone.signIn(email);
      await open("/account");
      const others = page.getByRole("button", { name: /^End:/ });
      await others.first().waitFor();
      await keepPicture("account-two-sessions-light-en");
      await others.first().click();
      await others.first().waitFor({ state: "detached" });
      // The page that was open on the phone asks to sign in, without loading again.
      await phone.page.getByText("Sign in to watch tokens").waitFor();
      await phone.open("/account");
      await phone.page.getByText("Sign in to see your account").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download my data" }).click();
      const data = JSON.parse(readFileSync(await (await download).path(), "utf8"));
      assert.equal(data.user.email, email);
      assert.equal(data.api_keys.length, 3);
    },
  );

  await t.test("while it is not known who reads, the reason is shown", async () => {
    await page.route("**/api/account/me", (route) =>
      route.fulfill({ status: 429, json: { error: "rate_limit_exceeded", message: "Wait." } }),
    );
    await open("/watchlist");
    await page.locator(".notice").getByText("Wait.").waitFor();
    await page.unroute("**/api/account/me");
    await page.getByLabel("Token address (mint)").waitFor();
  });

  await t.test("what could not be read is read again on request", async () => {
    for (const [path, url, sign] of [
      ["/api-keys", "**/api/account/keys", "revoked"],
      ["/account", "**/api/account/sessions", "Chrome, Linux"],
      ["/alerts", "**/api/account/channels", "Add channel"],
    ] as const) {
      await page.route(url, (route) =>
        route.fulfill({ status: 429, json: { error: "rate_limit_exceeded", message: "Wait." } }),
      );
      await open(path);
      await page.locator(".notice").getByText("Wait.").waitFor();
      await page.unroute(url);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText(sign).first().waitFor();
    }
  });

  await t.test("a page that needs an account leads back to itself", async () => {
    const other = await visit();
    await other.open(`/token/${demoMint("Steady")}`);
    await other.page.getByRole("link", { name: "Watch", exact: true }).click();
    await other.page.getByLabel("E-mail address").waitFor();
    assert.match(other.page.url(), /next=%2Ftoken%2FDemoSteady/);
  });

  await t.test("signing out and deleting the account leave nothing behind", async () => {
    await open("/account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Sign in to see your account").waitFor();
    await dashboard.forgetCodesSent();
    await signIn(email);
    await open("/account");
    await page.getByRole("button", { name: "Delete my account" }).click();
    assert.equal(await page.evaluate("document.activeElement.id"), "confirm-email");
    const confirm = page.getByRole("button", { name: "Delete my account" });
    assert.ok(await confirm.isDisabled());
    await page.getByLabel("Type your e-mail address").fill(email);
    await confirm.click();
    await page.getByText("Your account is gone").waitFor();
    // The token of the page itself stays: it names no user.
    const left = (await page.context().cookies()).map(({ name }) => name);
    assert.deepEqual(
      left.filter((name) => name !== "exitability-page"),
      [],
    );
  });
});

async function statusWith(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/token/${demoMint("Steady")}/exitability`, {
    headers: { "x-api-key": key },
  });
  await response.arrayBuffer();
  return response.status;
}

test("after signing in, back leads to the page before, and not to the form", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit();
  await open("/method");
  await signIn("back@example.com");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "How it is measured" }).waitFor();
});

test("a page that asks to sign in goes on once it is seen again after another tab has", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { context, open, signIn } = await dashboard.visit();
  const first = await context.newPage();
  await first.goto("/watchlist");
  await first.getByText("Sign in to watch tokens").waitFor();
  await open("/");
  await signIn("tabs@example.com");
  await first.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await first.getByLabel("Token address (mint)").waitFor();
});

test("who signs in next on a page that another left sees nothing of theirs", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { context, page, open, signIn, signInHere } = await dashboard.visit();
  await signIn("first@example.com");
  await open("/api-keys");
  await page.getByRole("button", { name: "Activate access" }).click();
  const key = await page.getByTestId("issued-key").innerText();
  await page.getByRole("link", { name: "Watchlist" }).click();
  await page.getByLabel("Token address (mint)").fill(demoMint("Steady"));
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("cell", { name: "Remove: STEADY" }).waitFor();
  // The session ends elsewhere.
  await context.clearCookies({ name: /session_token/ });
  await page.getByText("Sign in to watch tokens").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  for (const path of ["**/api/oracle/watchlist", "**/api/account/keys"])
    await page.route(path, (route) => route.abort());
  await signInHere("second@example.com");
  await page.getByLabel("Token address (mint)").waitFor();
  assert.equal(await page.getByText("STEADY").count(), 0);
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.locator(".notice").getByText("The service did not answer").waitFor();
  assert.equal(await page.getByText(key.slice(0, 8)).count(), 0);
});
