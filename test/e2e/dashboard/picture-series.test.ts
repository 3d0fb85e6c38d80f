import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { type Address, address } from "#src/units/address.ts";
import { type DemoNode, startDemoNode } from "#test/support/chain/demo-node.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import {
  type Dashboard,
  demoMint,
  startDashboard,
  type Visitor,
} from "#test/support/processes/dashboard.ts";
import { mailFiles } from "#test/support/processes/mailed-code.ts";
import { runCommand } from "#test/support/processes/service.ts";
import {
  deviceOf,
  notifications,
  startPushService,
  subscribeAs,
} from "#test/support/users/push-browser.ts";
import { VAPID_KEY } from "#test/support/users/push-subscriber.ts";

/**
 * A rug and a stealth drain as pictures of all that a holder sees, in ci-output/dashboard/series-*, and
 * the seconds from the withdrawal to each.
 */

const EMAIL = "series@example.com";
const RUG = address(demoMint("Rug"));
const LEAK = address(demoMint("Drain"));
/** So little each time that no single step is remarkable. */
const SLICE_BPS = 300;
const SLICE_EVERY_MS = 4_000;
const ARRIVES_WITHIN_MS = 90_000;
/** DevTools do not report whether a message reached the worker, so it is sent again, as push services do. */
const DELIVER_AGAIN_MS = 5_000;

test("a rug and a stealth drain reach the watchlist, the page, the phone, the notification and the mail", async (t) => {
  const node = await startDemoNode(t);
  const push = await startPushService(t);
  const dashboard = await startDashboard(t, {
    ...node.environment,
    WEBHOOK_ALLOW: "127.0.0.0/8",
    VAPID_PRIVATE_KEY: VAPID_KEY,
  });
  if (dashboard === null) return;
  const holder = await holderOf(dashboard, push.subscription);
  const watched = await watchlistOf(dashboard, holder);
  await agree(holder, push);
  const receivers = { dashboard, holder, watched, push };

  await t.test("a rug", async (t) => {
    await series(t, receivers, {
      name: "rug",
      symbol: "RUG",
      mint: RUG,
      begin: () => takeOut(node, RUG, 9_950),
    });
  });

  await t.test("a stealth drain: 3 % of what is left, every 4 seconds", async (t) => {
    await series(t, receivers, {
      name: "drain",
      symbol: "LEAK",
      mint: LEAK,
      begin() {
        takeOut(node, LEAK, SLICE_BPS);
        const timer = setInterval(() => takeOut(node, LEAK, SLICE_BPS), SLICE_EVERY_MS);
        closeAfter(t, () => clearInterval(timer));
      },
    });
  });
});

function takeOut({ market }: DemoNode, mint: Address, shareBps: number): void {
  assert.ok(market.script(mint, { kind: "liquidity", shareBps }));
}

type Session = Awaited<ReturnType<Visitor["signIn"]>>;
type Holder = Visitor & { readonly session: Session };
type Receivers = {
  readonly dashboard: Dashboard;
  readonly holder: Holder;
  readonly watched: Visitor;
  readonly push: Awaited<ReturnType<typeof startPushService>>;
};

/** A holder with both tokens watched, whose plan takes them. */
async function holderOf(dashboard: Dashboard, subscription: string): Promise<Holder> {
  const visitor = await dashboard.visit();
  await visitor.context.grantPermissions(["notifications"]);
  await visitor.context.addInitScript(subscribeAs(subscription));
  const session = await visitor.signIn(EMAIL);
  const raised = runCommand(dashboard.place, ["admin", "user", "tier", EMAIL, "degen"]);
  assert.equal(raised.code, 0, raised.err);
  const watch = visitor.page.getByRole("button", { name: "Watch", exact: true });
  const full = visitor.page.getByText("Your plan takes no more tokens");
  for (const mint of [RUG, LEAK]) {
    // Another process raised the plan: the service reads the change within a second.
    do {
      await visitor.open(`/token/${mint}?size=1`);
      await watch.or(full).first().waitFor();
    } while (await full.isVisible());
    await watch.click();
    await visitor.page.getByRole("link", { name: /Watched/ }).waitFor();
  }
  return { ...visitor, session };
}

async function watchlistOf(dashboard: Dashboard, { session }: Holder): Promise<Visitor> {
  const watched = await dashboard.visit({ session });
  await watched.open("/watchlist");
  await watched.page.locator(".watched tbody tr").nth(1).waitFor();
  return watched;
}

/** Mail and notifications, as the holder agrees to them on the alerts' page. */
async function agree({ page, open }: Holder, push: Receivers["push"]): Promise<void> {
  await open("/alerts");
  await page.getByRole("button", { name: /^Mail them to/ }).click();
  await page.getByText("Alerts are mailed to").waitFor();
  const device = await deviceOf(page);
  await page.getByRole("button", { name: "Notify me here" }).click();
  await device.deliver(await push.next());
  await page.getByText("On: alerts appear as notifications").waitFor();
}

