import type { RedisLink } from "#src/relay/redis-link.ts";

export type BusLink = Pick<RedisLink, "publish" | "subscribe" | "onRestored">;

/** What passes through Redis, in order and at once, for the parts on both of its sides. */
export type RelayBus = {
  readonly link: BusLink;
  /** Everything that was published, and where. */
  readonly published: readonly { readonly topic: string; readonly text: string }[];
  /** As another process says it. */
  readonly say: (topic: string, text: string) => void;
  /** The connection is lost and restored. */
  readonly restore: () => void;
};

export function relayBus(): RelayBus {
  const listeners = new Map<string, Set<(text: string) => void>>();
  const restored = new Set<() => void>();
  const published: { topic: string; text: string }[] = [];
  const say = (topic: string, text: string) => {
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };
  return {
    published,
    say,
    restore: () => {
      for (const listener of restored) listener();
    },
    link: {
      async publish(topic, text) {
        published.push({ topic, text });
        say(topic, text);
      },
      subscribe(topic, listener) {
        const heard = listeners.get(topic) ?? new Set();
        listeners.set(topic, heard.add(listener));
        return () => void heard.delete(listener);
      },
      onRestored(listener) {
        restored.add(listener);
        return () => void restored.delete(listener);
      },
    },
  };
}
