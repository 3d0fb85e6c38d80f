import type { MessagePort } from "node:worker_threads";
import type { RelayLink } from "./relay-link.ts";

type ThreadMessage = { readonly topic: string; readonly text: string };

/** A link between two threads of one process. It is never interrupted, and loses no message. */
export class ThreadLink implements RelayLink {
  readonly #port: MessagePort;
  readonly #listeners = new Map<string, (text: string) => void>();

  /** @param port messages that arrive before the first subscription wait in it */
  constructor(port: MessagePort) {
    this.#port = port;
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
    if (this.#listeners.size === 0) this.#receive();
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

  #receive(): void {
    if (this.#port.listenerCount("message") > 0) return;
    this.#port.on("message", ({ topic, text }: ThreadMessage) =>
      this.#listeners.get(topic)?.(text),
    );
  }
}
