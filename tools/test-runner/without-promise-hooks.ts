import asyncHooks from "node:async_hooks";

// Loaded before node:test, to switch off its hooks on promises. With them node:test finds the test to which
// an error or a new test belongs, at the cost of a third of the tests' CPU time. They are not needed here:
// test files run one after another, and worker.ts names the running test of an error.

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
await import("node:test");
asyncHooks.createHook = createHook;
