import type { MessagePort } from "node:worker_threads";
import type { RelayLink } from "./relay-link.ts";

type ThreadMessage = { readonly topic: string; readonly text: string };

/** Each send wakes the other thread, which costs more than a message: those of a turn are sent together, this many. */
const MOST_TOGETHER = 32;

/**
 * A link between two threads of one process, never interrupted. Messages wait until `start`; from then on those
 * of a topic without a listener are dropped.
 */
export class ThreadLink implements RelayLink {
  readonly #port: MessagePort;
  readonly #listeners = new Map<string, (text: string) => void>();
  /** Published just now, sent once the code that runs has ended. */
  #unsent: ThreadMessage[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(): void {
    this.#port.on("message", (messages: readonly ThreadMessage[]) => {
      for (const { topic, text } of messages) this.#listeners.get(topic)?.(text);
    });
  }

  readonly publish = async (topic: string, text: string): Promise<void> => {
    this.#unsent.push({ topic, text });
    if (this.#unsent.length >= MOST_TOGETHER) this.#send();
    else if (this.#unsent.length === 1) queueMicrotask(() => this.#send());
  };

  #send(): void {
    if (this.#unsent.length === 0) return;
    this.#port.postMessage(this.#unsent);
    this.#unsent = [];
  }

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
    this.#send();
    this.#port.close();
  }
}
