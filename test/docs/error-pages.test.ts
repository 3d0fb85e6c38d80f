import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { STATUS_OF_CODE } from "#src/api/plugins/errors.ts";
import { errorPages } from "../../tools/error-pages.ts";
import { es } from "../../web/src/lib/text/es.ts";

test("docs/errors has a page per error code, as the service's tables give them", () => {
  const pages = errorPages();
  assert.deepEqual(readdirSync("docs/errors").toSorted(), [...pages.keys()].toSorted());
  for (const [name, text] of pages) {
    assert.equal(readFileSync(`docs/errors/${name}`, "utf8"), text, "node tools/error-pages.ts");
  }
});

test("the dashboard has a Spanish sentence for each error code, and for no other", () => {
  assert.deepEqual(Object.keys(es.errors).toSorted(), Object.keys(STATUS_OF_CODE).toSorted());
});
