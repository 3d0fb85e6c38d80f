import type { RedisLink } from "#src/relay/redis-link.ts";

export type BusLink = Pick<RedisLink, "publish" | "subscribe" | "onRestored">;

/** What passes through Redis, in order and at once, for the parts on both of its sides. */
export type RelayBus = {
  readonly link: BusLink;
  /** Everything that was published, and where. */
  readonly published: readonly { readonly channel: string; readonly text: string }[];
  /** As another process says it. */
  readonly say: (channel: string, text: string) => void;
  /** The connection is lost and stands again. */
  readonly restore: () => void;
};

export function relayBus(): RelayBus {
  const listeners = new Map<string, Set<(text: string) => void>>();
  const restored = new Set<() => void>();
  const published: { channel: string; text: string }[] = [];
  const say = (channel: string, text: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(text);
  };
  return {
    published,
    say,
    restore: () => {
      for (const listener of restored) listener();
    },
    link: {
      async publish(channel, text) {
        published.push({ channel, text });
        say(channel, text);
      },
      subscribe(channel, listener) {
        const heard = listeners.get(channel) ?? new Set();
        listeners.set(channel, heard.add(listener));
        return () => void heard.delete(listener);
      },
      onRestored(listener) {
        restored.add(listener);
        return () => void restored.delete(listener);
      },
    },
  };
}
