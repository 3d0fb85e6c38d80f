import { FailureLog } from "#src/platform/failure-log.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { hostOf } from "../chain-logger.ts";
import {
  createSubscriptionLink,
  type LinkListener,
  type LinkOptions,
  type SubscriptionLink,
  type WantedSubscription,
} from "./subscription-link.ts";

/** Nodes refuse more than some tens of thousands of subscriptions on one connection. */
const MAX_PER_LINK = 20_000;
/** Providers limit the connections too. */
const MAX_LINKS = 20;

export type LinksOptions = Omit<LinkOptions, "failures"> & { readonly maxPerLink?: number };

type Carrier = {
  readonly link: SubscriptionLink;
  readonly carried: Set<WantedSubscription>;
  readonly createdAtMs: number;
  /** Its newest slot notification, and when it arrived; null: none yet. */
  last: { readonly slot: bigint; readonly atMs: number } | null;
};

/**
 * As many WebSockets to one node as its subscriptions need, used as one link: another one is opened
 * when the others are full, and closed with its last subscription. A slot is reported once every link
 * has reached it, so that one dead link holds all slots back and the data is seen to be old. So does a link
 * that gets no first slot in the time after which a link is treated as dead: a provider may refuse a further
 * connection. Its subscriptions move to links that work, as far as others are dropped there.
 */
export function createSubscriptionLinks(options: LinksOptions): SubscriptionLink {
  /** Lower than the default once the node has refused a subscription, and higher again where it holds more. */
  let mostPerLink = options.maxPerLink ?? MAX_PER_LINK;
  const carriers = new Set<Carrier>();
  const carrierOf = new Map<WantedSubscription, Carrier>();
  const slots = new Listeners<bigint>();
  const restorations = new Listeners<bigint | null>();
  const { clock, timing } = options;
  const failures = new FailureLog({
    log: options.logger,
    what: "follow the node's subscriptions",
    next: "reconnecting with growing waits; missed changes are read after it",
    context: { host: hostOf(options.url) },
    // Several links share this log: one that works does not end the outage of another, whose failures are
    // a wait and a handshake apart.
    endsAfterMs: 2 * timing.longestWaitMs,
  });
  let reportedSlot: bigint | null = null;
  let isClosed = false;

  function open(): Carrier {
    const onRefused = (wanted: WantedSubscription, held: number): boolean =>
      moveFrom(carrier, wanted, held);
    const onAccepted = (held: number): void => {
      mostPerLink = Math.max(mostPerLink, held);
    };
    const link = createSubscriptionLink({ ...options, failures, onRefused, onAccepted });
    const createdAtMs = clock.nowMs();
    const carrier: Carrier = { link, carried: new Set(), createdAtMs, last: null };
    carriers.add(carrier);
    link.listen({
      onSlot: (slot) => {
        carrier.last = { slot, atMs: clock.nowMs() };
        reportSlot();
      },
      onRestored: (sinceSlot) => restorations.emit(sinceSlot),
    });
    return carrier;
  }

  function reportSlot(): void {
    let reached: bigint | null = null;
    for (const { last, createdAtMs } of carriers) {
      if (last === null && isSilentSince(createdAtMs)) return;
      if (last !== null && (reached === null || last.slot < reached)) reached = last.slot;
    }
    if (reached === null || reached === reportedSlot) return;
    reportedSlot = reached;
    slots.emit(reached);
  }

  function isSilentSince(ms: number): boolean {
    return clock.nowMs() - ms >= timing.silentAfterMs;
  }

  function isWorking({ last }: Carrier): boolean {
    return last !== null && !isSilentSince(last.atMs);
  }

  /** One that delivers slots, if such a one has room. Null: as many connections as may be are full. */
  function carrierWithRoom(): Carrier | null {
    const withRoom = [...carriers].filter(({ carried }) => carried.size < mostPerLink);
    return withRoom.find(isWorking) ?? withRoom[0] ?? (carriers.size < MAX_LINKS ? open() : null);
  }

  /** A connection that holds some subscriptions and refuses one more is full. */
  function moveFrom(carrier: Carrier, wanted: WantedSubscription, held: number): boolean {
    if (held === 0) return false;
    if (held < mostPerLink) {
      mostPerLink = held;
      const text = "the node allows fewer subscriptions a connection; they are spread over several";
      options.logger?.warn({ host: hostOf(options.url), subscriptions: held }, text);
    }
    const other = carrierWithRoom();
    if (other === null || other === carrier) return false;
    takeFrom(carrier, wanted);
    carry(other, wanted);
    return true;
  }

  function takeFrom({ carried, link }: Carrier, wanted: WantedSubscription): void {
    carried.delete(wanted);
    link.drop(wanted);
  }

  /** Fills a connection that works with the subscriptions of one that the node does not accept. */
  function fill(carrier: Carrier): void {
    if (!isWorking(carrier)) return;
    for (const other of carriers) {
      if (carrier.carried.size >= mostPerLink) return;
      if (other === carrier || !isSilentSince(other.last?.atMs ?? other.createdAtMs)) continue;
      for (const wanted of other.carried) {
        if (carrier.carried.size >= mostPerLink) break;
        takeFrom(other, wanted);
        carry(carrier, wanted);
      }
      closeUnused(other);
    }
  }

  function closeUnused(carrier: Carrier): void {
    // The last link stays open: it reports slots.
    if (carrier.carried.size > 0 || carriers.size === 1) return;
    carriers.delete(carrier);
    void carrier.link.close();
    reportSlot();
  }

  function carry(carrier: Carrier, wanted: WantedSubscription): void {
    carrierOf.set(wanted, carrier);
    carrier.carried.add(wanted);
    carrier.link.want(wanted);
  }

  function want(wanted: WantedSubscription): void {
    if (isClosed || carrierOf.has(wanted)) return;
    const [firstCarrier] = carriers;
    const carrier = carrierWithRoom() ?? firstCarrier;
    if (carrier !== undefined) carry(carrier, wanted);
  }

  function drop(wanted: WantedSubscription): void {
    const carrier = carrierOf.get(wanted);
    if (carrier === undefined) return;
    carrierOf.delete(wanted);
    takeFrom(carrier, wanted);
    fill(carrier);
    closeUnused(carrier);
  }

  function listen({ onSlot, onRestored }: LinkListener): () => void {
    const removeSlot = slots.add(onSlot);
    const removeRestored = restorations.add(onRestored);
    return () => {
      removeSlot();
      removeRestored();
    };
  }

  async function close(): Promise<void> {
    isClosed = true;
    slots.clear();
    restorations.clear();
    await Promise.all(Array.from(carriers, ({ link }) => link.close()));
  }

  return { want, drop, listen, close };
}
