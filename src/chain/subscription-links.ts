import {
  createSubscriptionLink,
  type LinkListener,
  type LinkOptions,
  type SubscriptionLink,
  type WantedSubscription,
} from "./subscription-link.ts";

/** Nodes refuse more than some tens of thousands of subscriptions on one connection. */
const MOST_ON_A_LINK = 20_000;

export type LinksOptions = LinkOptions & { readonly mostOnALink?: number };

type Carrier = {
  readonly link: SubscriptionLink;
  readonly carried: Set<WantedSubscription>;
  /** The newest slot it has told of; null: none yet. */
  lastSlot: bigint | null;
};

/**
 * As many WebSockets to one node as its subscriptions need, used as one link: a further one is
 * opened when the others are full, and closed with its last subscription. A slot is told of once
 * every link has reached it, so that one dead link is seen as one that stands still.
 */
export function createSubscriptionLinks(options: LinksOptions): SubscriptionLink {
  const { mostOnALink = MOST_ON_A_LINK } = options;
  const carriers = new Set<Carrier>();
  const carrierOf = new Map<WantedSubscription, Carrier>();
  const listeners = new Set<LinkListener>();
  let toldSlot: bigint | null = null;
  let isClosed = false;

  function open(): Carrier {
    const link = createSubscriptionLink(options);
    const carrier: Carrier = { link, carried: new Set(), lastSlot: null };
    carriers.add(carrier);
    link.listen({
      onSlot: (slot) => {
        carrier.lastSlot = slot;
        tellSlot();
      },
      onRestored: (sinceSlot) => {
        for (const { onRestored } of listeners) onRestored(sinceSlot);
      },
    });
    return carrier;
  }

  function tellSlot(): void {
    let reached: bigint | null = null;
    for (const { lastSlot } of carriers) {
      if (lastSlot !== null && (reached === null || lastSlot < reached)) reached = lastSlot;
    }
    if (reached === null || reached === toldSlot) return;
    toldSlot = reached;
    for (const { onSlot } of listeners) onSlot(reached);
  }

  function withRoom(): Carrier {
    for (const carrier of carriers) if (carrier.carried.size < mostOnALink) return carrier;
    return open();
  }

  function want(wanted: WantedSubscription): void {
    if (isClosed || carrierOf.has(wanted)) return;
    const carrier = withRoom();
    carrierOf.set(wanted, carrier);
    carrier.carried.add(wanted);
    carrier.link.want(wanted);
  }

  function drop(wanted: WantedSubscription): void {
    const carrier = carrierOf.get(wanted);
    if (carrier === undefined) return;
    carrierOf.delete(wanted);
    carrier.carried.delete(wanted);
    carrier.link.drop(wanted);
    // The last link stays: it tells of slots.
    if (carrier.carried.size > 0 || carriers.size === 1) return;
    carriers.delete(carrier);
    void carrier.link.close();
    tellSlot();
  }

  function listen(listener: LinkListener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  async function close(): Promise<void> {
    isClosed = true;
    listeners.clear();
    await Promise.all(Array.from(carriers, ({ link }) => link.close()));
  }

  return { want, drop, listen, close };
}
