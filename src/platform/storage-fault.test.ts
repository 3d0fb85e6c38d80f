import assert from "node:assert/strict";
import { test } from "node:test";
import { storageFaultOfCode } from "./storage-fault.ts";

test("codes of both databases name the fault of their storage, and codes of other errors none", () => {
  assert.equal(storageFaultOfCode("SQLITE_IOERR_WRITE"), "failing");
  assert.equal(storageFaultOfCode("53100"), "disk_full");
  const { code } = new DOMException("", "TimeoutError");
  for (const other of ["SQLITE_BUSY", "ECONNREFUSED", code, null, undefined])
    assert.equal(storageFaultOfCode(other), null);
});
