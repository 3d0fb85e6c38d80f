import { type ComponentType, lazy } from "react";
import { connectionNow } from "./connection.ts";

const RETRIES = 4;
const RETRY_MS = 2_500;

/**
 * A part of the dashboard whose code is loaded when it is first shown. A load that fails is repeated
 * for ten seconds before it counts as failed, and for as long as the service can't be reached.
 */
export function loadPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await repeat(load) }));
}

async function repeat<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0; ; ) {
    try {
      return await load();
    } catch (error) {
      if (connectionNow() === "fine" && ++failures > RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
