import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { BackOff } from "#src/platform/back-off.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, reasonOf } from "#src/platform/failure-log.ts";
import { SilenceWatch } from "#src/platform/silence-watch.ts";
import type { ChainLogger } from "../chain-logger.ts";
import type { LinkTiming } from "../link-timing.ts";
import { parseU64 } from "../rpc/parse-u64.ts";
import type { GeyserCall, OpenStream } from "./geyser-client.ts";
import type { StreamLoss } from "./geyser-health.ts";
import { pingRequest } from "./geyser-request.ts";
import type { GeyserUpdate } from "./geyser-update.ts";
import type { SlotOutcomes } from "./slot-outcomes.ts";
import { UnfinishedSlots } from "./unfinished-slots.ts";

export type GeyserStreamOptions = {
  readonly open: OpenStream;
  /** The subscription as it should be now. */
  readonly request: () => SubscribeRequest;
  readonly onUpdate: (update: GeyserUpdate) => void;
  readonly onSlot: (slot: bigint) => void;
  /** Set where slots are followed when they are processed: gets what becomes of them. */
  readonly outcomes: Pick<SlotOutcomes, "processed" | "confirmed" | "dead"> | null;
  /** Messages about such a slot are skipped: all later slots would count as old. */
  readonly isFarAhead: (slot: bigint) => boolean;
  /** Updates from `sinceSlot` (null: unknown) up to the one before `untilSlot` may have been lost. */
  readonly onGap: (sinceSlot: bigint | null, untilSlot: bigint) => void;
  /** The stream ended or could not be opened; it is opened again after this. */
  readonly onLost: (loss: StreamLoss) => void;
  readonly clock: WallClock;
  readonly random: () => number;
  readonly logger: ChainLogger | null;
  /** Of the endpoint, for the log. */
  readonly host: string;
  readonly timing: LinkTiming;
};

/**
 * A server replies to a ping from another task than the one that applies filters: updates of the slot in
 * progress may still follow the old ones.
 */
const SLOTS_TO_SETTLE = 2;
/** Reads are confirmed, some slots behind processed ones: before this they may lack what the stream did not bring. */
const PROCESSED_SLOTS_TO_SETTLE = 12;
const SLOT_CONFIRMED = 1;
const SLOT_FINALIZED = 2;
const SLOT_PROCESSED = 0;
const SLOT_DEAD = 6;
/** A reopened stream begins again so many slots before the last one received: those may be incomplete. */
const REPEATED_SLOTS = 4n;
/** The same for processed slots, so that it becomes known which of them are confirmed. */
const REPEATED_PROCESSED_SLOTS = 40n;

/**
 * One gRPC stream, reopened with growing waits when it ends, fails or sends no new slots. A reopened one
 * begins where the last one ended, if the server still has those slots; else it reports a gap, as it does
 * when a slot arrives whose parent did not.
 */
export class GeyserStream {
  readonly #options: GeyserStreamOptions;
  #stream: GeyserCall | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #backOff: BackOff;
  readonly #failures: FailureLog;
  readonly #watchdog: SilenceWatch;
  #aliveAtMs = 0;
  /** Aborts the attempt in progress to open the stream; null: there is none. */
  #opening: AbortController | null = null;
  #lastSlot: bigint | null = null;
  #hasBeenOpen = false;
  /** Slots may have been missed, unless the first that arrives is at or below the last one received. */
  #isReopened = false;
  /** The slot that the stream was asked to begin at; null: the newest. */
  #fromSlot: bigint | null = null;
  /** The server has sent something on this stream: it did not refuse it. */
  #isAccepted = false;
  #lastPing = 0;
  readonly #unfinished = new UnfinishedSlots();
  readonly #pings = new Map<number, () => void>();
  /** Pings with a reply, which wait for a few more slots. */
  #settling: { readonly onApplied: () => void; slotsLeft: number }[] = [];
  #isClosed = false;

