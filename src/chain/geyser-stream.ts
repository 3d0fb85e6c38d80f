import type {
  ClientDuplexStream,
  SubscribeRequest,
  SubscribeUpdate,
} from "@triton-one/yellowstone-grpc";
import type { NowMs } from "#src/platform/clock.ts";
import type { ChainLogger } from "./chain-logger.ts";
import { pingRequest } from "./geyser-request.ts";
import { parseU64 } from "./geyser-updates.ts";
import type { LinkTiming } from "./subscription-link.ts";

export type GeyserStreamOptions = {
  /** Resolves once the server has accepted the stream and its first request. */
  readonly open: (request: SubscribeRequest) => Promise<ClientDuplexStream>;
  /** What to ask for now. */
  readonly request: () => SubscribeRequest;
  readonly onUpdate: (update: SubscribeUpdate) => void;
  readonly onSlot: (slot: bigint) => void;
  /** Updates may have been lost since then (null: unknown). */
  readonly onGap: (sinceSlot: bigint | null) => void;
  readonly nowMs: NowMs;
  readonly random: () => number;
  readonly logger: ChainLogger | null;
  readonly timing: LinkTiming;
};

/**
 * A server answers a ping from another task than the one that applies filters: a slot under way may
 * still be told of by the old ones.
 */
const SLOTS_TO_SETTLE = 2;
const SLOT_CONFIRMED = 1;
const SLOT_FINALIZED = 2;
const SLOT_PROCESSED = 0;

/**
 * One gRPC stream, reopened with growing waits when it ends, fails, or tells of no new slots. It
 * tells of a gap after each reopening, and where a slot's parent was never told of.
 */
export class GeyserStream {
  readonly #options: GeyserStreamOptions;
  #stream: ClientDuplexStream | null = null;
  #timer: NodeJS.Timeout | null = null;
  #watchdog: NodeJS.Timeout | null = null;
  #aliveAtMs = 0;
  #failures = 0;
  #attempt = 0;
  #lastSlot: bigint | null = null;
  #hasBeenOpen = false;
  #isReopened = false;
  #lastPing = 0;
  readonly #pings = new Map<number, () => void>();
  /** Answered, and waiting for a few slots more. */
  #settling: { readonly onApplied: () => void; slotsLeft: number }[] = [];
  #isClosed = false;

  constructor(options: GeyserStreamOptions) {
    this.#options = options;
  }

