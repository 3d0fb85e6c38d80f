import { setFlagsFromString } from "node:v8";

/** The V8 of Node 26, on which this was tried. That of Node 22 ends the process at its next marking instead. */
const TRIED_V8 = "14.6.";

/**
 * Stops the event loop from catching up with V8's schedule of a marking, in every thread of this process, from the
 * next marking on. The schedule is half a second, whatever the heap's size: with a gigabyte, the event loop is busy
 * with little else. In V8's predictable mode the schedule does not advance: V8's threads mark, and the event loop
 * marks 64 kB at a time where they make no progress.
 *
 * On the command line the same flag also ends the background work of V8's collector and compilers, and fixes the seed
 * of `Math.random`. V8 draws these consequences only while it starts. On any other V8 than that of Node 26 nothing is
 * set, and markings are as before.
 */
export function leaveMarkingToThreads(): void {
  if (process.versions.v8.startsWith(TRIED_V8)) setFlagsFromString("--predictable");
}
