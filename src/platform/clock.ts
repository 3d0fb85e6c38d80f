/** Wall-clock milliseconds since 1970; an argument everywhere, so that tests can turn it. */
export type NowMs = () => number;

export const systemNowMs: NowMs = () => Date.now();
