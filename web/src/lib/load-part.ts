import { type ComponentType, lazy } from "react";

const RETRIES = 4;
const RETRY_MS = 2_500;

/**
 * A part of the dashboard whose code is loaded when it is first shown. A load that fails, as while
 * the network is away, is repeated for ten seconds before it counts as failed.
 */
export function loadPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await repeat(load) }));
}

async function repeat<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let retries = 0; retries < RETRIES; retries++) {
    try {
      return await load();
    } catch {
      // The next attempt may succeed; the last one's failure is thrown.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return load();
}
