import assert from "node:assert/strict";
import { test } from "node:test";
import { demoMint, sidewaysOverflow, startDashboard } from "#test/support/dashboard.ts";

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
