import type { MessagePort } from "node:worker_threads";
import type { RelayLink } from "./relay-link.ts";

type ThreadMessage = { readonly topic: string; readonly text: string };

/**
 * A link between two threads of one process, never interrupted. Messages wait until `start`; from then on those
 * of a topic without a listener are dropped.
 */
export class ThreadLink implements RelayLink {
  readonly #port: MessagePort;
  readonly #listeners = new Map<string, (text: string) => void>();

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(): void {
    this.#port.on("message", ({ topic, text }: ThreadMessage) =>
      this.#listeners.get(topic)?.(text),
    );
  }

  readonly publish = async (topic: string, text: string): Promise<void> => {
    this.#port.postMessage({ topic, text } satisfies ThreadMessage);
  };

  /** The receivers are not counted: the other thread ignores what it did not subscribe to. */
  readonly publishSharded = async (topic: string, text: string): Promise<null> => {
    await this.publish(topic, text);
    return null;
  };

  readonly subscribe = (topic: string, listener: (text: string) => void): (() => void) => {
    this.#listeners.set(topic, listener);
    return () => {
      if (this.#listeners.get(topic) === listener) this.#listeners.delete(topic);
    };
  };

  readonly subscribeSharded = this.subscribe;

  readonly onRestored = (listener: () => void): (() => void) => {
    listener();
    return () => undefined;
  };

  close(): void {
    this.#port.close();
  }
}
