import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import type { Store } from "#src/store/schema.ts";
import { takeBackAlerts } from "#src/store/user-alerts.ts";
import { type SeenSide, setSeenSides } from "#src/store/watchlist.ts";
import { recordFindings } from "./record-findings.ts";
import type { RuleFinding } from "./rules/token-rules.ts";

const ALERTS_PER_TRANSACTION = 200;
const RETRY_MS = 1_000;
/** Sides wait this long for others: a start finds thousands at once. */
const SIDES_DELAY_MS = 500;

/** Called where alerts are written, with their messages. */
export type AlertNotices = {
  /**
   * The transaction is about to be committed: the sender may look for messages soon. It sends one only after a
   * commit of its own, which follows this one, is on disk: then this one is too. Must not throw, and must not wait
   * for the database.
   */
  readonly onRecording: () => void;
  /** Alerts and messages are on disk. */
  readonly onRecorded: () => void;
};

export type FindingWriterDeps = AlertNotices & {
  readonly store: Store;
  readonly clock: WallClock;
  readonly newUid: () => string;
  readonly log: FailureLogger;
};

type QueuedFinding = { readonly finding: RuleFinding; readonly foundAtMs: number };

/** Writes findings in the order in which they were found. A failed write is retried before later ones, until `close`. */
export class FindingWriter {
  readonly #deps: FindingWriterDeps;
  readonly #failures: FailureLog;
  #queue: QueuedFinding[] = [];
  #recorded = 0;
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(deps: FindingWriterDeps) {
    this.#deps = deps;
    const next = "retrying every second, later alerts wait";
    this.#failures = new FailureLog({ log: deps.log, what: "write alerts", next });
  }

  /** Users' alerts written since the start. */
  get recorded(): number {
    return this.#recorded;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Entries whose side on disk is older than what was found. */
  unwrittenEntries(): Set<bigint> {
    return new Set(this.#queue.flatMap(({ finding }) => entriesOf(finding)));
  }

  /** Alerts are written at once, sides within half a second. */
  add(findings: readonly RuleFinding[]): void {
    const foundAtMs = this.#deps.clock.nowMs();
    for (const finding of findings) this.#queue.push({ finding, foundAtMs });
    if (findings.some(({ kind }) => kind !== "side")) void this.write();
    else if (findings.length > 0)
      this.#timer ??= setTimeout(() => void this.write(), SIDES_DELAY_MS);
  }

  /** Writes what is queued; resolves after that, or after a failure, which is retried later unless this is closed. */
  write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /**
   * Finishes the write under way and writes what is queued. What can't be written is dropped and logged. To be
   * called after the last `add`; nothing uses the database after it.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
    await this.write();
    const findings = this.#queue.length;
    this.#queue = [];
    if (findings > 0)
      this.#deps.log.error({ findings }, "failed to write findings at the close; they are dropped");
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = nextBatch(this.#queue);
      try {
        await this.#writeBatch(batch);
        this.#failures.succeeded();
        this.#queue.splice(0, batch.length);
      } catch (error) {
        this.#failures.failed(error, { findings: batch.length });
        if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.write(), RETRY_MS).unref();
        return;
      }
    }
  }

  async #writeBatch(queued: readonly QueuedFinding[]): Promise<void> {
    const { store, clock, newUid, onRecording, onRecorded } = this.#deps;
    const batch = queued.map(({ finding }) => finding);
    const sides = lastOfEntries(batch.filter((finding) => finding.kind === "side"));
    const nowMs = clock.nowMs();
    for (const finding of batch) {
      if (finding.kind === "taken-back") await takeBackAlerts(store, { ...finding, nowMs });
    }
    const alerts = batch.filter((finding) => finding.kind === "alerts");
    if (alerts.length === 0) {
      await setSeenSides(store.db, sides);
      return;
    }
    const firstAlert = queued.find(({ finding }) => finding.kind === "alerts");
    const foundAtMs = firstAlert?.foundAtMs ?? nowMs;
    const options = { sides, nowMs, foundAtMs, newUid, onRecording };
    const recorded = await recordFindings(store, alerts, options);
    this.#recorded += recorded.length;
    if (recorded.length > 0) onRecorded();
  }
}

function lastOfEntries(sides: readonly SeenSide[]): readonly SeenSide[] {
  return [...new Map(sides.map((side) => [side.entryId, side])).values()];
}

function entriesOf(finding: RuleFinding): readonly bigint[] {
  if (finding.kind === "taken-back") return [];
  return finding.kind === "side"
    ? [finding.entryId]
    : finding.found.map(({ alert }) => alert.entryId);
}

/**
 * The first findings of one kind. Alerts: whole findings, up to the number of one transaction, with the sides
 * before them: a commit of its own for these would make the alerts wait.
 */
function nextBatch(queue: readonly QueuedFinding[]): readonly QueuedFinding[] {
  const batch: QueuedFinding[] = [];
  let alerts = 0;
  for (const queued of queue) {
    const { finding } = queued;
    const { kind } = (batch.at(-1) ?? queued).finding;
    const isAfterSides = kind === "side" && finding.kind === "alerts";
    if ((finding.kind !== kind && !isAfterSides) || alerts >= ALERTS_PER_TRANSACTION) break;
    batch.push(queued);
    if (finding.kind === "alerts") alerts += 1 + finding.found.length;
  }
  return batch;
}
