import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage } from "./language.ts";

test("the kept choice comes first, then the browser's order, then Spanish", () => {
  assert.equal(chooseLanguage("en", ["es-ES"]), "en");
  assert.equal(chooseLanguage(null, ["fr", "en-GB", "es"]), "en");
  assert.equal(chooseLanguage("xx", ["de"]), "es");
});
