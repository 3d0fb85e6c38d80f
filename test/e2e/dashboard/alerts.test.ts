import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { address } from "#src/units/address.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { closeAfter } from "#test/support/ending.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";

const RUG = address(demoMint("Rug"));
const ALL_BUT_A_SLIVER_BPS = 9_950;

for (const API_THREAD of ["off", "on"]) {
  const where = "on the token's page, in the feed, and to a webhook";
  test(`a withdrawal is published at once: ${where}; API_THREAD=${API_THREAD}`, (t) =>
    publishesWithdrawal(t, { API_THREAD }));
}

async function publishesWithdrawal(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const node = await startDemoNode(t);
  const receiver = await startReceiver(t);
  const dashboard = await startDashboard(t, {
    ...node.environment,
    ...environment,
    WEBHOOK_ALLOW: "127.0.0.0/8",
  });
  if (dashboard === null) return;
  const onToken = await dashboard.visit();
  const { page, open, signIn, keepPicture } = await dashboard.visit();
  const session = await signIn("nina@example.com");
  const channels = page.locator("section").filter({ has: page.locator("#channels") });

  await t.test("a token is watched, and a webhook proves that it listens", async () => {
    await open(`/token/${RUG}`);
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    await page.getByRole("link", { name: /Watched/ }).waitFor();
    await open("/alerts");
    await page.getByLabel("Kind of channel").selectOption("Signed webhook");
    await page.getByLabel("https URL that receives the alerts").fill(`${receiver.url}/hook`);
    await page.getByRole("button", { name: "Add channel" }).click();
    await page.getByText("Signing secret; shown once").waitFor();
    const { code } = await receiver.next("channel.verification");
    await channels.getByText("to be verified").waitFor();
    await channels.getByText("enter the code").waitFor();
    await keepPicture("alerts-verify-light-en");
    assert.deepEqual(await violationsOn(page), []);
    await channels.getByRole("textbox", { name: /^Verification code/ }).fill(String(code));
    await channels.getByRole("button", { name: "Verify" }).click();
    await channels.locator(".badge.good").getByText("verified").waitFor();
    // The secret stays in sight, and what is done is not asked for again.
    await page.getByText("Signing secret; shown once").waitFor();
    assert.equal(await channels.getByText("enter the code").count(), 0);
  });

  await t.test("a channel is tried, and switched off and on", async () => {
    await channels.getByRole("button", { name: /^Test:/ }).click();
    await channels.getByText("Sent.").waitFor();
    await receiver.next("channel.test");
    for (const enabled of [false, true]) {
      const patched = page.waitForResponse((response) => response.request().method() === "PATCH");
      await channels.getByRole("checkbox").click();
      await patched;
      assert.equal(await channels.getByRole("checkbox").isChecked(), enabled);
    }
  });

  await t.test("the withdrawal appears on both pages without loading again", async () => {
    await onToken.open(`/token/${RUG}`);
    await onToken.page.locator(".freshness.live").waitFor();
    for (const each of [page, onToken.page])
      await each.evaluate("window.isStillTheSamePage = true");
    assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: ALL_BUT_A_SLIVER_BPS }));
    const beganMs = performance.now();
    const tell = (what: string) =>
      t.diagnostic(`${what} ${(performance.now() - beganMs).toFixed(0)} ms after the withdrawal`);
    await Promise.all([
      page
        .locator(".feed-item")
        .getByRole("link", { name: "RUG" })
        .first()
        .waitFor()
        .then(() => tell("in the feed")),
      onToken.page
        .locator(".alert-banner.on")
        .waitFor()
        .then(() => tell("on the token's page")),
      receiver.next("exit.alerts").then(() => tell("at the webhook")),
    ]);
    await page.locator(".feed-item").first().getByText("Liquidity was withdrawn").waitFor();
    await onToken.page.locator(".alert-list").getByText("liquidity withdrawn").first().waitFor();
    await onToken.page.locator(".alert-banner").getByText("Liquidity was withdrawn").waitFor();
    await onToken.page.locator(".alert-banner").getByText("→").first().waitFor();
    // Nothing is shown as good beside an alert.
    assert.match(await onToken.page.title(), /^▼ RUG/);
    assert.equal(await onToken.page.locator(".hero .verdict.good").count(), 0);
    assert.match(
      (await onToken.page.locator('link[rel="icon"]').getAttribute("href")) ?? "",
      /alert/,
    );
    for (const each of [page, onToken.page])
      assert.equal(await each.evaluate("window.isStillTheSamePage"), true);
    const home = await dashboard.visit();
    await home.open("/");
    await home.page.locator(".current-alert").getByText("RUG").waitFor();
    await home.page.locator(".current-alert").getByText("Liquidity was withdrawn").waitFor();
    await home.keepPicture("home-alert-light-en");
    assert.deepEqual(await violationsOn(home.page), []);
    await keepPicture("alerts-arrived-light-en");
    await onToken.keepPicture("token-alert-light-en");
    assert.deepEqual(await violationsOn(page), []);
    assert.deepEqual(await violationsOn(onToken.page), []);
  });

  await t.test(
    "the feed is stored, shown in the reader's language, and a click is counted in the funnel",
    async () => {
      const reader = await dashboard.visit({ language: "es", theme: "dark", session });
      await reader.open("/alerts");
      await reader.page
        .locator(".feed-item")
        .getByText("Se ha retirado liquidez")
        .first()
        .waitFor();
      // A new alert is read out, and not its age each second.
      const ages = reader.page.locator(".feed-item time:not([aria-live=off])");
      assert.equal(await ages.count(), 0);
      await reader.keepPicture("alerts-arrived-dark-es");
      const told = reader.page.waitForResponse((response) =>
        response.url().endsWith("/oracle/event"),
      );
      await reader.page.locator(".feed-item").getByRole("link", { name: "RUG" }).first().click();
      assert.equal((await told).request().postDataJSON().event_name, "alerta_click");
      await reader.page.getByRole("heading", { level: 1, name: "Magic Carpet" }).waitFor();
    },
  );
}

