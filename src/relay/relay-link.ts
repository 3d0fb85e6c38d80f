/** The other side can't be reached, or did not answer. */
export class RelayUnavailable extends Error {}

/**
 * Carries messages between the tracker and what serves requests: over Redis between processes, over a port
 * between threads. Messages of one sender arrive in order. Those sent while there is no connection are lost.
 */
export type RelayLink = {
  /** Sends to all subscribers of the topic. @throws RelayUnavailable */
  readonly publish: (topic: string, text: string) => Promise<void>;
  /**
   * Sends to all subscribers of a topic that only some receive.
   *
   * @returns how many received it; null: not known
   * @throws RelayUnavailable
   */
  readonly publishSharded: (topic: string, text: string) => Promise<number | null>;
  /** @returns what unsubscribes */
  readonly subscribe: (topic: string, listener: (text: string) => void) => () => void;
  /** As `subscribe`, for messages of `publishSharded`. */
  readonly subscribeSharded: (topic: string, listener: (text: string) => void) => () => void;
  /** Calls the listener after each connection, also if there is one already. @returns what removes it */
  readonly onRestored: (listener: () => void) => () => void;
};
