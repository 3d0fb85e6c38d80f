import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "./browser-name.ts";

test("a session is named after its browser and system, and an unknown one is not guessed", () => {
  const chromium =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
  const iPhone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
  assert.equal(browserName(chromium), "Chrome, Linux");
  assert.equal(browserName(iPhone), "Safari, iOS");
  assert.equal(browserName("curl/8.5.0"), null);
  assert.equal(browserName(null), null);
});