  /** Opens the stream where it is not, or asks for what is wanted now; `onApplied` once the server has it. */
  refresh(onApplied: () => void): void {
    if (this.#isClosed) return;
    this.#pings.set(++this.#lastPing, onApplied);
    if (this.#stream === null) {
      if (this.#timer === null) this.#reopen();
      return;
    }
    this.#stream.write(this.#options.request());
    this.#stream.write(pingRequest(this.#lastPing));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#forget();
  }

  /** `#timer` stands for an opening to come or under way: a server that never answers is one that failed. */
  #reopen(waitMs = 0): void {
    const { open, request, timing } = this.#options;
    this.#timer = setTimeout(() => {
      const attempt = ++this.#attempt;
      const pingAtOpening = this.#lastPing;
      const ifCurrent = (then: () => void) => {
        if (attempt !== this.#attempt || this.#isClosed) return false;
        if (this.#timer !== null) clearTimeout(this.#timer);
        this.#timer = null;
        this.#attempt++;
        then();
        return true;
      };
      this.#timer = setTimeout(
        () => ifCurrent(() => this.#lost("no answer")),
        timing.silentAfterMs,
      );
      open(request()).then(
        (stream) => {
          if (!ifCurrent(() => this.#start(stream, pingAtOpening))) stream.destroy();
        },
        (error: unknown) => {
          ifCurrent(() => this.#lost(error instanceof Error ? error.message : String(error)));
        },
      );
    }, waitMs);
  }

  #start(stream: ClientDuplexStream, pingAtOpening: number): void {
    const { nowMs, timing, request } = this.#options;
    this.#stream = stream;
    this.#aliveAtMs = nowMs();
    this.#isReopened = this.#hasBeenOpen;
    this.#hasBeenOpen = true;
    stream.on("data", (update: SubscribeUpdate) => {
      if (stream === this.#stream) this.#receive(update);
    });
    stream.on("error", (error: Error) => this.#end(stream, error.message));
    stream.on("end", () => this.#end(stream, "ended"));
    stream.on("close", () => this.#end(stream, "closed"));
    this.#watchdog = setInterval(() => {
      if (nowMs() - this.#aliveAtMs > timing.silentAfterMs) this.#end(stream, "silent");
    }, timing.silentAfterMs / 4);
    // More may be wanted by now than when the opening began.
    if (this.#lastPing > pingAtOpening) stream.write(request());
    stream.write(pingRequest(this.#lastPing));
  }

  #end(stream: ClientDuplexStream, reason: string): void {
    if (stream === this.#stream) this.#lost(reason);
  }

  #lost(reason: string): void {
    const { timing, random, logger } = this.#options;
    this.#forget();
    if (this.#isClosed) return;
    const grown = Math.min(timing.firstWaitMs * 2 ** this.#failures, timing.longestWaitMs);
    const waitMs = grown * (0.5 + 0.5 * random());
    this.#failures++;
    logger?.warn({ reason, waitMs: Math.round(waitMs) }, "gRPC stream lost; reopening");
    this.#reopen(waitMs);
  }

  #forget(): void {
    const stream = this.#stream;
    this.#stream = null;
    if (this.#watchdog !== null) clearInterval(this.#watchdog);
    this.#watchdog = null;
    // Destroying tells of an error once more, which nobody needs to hear.
    stream?.removeAllListeners().on("error", () => {});
    stream?.destroy();
  }

  #receive(update: SubscribeUpdate): void {
    if (update.slot !== undefined) this.#receiveSlot(update.slot);
    else if (update.pong !== undefined) this.#receivePong(update.pong.id);
    // Some servers cut a client that never answers.
    else if (update.ping !== undefined) this.#stream?.write(pingRequest(0));
    else this.#tell(() => this.#options.onUpdate(update));
  }

  #receivePong(id: number): void {
    for (const [asked, onApplied] of this.#pings) {
      if (asked > id) continue;
      this.#pings.delete(asked);
      this.#settling.push({ onApplied, slotsLeft: SLOTS_TO_SETTLE });
    }
  }

  #settle(): void {
    const settling = this.#settling;
    if (settling.length === 0) return;
    for (const waiting of settling) waiting.slotsLeft--;
    this.#settling = settling.filter(({ slotsLeft }) => slotsLeft > 0);
    for (const { onApplied, slotsLeft } of settling) {
      if (slotsLeft === 0) this.#tell(onApplied);
    }
  }

  #receiveSlot(message: NonNullable<SubscribeUpdate["slot"]>): void {
    const slot = parseU64(message.slot);
    const isTold = [SLOT_PROCESSED, SLOT_CONFIRMED, SLOT_FINALIZED].includes(message.status);
    if (slot === null || !isTold) return;
    const { nowMs, onGap, onSlot } = this.#options;
    this.#aliveAtMs = nowMs();
    this.#failures = 0;
    const before = this.#lastSlot;
    const parent = parseU64(message.parent);
    const hasHole = before !== null && parent !== null && parent > before;
    if (before === null || slot > before) this.#lastSlot = slot;
    if (this.#isReopened || hasHole) {
      this.#isReopened = false;
      this.#tell(() => onGap(before));
    }
    this.#tell(() => onSlot(slot));
    this.#settle();
  }

  /** A listener's mistake costs this one event, not the stream or the process. */
  #tell(event: () => void): void {
    try {
      event();
    } catch (err) {
      this.#options.logger?.warn({ err }, "a listener of the chain failed");
    }
  }
}
