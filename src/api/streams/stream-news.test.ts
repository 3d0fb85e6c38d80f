import assert from "node:assert/strict";
import { test } from "node:test";
import { EXITABILITY_EXAMPLE } from "../measuring/exitability-body.ts";
import { StreamNews } from "./stream-news.ts";

test("the first change is sent at once, those of the next half second together, and none is lost", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: (readonly (readonly [string, number | null])[])[] = [];
  const news = new StreamNews(0, (bodies) =>
    sent.push(bodies.map(({ token_id, score }) => [token_id, score])),
  );
  const add = (token_id: string, score: number) =>
    news.addBody({ ...EXITABILITY_EXAMPLE, token_id, score });
  add("a", 1);
  add("b", 1);
  t.mock.timers.tick(20);
  assert.deepEqual(sent.splice(0), [
    [
      ["a", 1],
      ["b", 1],
    ],
  ]);
  add("a", 2);
  add("a", 3);
  t.mock.timers.tick(499);
  assert.deepEqual(sent, []);
  t.mock.timers.tick(1);
  assert.deepEqual(sent.splice(0), [[["a", 3]]]);
  t.mock.timers.tick(500);
  add("a", 4);
  t.mock.timers.tick(20);
  assert.deepEqual(sent, [[["a", 4]]]);
});
