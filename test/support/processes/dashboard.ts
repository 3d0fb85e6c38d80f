import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { openDatabase } from "#src/store/connection/database.ts";
import { deleteOldCodesSent } from "#src/store/sign-in-requests.ts";
import { type DatabasePlace, sqlitePlace } from "../databases/databases.ts";
import { closeAfter } from "../ending.ts";
import { mailedCode, mailFiles } from "./mailed-code.ts";
import { type RunningService, startTestService } from "./service.ts";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const ROOT = join(import.meta.dirname, "..", "..", "..");
export const DIST = join(ROOT, "web", "dist");
const PICTURES = join(ROOT, "ci-output", "dashboard");
/** What loads slowly on a busy machine may take this long; what never comes fails here. */
const PATIENCE_MS = 15_000;
/** What WCAG 2.2 AA asks for, and what axe's authors hold to be good practice. */
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), {
  encoding: "utf8",
});
/** A browser reports each refused request, those that a page expects included. */
const EXPECTED_REFUSAL =
  /^Failed to load resource: (?:.* status of (?:400|401|404|409|429|503)|net::ERR_)/;

/** A token of the demo market by the word in its address. */
export function demoMint(word: string): string {
  return `Demo${word}`.padEnd(43, "1");
}

export type VisitorOptions = {
  readonly language?: "es" | "en";
  readonly theme?: "light" | "dark";
  readonly isPhone?: boolean;
  readonly isMotionReduced?: boolean;
  /** Another way to the service than its own address, such as a proxy. */
  readonly url?: string;
  /** Cookies of an earlier visitor: the same person, on another device. */
  readonly session?: Session;
};

export type Session = Awaited<ReturnType<BrowserContext["cookies"]>>;

/** One person in front of the dashboard, with an address of their own. */
export type Visitor = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path and waits for its heading. */
  readonly open: (path: string) => Promise<void>;
  /** Signs in with a mailed code, as a person does. */
  readonly signIn: (email: string) => Promise<Session>;
  /** The same on the form that is open. */
  readonly signInHere: (email: string) => Promise<void>;
  /** The whole page, or what its window shows. */
  readonly keepPicture: (name: string, isWindow?: "window") => Promise<void>;
};

export type Dashboard = {
  readonly url: string;
  readonly place: DatabasePlace;
  readonly service: RunningService;
  readonly visit: (options?: VisitorOptions) => Promise<Visitor>;
  /** As if the time had passed in which a mailbox is sent no second code. */
  readonly forgetCodesSent: () => Promise<void>;
};

/**
 * The real service with the demo market (or on another chain, by `environment`) and a browser before
 * it. Null where there is no Chromium; on CI that fails.
 */
export async function startDashboard(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<Dashboard | null> {
  if (!existsSync(CHROMIUM)) {
    assert.ok(process.env.CI === undefined, `no browser at ${CHROMIUM}`);
    t.skip(`no browser at ${CHROMIUM}: set CHROMIUM_PATH`);
    return null;
  }
  assert.ok(existsSync(join(DIST, "index.html")), "npm run build:web makes the dashboard");
  const place = sqlitePlace(t);
  const [service, browser] = await Promise.all([
    startTestService(t, place, { ACCOUNTS_DIR: "", TRUST_PROXY: "1", ...environment }),
    chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    }),
  ]);
  closeAfter(t, () => browser.close());
  let visitors = 0;
  const visit = (options: VisitorOptions = {}) =>
    openVisitor({ t, browser, service, address: `198.51.100.${++visitors}` }, options);
  return {
    url: service.url,
    place,
    service,
    visit,
    async forgetCodesSent() {
      const database = openDatabase({ ...place, access: "visitor" });
      await deleteOldCodesSent(database.db, Date.now() + 7_200_000);
      await database.close();
    },
  };
}

type VisitorDeps = {
  readonly t: TestContext;
  readonly browser: Browser;
  readonly service: RunningService;
  readonly address: string;
};

async function openVisitor(deps: VisitorDeps, options: VisitorOptions): Promise<Visitor> {
  const { t, browser, service, address } = deps;
  const { language = "en", theme = "light", isPhone = false, isMotionReduced = false } = options;
  const context = await browser.newContext({
    baseURL: options.url ?? service.url,
    locale: language,
    colorScheme: theme,
    reducedMotion: isMotionReduced ? "reduce" : "no-preference",
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1280, height: 900 },
    isMobile: isPhone,
    permissions: ["clipboard-read", "clipboard-write"],
    extraHTTPHeaders: { "x-forwarded-for": address },
  });
  closeAfter(t, async () => {
    // An answer that a test changes may still be on its way.
    for (const open of context.pages()) await open.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  });
  if (options.session !== undefined) await context.addCookies(options.session);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const isBad = message.type() === "error" || message.type() === "warning";
    if (isBad && !EXPECTED_REFUSAL.test(message.text())) problems.push(message.text());
  });
  // The content-security policy is part of this: the browser reports what it refuses to run.
  t.after(() => assert.deepEqual(problems, [], "the browser had something to complain about"));
  async function signInHere(email: string): Promise<void> {
    const before = mailFiles(service.dataDir);
    await page.locator("#email").fill(email);
    await page.locator("#email").press("Enter");
    await page.locator("#code").fill(await mailedCode(service.dataDir, email, { before }));
    await page.locator("#code").press("Enter");
  }
  return {
    page,
    context,
    async open(path) {
      await page.goto(path);
      await page.locator("h1").waitFor();
    },
    async signIn(email) {
      await page.goto("/sign-in");
      await signInHere(email);
      await page.waitForURL("**/watchlist");
      return context.cookies();
    },
    signInHere,
    async keepPicture(name, isWindow) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({
        path: join(PICTURES, `${name}.png`),
        fullPage: isWindow === undefined,
      });
    },
  };
}

/** Violations that axe finds on the current page, a line for each element. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE_SOURCE);
  const options = JSON.stringify({ runOnly: AXE_TAGS, resultTypes: ["violations"] });
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`);
}

/** How far the page reaches beyond its window, in pixels; 0 where nothing has to be scrolled sideways. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}
