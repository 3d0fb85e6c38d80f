import { pumpPrograms } from "#test/real-node/programs.ts";

const found = await pumpPrograms();
if (found.kind === "absent") {
  console.error(found.reason);
  process.exitCode = 1;
} else console.log(found.folder);
