import assert from "node:assert/strict";
import { test } from "node:test";
import { withSummary } from "./page-text.ts";

const HTML =
  '<title>x</title><meta name="description" content="x" /><meta property="og:title" content="x" /><meta property="og:description" content="x" />';

test("a page's title and description are in every place that previews read", () => {
  assert.equal(
    withSummary(HTML, { title: "RUG", description: "Loses 3 %." }),
    '<title>RUG</title><meta name="description" content="Loses 3 %." /><meta property="og:title" content="RUG" /><meta property="og:description" content="Loses 3 %." />',
  );
});

test("a hostile name stays text", () => {
  const html = withSummary(HTML, { title: '"><script>$&\u202e</script>', description: "'" });
  assert.doesNotMatch(html, /<script|\u202e/);
  assert.match(html, /<title>&quot;&gt;&lt;script&gt;\$&amp;/);
});