type Story = {
  readonly name: string;
  readonly symbol: string;
  readonly mint: Address;
  readonly begin: () => void;
};

async function series(t: TestContext, receivers: Receivers, story: Story): Promise<void> {
  const { dashboard, holder, watched, push } = receivers;
  const { name, symbol, mint, begin } = story;
  const desk = await dashboard.visit();
  const phone = await dashboard.visit({ isPhone: true, language: "es", theme: "dark" });
  for (const each of [desk, phone]) {
    await each.open(`/token/${mint}?size=1`);
    await each.page.locator(".freshness.live").waitFor();
  }
  await desk.keepPicture(`series-${name}-0-before`, "window");
  const device = await deviceOf(holder.page);
  const mailBefore = mailFiles(dashboard.service.dataDir);
  const shown = async () => {
    let deliveredMs = Number.NEGATIVE_INFINITY;
    let delivered = 0;
    for (;;) {
      const messages = push.posted();
      const nowMs = performance.now();
      if (messages.length > delivered || nowMs - deliveredMs > DELIVER_AGAIN_MS) {
        for (const message of messages) await device.deliver(message);
        [delivered, deliveredMs] = [messages.length, nowMs];
      }
      const all = await notifications(holder.page, 0);
      const found = all.find(({ title }) => title.includes(symbol));
      if (found !== undefined) return found;
      assert.ok(
        nowMs - beganMs < ARRIVES_WITHIN_MS,
        `no notification of ${symbol} was shown: ${messages.length} messages posted, ${all.length} shown`,
      );
      await holder.page.waitForTimeout(20);
    }
  };
  const beganMs = performance.now();
  begin();
  const patience = { timeout: ARRIVES_WITHIN_MS };
  const seen = async (what: string, arrival: Promise<unknown>) => {
    await arrival;
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    t.diagnostic(`${name}: ${what} after ${seconds} s`);
  };
  await Promise.all([
    seen(
      "watchlist",
      watched.page.locator("tr.alerting").getByRole("link", { name: symbol }).waitFor(patience),
    ),
    seen("token page", desk.page.locator(".alert-banner.on").waitFor(patience)),
    seen("phone", phone.page.locator(".alert-banner.on").waitFor(patience)),
    seen("notification", shown()),
    seen("mail", newMail(dashboard, mailBefore)),
  ]);
  for (const each of [desk, phone]) await each.page.locator(".alert-banner .changes").waitFor();
  await watched.keepPicture(`series-${name}-1-watchlist`, "window");
  await desk.keepPicture(`series-${name}-2-token-page`, "window");
  await phone.keepPicture(`series-${name}-3-phone`, "window");
  const notification = await shown();
  await keepText(dashboard, `series-${name}-4-notification`, [
    notification.title,
    notification.body,
  ]);
  await keepText(dashboard, `series-${name}-5-mail`, await newMail(dashboard, mailBefore));
}

/** Subject and text of the mail that was not there before; waits for it. */
async function newMail(dashboard: Dashboard, before: readonly string[]): Promise<string[]> {
  const look = () =>
    mailFiles(dashboard.service.dataDir).find((each) => !before.includes(each)) ?? null;
  const name = await eventually("a new mail", look, ARRIVES_WITHIN_MS);
  return readMail(name);
}

function readMail(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const [head = "", ...body] = text.split(/\r?\n\r?\n/);
  const subject = /^Subject: ((?:.|\r?\n[ \t])*)/m.exec(head)?.[1] ?? "";
  const plain = subject
    .replaceAll(/\r?\n[ \t]/g, "")
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) =>
      unquoted(word.replaceAll("_", " ")),
    );
  return [plain, unquoted(body.join("\n\n").replaceAll(/=\r?\n/g, ""))];
}

/** Quoted-printable text. */
function unquoted(text: string): string {
  const escaped = text.replaceAll(/%/g, "%25").replaceAll(/=([0-9A-F]{2})/g, "%$1");
  return decodeURIComponent(escaped);
}

/** What arrived outside the dashboard, as a picture of its words. */
async function keepText(
  dashboard: Dashboard,
  name: string,
  [title = "", text = ""]: readonly string[],
): Promise<void> {
  const { page, keepPicture } = await dashboard.visit();
  await page.setViewportSize({ width: 640, height: 360 });
  await page.setContent('<h3 id="title"></h3><pre id="text" style="white-space:pre-wrap"></pre>');
  await write(page, "title", title);
  await write(page, "text", text);
  await keepPicture(name);
}

function write(page: Page, id: string, text: string): Promise<unknown> {
  return page.evaluate(`document.getElementById("${id}").textContent = ${JSON.stringify(text)}`);
}
