import assert from "node:assert/strict";
import { test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { formatAssessment } from "./assessment-report.ts";

const otherMarket = marketOf([{ ...poolOfSol(100), family: "other" }]);

test("the report prints the requested size exactly, by the requested profile", () => {
  const market = marketOf([poolOfSol(100)]);
  const exit = exitAt(market, 7_300_000_000n, "pro");
  assert.ok(exit.kind === "sold");
  const text = formatAssessment(assess(market), { asked: { sizeSol: 7.3, profile: "pro", exit } });
  const line = `selling 7.3 SOL, pro: loses ${exit.slippagePct.toFixed(4)} %, pays ${Number(exit.paidLamports) / 1e9} SOL`;
  assert.ok(text.split("\n").includes(line), text);
});

test("a size above the rule of the family other is shown as a rule, never as impossible", () => {
  const exit = exitAt(otherMarket, 20_000_000_000n, "retail");
  const text = formatAssessment(assess(otherMarket), {
    asked: { sizeSol: 20, profile: "retail", exit },
  });
  assert.match(
    text,
    /^selling 20 SOL, retail: not answered: above the limit of the family other$/m,
  );
  assert.match(text, /^ 50 +by rule +by rule$/m);
  assert.match(text, /^by rule: tokens of the family other \(otro\) are answered up to 10 SOL\.$/m);
  assert.doesNotMatch(text, /no exit|✕/);
});

test("no line of the report is wider than 80 columns", () => {
  const text = formatAssessment(assess(otherMarket));
  assert.deepEqual(
    text.split("\n").filter((line) => line.length > 80),
    [],
  );
});
