import type { RelayLink } from "#src/relay/relay-link.ts";

/** What passes through Redis, in order and at once, for the parts on both of its sides. */
export type RelayBus = {
  readonly link: RelayLink;
  /** Everything that was published, and where. */
  readonly published: readonly { readonly topic: string; readonly text: string }[];
  /** As another process says it. */
  readonly say: (topic: string, text: string) => void;
  /** Number of listeners of the topic. */
  readonly listeners: (topic: string) => number;
  /** The connection is lost and restored. */
  readonly restore: () => void;
};

export function relayBus(): RelayBus {
  const listeners = new Map<string, Set<(text: string) => void>>();
  const restored = new Set<() => void>();
  const published: { topic: string; text: string }[] = [];
  const count = (topic: string) => listeners.get(topic)?.size ?? 0;
  const publish = async (topic: string, text: string) => {
    published.push({ topic, text });
    const receivers = count(topic);
    say(topic, text);
    return receivers;
  };
  const subscribe = (topic: string, listener: (text: string) => void) => {
    const heard = listeners.get(topic) ?? new Set();
    listeners.set(topic, heard.add(listener));
    return () => void heard.delete(listener);
  };
  const say = (topic: string, text: string) => {
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };
  return {
    published,
    say,
    listeners: count,
    restore: () => {
      for (const listener of restored) listener();
    },
    link: {
      publish: (topic, text) => publish(topic, text).then(() => undefined),
      publishSharded: publish,
      subscribe,
      subscribeSharded: subscribe,
      onRestored(listener) {
        restored.add(listener);
        return () => void restored.delete(listener);
      },
    },
  };
}
