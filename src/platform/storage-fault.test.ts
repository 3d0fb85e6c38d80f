import assert from "node:assert/strict";
import { test } from "node:test";
import { storageFaultOfCode } from "./storage-fault.ts";

test("codes of both databases name the fault of their storage, and codes of other errors none", () => {
  assert.equal(storageFaultOfCode("SQLITE_IOERR_WRITE"), "failing");
  for (const full of ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "53100"])
    assert.equal(storageFaultOfCode(full), "disk_full", full);
  const { code } = new DOMException("", "TimeoutError");
  for (const other of ["SQLITE_BUSY", "ECONNREFUSED", code, null, undefined])
    assert.equal(storageFaultOfCode(other), null);
});