test("what could not be delivered is shown with its reason", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn, keepPicture } = await dashboard.visit({ language: "es" });
  await signIn("eva@example.com");
  await page.route(/\/api\/account\/channels$/, (route) =>
    route.fulfill({
      json: {
        kinds: ["email", "webhook"],
        push_key: null,
        items: [
          {
            id: "1",
            kind: "webhook",
            target: "https://hooks.example/exit",
            status: "failing",
            enabled: true,
            last_error: "HTTP 500",
          },
        ],
        dead_letters: [
          {
            alert_id: "7",
            kind: "webhook",
            failed_at: "2026-11-20T10:00:00.000Z",
            error: "HTTP 500",
          },
        ],
      },
    }),
  );
  await open("/alerts");
  await page.getByRole("heading", { name: "No entregados" }).waitFor();
  await page.getByText("con fallos").waitFor();
  await page.getByText("Último error: HTTP 500").waitFor();
  await keepPicture("alerts-dead-letter-light-es");
  assert.deepEqual(await violationsOn(page), []);
});

test("why a channel can't be verified is stated in the page's language", async (t) => {
  const dashboard = await startDashboard(t, { WEBHOOK_ALLOW: "127.0.0.0/8" });
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit({ language: "es" });
  await signIn("eva@example.com");
  await open("/alerts");
  await page.getByLabel("Tipo de canal").selectOption("Webhook firmado");
  // Nothing listens there.
  await page.getByLabel("URL https que recibirá los avisos").fill("http://127.0.0.1:1/hook");
  await page.getByRole("button", { name: "Añadir canal" }).click();
  const failure = "No se pudo llegar a su dirección: ECONNREFUSED.";
  await page.getByText(`El código no ha llegado (${failure})`).waitFor();
  await page.getByText(`Último error: ${failure}`).waitFor();
  await page.getByRole("textbox", { name: /^Código de verificación/ }).fill("000000");
  await page.getByRole("button", { name: "Verificar" }).click();
  await page.getByText("Ese código está mal, ya se usó o ha caducado.").waitFor();
});

test("without a network a channel is not shown as switched off", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, context, open, signIn } = await dashboard.visit();
  await signIn("channel@example.com");
  await open("/alerts");
  await page.getByRole("button", { name: "Mail them to channel@example.com" }).click();
  const isOn = page.getByRole("checkbox", { name: "On" });
  await isOn.waitFor();
  await context.setOffline(true);
  await isOn.click();
  await page.getByText("There is no network. Try again once there is.").first().waitFor();
  assert.ok(await isOn.isChecked());
});

type Receiver = {
  readonly url: string;
  /** The data of the next message of a type; waits for it. */
  readonly next: (type: string) => Promise<Readonly<Record<string, unknown>>>;
};

/** A webhook's receiver that takes everything. */
async function startReceiver(t: TestContext): Promise<Receiver> {
  const messages = new EventEmitter();
  const came: { type: string; data: Record<string, unknown> }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    came.push((await json(request)) as (typeof came)[number]);
    messages.emit("message");
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next(type) {
      for (;;) {
        const index = came.findIndex((message) => message.type === type);
        const [found] = index === -1 ? [] : came.splice(index, 1);
        if (found !== undefined) return found.data;
        await once(messages, "message", { signal: t.signal });
      }
    },
  };
}
