import { fetchPumpCrate, PROGRAM_CACHE } from "./pump-crate.ts";

/** Fetches the compiled programs that tests execute. */

await fetchPumpCrate();
console.log(`the programs are in ${PROGRAM_CACHE}`);