  constructor(options: GeyserStreamOptions) {
    this.#options = options;
    const { timing, random, clock, host, logger: log } = options;
    const { firstWaitMs: firstMs, longestWaitMs: longestMs, silentAfterMs } = timing;
    this.#backOff = new BackOff({ firstMs, longestMs, random });
    this.#failures = new FailureLog({
      log,
      what: "follow the gRPC stream",
      next: "reopening with growing waits; missed changes are read after it",
      context: { host },
    });
    this.#watchdog = new SilenceWatch({
      ...{ silentAfterMs, clock, aliveAtMs: () => this.#aliveAtMs },
      onSilent: () => this.#lost({ reason: `no slot for ${silentAfterMs} ms`, isSilent: true }),
    });
  }

  /** Opens the stream, or updates its subscription; calls `onApplied` once the server has applied it. */
  refresh(onApplied: () => void): void {
    if (this.#isClosed) return;
    this.#pings.set(++this.#lastPing, onApplied);
    if (this.#stream === null) {
      if (this.#timer === null) this.#reopen();
      return;
    }
    if (this.#isAccepted) this.#sendRequest(this.#stream);
  }

  #sendRequest(stream: GeyserCall): void {
    stream.send(this.#options.request());
    stream.send(pingRequest(this.#lastPing));
  }

  /** Also calls every `onApplied` that still waits for the server: another stream may wait for the same batch. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#opening?.abort();
    this.#dropStream();
    const waiting = [...this.#pings.values(), ...this.#settling.map(({ onApplied }) => onApplied)];
    this.#pings.clear();
    this.#settling = [];
    for (const onApplied of waiting) this.#call(onApplied);
  }

  /** `#timer` is set while an opening is scheduled or running. A server that never replies has failed. */
  #reopen(waitMs = 0): void {
    this.#timer = setTimeout(() => void this.#open(), waitMs);
  }

  async #open(): Promise<void> {
    const { open, request, timing } = this.#options;
    const opening = new AbortController();
    this.#opening = opening;
    const pingAtOpening = this.#lastPing;
    const end = (then: () => void): void => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      [this.#timer, this.#opening] = [null, null];
      then();
    };
    this.#timer = setTimeout(() => {
      opening.abort();
      end(() => this.#lost({ reason: `no reply for ${timing.silentAfterMs} ms`, isSilent: true }));
    }, timing.silentAfterMs);
    try {
      const stream = await open(this.#openingRequest(request()), opening.signal);
      if (opening.signal.aborted) stream.cancel();
      else end(() => this.#start(stream, pingAtOpening));
    } catch (cause) {
      if (opening.signal.aborted) return;
      end(() => this.#lost({ reason: reasonOf(cause), isSilent: false }));
    }
  }

  #start(stream: GeyserCall, pingAtOpening: number): void {
    this.#stream = stream;
    this.#isAccepted = false;
    this.#aliveAtMs = this.#options.clock.nowMs();
    this.#isReopened = this.#hasBeenOpen;
    this.#hasBeenOpen = true;
    stream.listen({
      onUpdate: (update) => {
        if (!this.#isAccepted) this.#accepted(stream, pingAtOpening);
        this.#receive(update);
      },
      onEnd: (reason) => this.#lost({ reason, isSilent: false }),
    });
    this.#watchdog.start();
  }

  /** Nothing is sent before: a server may refuse the first request after it has accepted the stream. */
  #accepted(stream: GeyserCall, pingAtOpening: number): void {
    this.#isAccepted = true;
    // The subscription may have changed since the opening began.
    if (this.#lastPing > pingAtOpening) this.#sendRequest(stream);
    else stream.send(pingRequest(this.#lastPing));
  }

  #lost(loss: StreamLoss): void {
    this.#dropStream();
    if (this.#isClosed) return;
    this.#failures.failed(new Error(loss.reason));
    this.#options.onLost(loss);
    this.#reopen(this.#backOff.nextMs());
  }

  /** A server that refuses an old slot, or knows none, gets the next request without one. */
  #openingRequest(request: SubscribeRequest): SubscribeRequest {
    const wasRefused = this.#fromSlot !== null && !this.#isAccepted;
    const repeated = this.#options.outcomes === null ? REPEATED_SLOTS : REPEATED_PROCESSED_SLOTS;
    this.#fromSlot = wasRefused || this.#lastSlot === null ? null : this.#lastSlot - repeated;
    this.#isAccepted = false;
    return this.#fromSlot === null ? request : { ...request, fromSlot: String(this.#fromSlot) };
  }

  #dropStream(): void {
    const stream = this.#stream;
    this.#stream = null;
    this.#unfinished.clear();
    this.#watchdog.stop();
    stream?.cancel();
  }

  #receive(update: GeyserUpdate): void {
    if (update.slot !== undefined) this.#receiveSlot(update.slot);
    else if (update.pong !== undefined) this.#receivePong(update.pong.id);
    // Some servers disconnect a client that does not reply to pings.
    else if (update.ping !== undefined) this.#stream?.send(pingRequest(0));
    else if (this.#options.outcomes === null || !this.#unfinished.add(update)) {
      this.#pass(update);
    }
  }

  #receivePong(id: number): void {
    for (const [sent, onApplied] of this.#pings) {
      if (sent > id) continue;
      this.#pings.delete(sent);
      this.#settling.push({ onApplied, slotsLeft: this.#slotsToSettle });
    }
  }

  get #slotsToSettle(): number {
    return this.#options.outcomes === null ? SLOTS_TO_SETTLE : PROCESSED_SLOTS_TO_SETTLE;
  }

  #settle(): void {
    const settling = this.#settling;
    if (settling.length === 0) return;
    for (const waiting of settling) waiting.slotsLeft--;
    this.#settling = settling.filter(({ slotsLeft }) => slotsLeft > 0);
    for (const { onApplied, slotsLeft } of settling) {
      if (slotsLeft === 0) this.#call(onApplied);
    }
  }

  #receiveSlot(message: NonNullable<GeyserUpdate["slot"]>): void {
    const slot = parseU64(message.slot);
    if (slot === null || this.#options.isFarAhead(slot)) return;
    const isKnownStatus = [SLOT_PROCESSED, SLOT_CONFIRMED, SLOT_FINALIZED].includes(message.status);
    const { clock, onGap, onSlot, outcomes } = this.#options;
    if (message.status === SLOT_DEAD) {
      this.#unfinished.discard(slot);
      this.#call(() => outcomes?.dead(slot));
    }
    if (!isKnownStatus) return;
    this.#aliveAtMs = clock.nowMs();
    if (outcomes !== null && message.status !== SLOT_PROCESSED) {
      this.#call(() => outcomes.confirmed(slot));
      return;
    }
    this.#backOff.succeeded();
    if (this.#backOff.hasLasted) this.#failures.succeeded();
    const before = this.#lastSlot;
    const parent = parseU64(message.parent);
    const hasHole = before !== null && parent !== null && parent > before;
    if (before === null || slot > before) this.#lastSlot = slot;
    const isContinued = this.#fromSlot !== null && before !== null && slot <= before;
    if ((this.#isReopened && !isContinued) || hasHole) {
      const report = () => onGap(before, slot);
      this.#call(report);
      if (outcomes !== null)
        this.#settling.push({ onApplied: report, slotsLeft: PROCESSED_SLOTS_TO_SETTLE });
    }
    this.#isReopened = false;
    if (outcomes !== null) {
      this.#call(() => outcomes.processed(slot, parent));
      for (const update of this.#unfinished.end(slot)) this.#pass(update);
    }
    this.#call(() => onSlot(slot));
    this.#settle();
  }

  /** As `#call`, without a function for each update. */
  #pass(update: GeyserUpdate): void {
    try {
      this.#options.onUpdate(update);
    } catch (err) {
      this.#logFailure(err);
    }
  }

  /** A listener's exception costs this one event, not the stream or the process. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (err) {
      this.#logFailure(err);
    }
  }

  #logFailure(err: unknown): void {
    const text = "a listener of the chain failed; the event is skipped";
    this.#options.logger?.error({ err }, text);
  }
}
