import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../../lib/text/en.ts";
import { es } from "../../lib/text/es.ts";
import { noteOfSize, readSize } from "./read-size.ts";

test("a size is read with either decimal sign, and refused beyond what is measured", () => {
  assert.deepEqual(readSize("2,5", "en", en), { sol: 2.5 });
  assert.deepEqual(readSize("3.25", "es", es), { sol: 3.25 });
  for (const written of ["", "0.001", "1001", "nonsense"])
    assert.deepEqual(readSize(written, "en", en), { sol: null, wrong: en.exit.amountInvalid.sol });
});

test("a thousand is never watched as one", () => {
  assert.deepEqual(readSize("1,000", "en", en), { sol: 1_000 });
  const refused = readSize("1.000", "es", es);
  assert.ok(refused.sol === null);
  assert.match(refused.wrong, /1000 o 1,000/);
});

test("a size that only the language makes a thousand is shown as it was read, any other is not", () => {
  assert.equal(noteOfSize("1,000", "en", en), "Read as 1000.");
  for (const written of ["1000", "2,5", "1,000.5", "1,001", "", "nonsense"])
    assert.equal(noteOfSize(written, "en", en), null, written);
  for (const written of ["1.000", "1,000", "2.5"])
    assert.equal(noteOfSize(written, "es", es), null, written);
});
