/** Values that the examples of several operations use. */
export const EXAMPLE_MINT = "DemoThree1111111111111111111111111111111111";
export const EXAMPLE_EMAIL = "someone@example.com";
export const EXAMPLE_TIME = "2026-11-21T12:00:00.000Z";
