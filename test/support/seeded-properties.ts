import fc from "fast-check";

// Loaded before the tests: the same commit draws the same cases, so that a red run means a change.
// PROPERTY_SEED=n draws others, PROPERTY_SEED=random new ones each time; what those find becomes a
// unit test.

const DEFAULT_SEED = 20_261_120;
const asked = process.env.PROPERTY_SEED;
if (asked !== "random") fc.configureGlobal({ seed: asked ? Number(asked) : DEFAULT_SEED });
