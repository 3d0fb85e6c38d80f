import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchlistItem } from "#client/openapi.ts";
import { sortItems } from "./sort-items.ts";

function item(id: number, slippage_pct: number | null, score: number | null, state = "ok") {
  const exitability = { state, slippage_pct, score };
  return { id, exitability } as WatchlistItem;
}

const items = [
  item(1, 4, 80),
  item(2, null, 0),
  item(3, null, null, "bloqueado_dato"),
  item(4, 60, 20),
];
const ids = (sorted: readonly WatchlistItem[]) => sorted.map(({ id }) => id);

test("no exit comes first, then what may have none, and what is not measured comes last", () => {
  const unmeasured = item(6, null, 70, "bloqueado_tamano_amm");
  assert.deepEqual(ids(sortItems([unmeasured, ...items], "urgency")), [2, 3, 4, 1, 6]);
});

test("a deteriorating token comes first, whatever the others lose", () => {
  const alerting = item(5, 0.5, 90);
  const on = { ...alerting, exitability: { ...alerting.exitability, alerta_deterioro: true } };
  assert.deepEqual(ids(sortItems([...items, on], "urgency")), [5, 2, 3, 4, 1]);
});

test("the lowest score comes first, and an unknown one last", () => {
  assert.deepEqual(ids(sortItems(items, "score")), [2, 4, 1, 3]);
  assert.deepEqual(ids(sortItems(items, "added")), [1, 2, 3, 4]);
});
