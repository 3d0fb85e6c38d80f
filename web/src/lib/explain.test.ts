import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api.ts";
import { explain } from "./explain.ts";
import { en } from "./text/en.ts";
import { es } from "./text/es.ts";

test("a limit is explained with what was used of it, in both languages", () => {
  const refused = (used: number, window: string) =>
    new ApiError(429, {
      error: "rate_limit_exceeded",
      message: `You have used ${used} of ${used} queries ${window}; wait.`,
      used,
      limit: used,
    });
  for (const text of [es, en]) {
    assert.match(explain(refused(120, "this minute"), text), /120 (?:de|of) 120 .* minut[eo]/);
    assert.match(explain(refused(5, "today"), text), /5 (?:de|of) 5 .* UTC/);
  }
  const ofAddress = new ApiError(429, {
    error: "rate_limit_exceeded",
    message: "At most 9 a minute.",
  });
  assert.doesNotMatch(explain(ofAddress, es), /undefined/);
});

test("the address at which the dashboard works is named in both languages", () => {
  const address = "https://exit.example:8443";
  const refused = new ApiError(403, {
    error: "forbidden_origin",
    message: `The dashboard works at ${address} only: open it there.`,
  });
  for (const text of [es, en]) assert.ok(explain(refused, text).includes(address));
});
