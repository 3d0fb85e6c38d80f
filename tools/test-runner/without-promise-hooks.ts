import asyncHooks from "node:async_hooks";

// Loaded before node:test. It follows every promise by a hook, to find the test that an error or a new
// test belongs to: a third of the tests' CPU time. Test files run one after another, in processes
// whose errors name the running test (worker.ts), so that timers, sockets and the like suffice.

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
await import("node:test");
asyncHooks.createHook = createHook;
