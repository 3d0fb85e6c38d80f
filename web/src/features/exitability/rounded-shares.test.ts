import assert from "node:assert/strict";
import { test } from "node:test";
import { roundedShares, shownShare } from "./rounded-shares.ts";

test("rounded shares add up to the whole", () => {
  assert.deepEqual(roundedShares([54.6, 27.7, 17.7]), [54, 28, 18]);
  assert.deepEqual(roundedShares([33.4, 33.3, 33.3]), [34, 33, 33]);
  assert.deepEqual(roundedShares([100]), [100]);
  assert.deepEqual(roundedShares([]), []);
});

test("the parts of a loss add up to it in the decimals that are shown, half a unit upwards", () => {
  for (const [slippage, parts] of [
    ["0.95", [0.5136, 0.4338]],
    ["3.82", [0.5735, 0.2481, 3]],
    ["0.29", [0.1425, 0.1425]],
    ["0.01", [0.0042, 0.0041]],
    ["0", [0.0042, 0]],
  ] as const) {
    const rounded = roundedShares(parts, 2);
    const sum = rounded.reduce((total, part) => total + Math.round(part * 100), 0) / 100;
    assert.equal(String(sum), slippage);
    for (const [place, part] of parts.entries())
      assert.ok(Math.abs((rounded[place] ?? 0) - part) < 0.01, `${part} as ${rounded[place]}`);
  }
});

test("a share is never shown as none or as all where it is neither", () => {
  const shares = [98.2, 1.5, 0.3];
  const rounded = roundedShares(shares);
  assert.deepEqual(
    shares.map((share, place) => shownShare(rounded[place], share)),
    [98, 2, 0.3],
  );
  assert.equal(shownShare(roundedShares([99.7, 0.3])[0], 99.7), 99.7);
});
