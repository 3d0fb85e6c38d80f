import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DASHBOARD_PAGES } from "./dashboard.ts";

test("the service answers exactly the paths that the dashboard's router knows", () => {
  const router = readFileSync("web/src/app/app.tsx", "utf8");
  const paths = [...router.matchAll(/^ {2}"(\/[^"]*)": \(\) =>/gm)].map((match) => match[1]);
  assert.deepEqual([...paths, "/token/:id"].toSorted(), [...DASHBOARD_PAGES].toSorted());
});
