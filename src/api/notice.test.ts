import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Finding } from "#src/measure/confidence/finding.ts";
import { someAssessment } from "#test/support/markets/assessments.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { noticeOf, preferredLanguage } from "./notice.ts";

test("a notice is Spanish unless the request prefers English", () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, "es"],
    ["", "es"],
    ["en", "en"],
    ["en-US,en;q=0.9", "en"],
    ["es-ES,en;q=0.5", "es"],
    ["en;q=0.4,es;q=0.5", "es"],
    ["fr,en;q=0.3", "en"],
    ["fr", "es"],
    ["en;q=0", "es"],
    ["en ; q=0.9, es;q=0.1", "en"],
    ["*", "es"],
    ["en;q=banana", "en"],
  ];
  for (const [header, language] of cases) {
    assert.equal(preferredLanguage(header), language, String(header));
  }
  assert.equal(preferredLanguage("*", "en"), "en", "of a caller whose default is English");
  assert.equal(preferredLanguage("es", "en"), "es");
});

test("where the only pools are of a venue that is not modelled, the notice names it", () => {
  const finding = { kind: "unpriced-pools", sharePct: null, venues: ["moonit"], quoteMints: [] };
  const blocked = { blocked: "unpriced-majority", findings: [finding] } as unknown as Assessment;
  for (const language of ["es", "en"] as const) {
    assert.match(noticeOf(blocked, language) ?? "", /\(moonit\)/);
  }
});

test("a notice names at most three of the tokens that unpriced pools pay in, and how many more", () => {
  const noticeWith = (tokens: number, language: "es" | "en") => {
    const quoteMints = Array.from({ length: tokens }, (_, token) => poolAddress(token));
    const finding: Finding = { kind: "unpriced-pools", sharePct: null, venues: [], quoteMints };
    const notice = noticeOf(someAssessment({ findings: [finding] }), language) ?? "";
    return { notice, named: quoteMints.filter((mint) => notice.includes(mint)) };
  };
  for (const language of ["es", "en"] as const) {
    assert.equal(noticeWith(3, language).named.length, 3);
    assert.doesNotMatch(noticeWith(3, language).notice, / (?:more|más)/);
    const { notice, named } = noticeWith(40, language);
    assert.equal(named.length, 3);
    assert.match(notice, / (?:and 37 more|y 37 más)[,)]/);
  }
});

test("where another token can stop the sale, the notice names it", () => {
  const through = "So11111111111111111111111111111111111111112";
  const answer = { blocked: null, findings: [{ kind: "pausable", through }] };
  for (const language of ["es", "en"] as const) {
    assert.match(noticeOf(answer as unknown as Assessment, language) ?? "", new RegExp(through));
  }
});

test("a short history behind a worse finding is in the one sentence too, and is not repeated", () => {
  const short: Finding = { kind: "short-history", historySeconds: 40 };
  const unkept: Finding = { kind: "short-history", historySeconds: null };
  const worse: Finding = { kind: "family-other" };
  const notice = (findings: readonly Finding[], change: Partial<Assessment> = {}) => {
    const assessment = someAssessment({ findings, ...change });
    const [es, en] = [noticeOf(assessment, "es") ?? "", noticeOf(assessment, "en") ?? ""];
    for (const text of [es, en]) assert.match(text, /^[^.]+\.$/, "one sentence");
    return { es, en };
  };
  const told = notice([worse, short]);
  assert.match(told.es, /familias principales; la tendencia aún no se conoce\.$/);
  assert.match(told.en, /main families; the trend is not known yet\.$/);
  assert.match(notice([worse, unkept]).en, /main families; the trend is not known\.$/);
  const migrating = notice([short], { measurement: null, blocked: "migrating" });
  // A blocked answer has no figures whose trend could be asked for: its reason is all.
  assert.match(migrating.en, /does not exist yet\.$/);
  assert.match(migrating.es, /todavía no existe\.$/);
  assert.doesNotMatch(notice([worse]).en, /trend/);
  for (const text of Object.values(notice([short]))) assert.doesNotMatch(text, /;/);
});
