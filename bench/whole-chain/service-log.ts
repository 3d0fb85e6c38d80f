import { Latencies } from "../support/latencies.ts";

const WARN = 40;
const COLLECTION =
  /^\[\d+:(0x[0-9a-f]+)\].* ms: (?:Incremental )?(Scavenge|Mark-Compact)\b.*?, ([\d.]+) \/ /;

/** A line at warn or above: how often it came, and the first of its kind. */
export type LoggedLine = {
  readonly level: number;
  readonly text: string;
  count: number;
  readonly first: string;
};

export type Collections = {
  readonly scavenges: number;
  readonly scavengeP99Ms: number | null;
  readonly majors: number;
  readonly longestMs: number;
  readonly pausedMs: number;
};

type Pauses = {
  scavenges: number;
  scavenge: Latencies;
  majors: number;
  longestMs: number;
  pausedMs: number;
};

/** What the service prints: its log lines, and V8's lines about garbage collections (--trace-gc). */
export class ServiceLog {
  readonly lines = new Map<string, LoggedLine>();
  readonly #pauses = new Map<string, Pauses>();

  add(line: string): void {
    const collection = COLLECTION.exec(line);
    if (collection !== null) {
      const [, isolate = "", kind, ms] = collection;
      this.#collected(isolate, kind === "Scavenge", Number(ms));
      return;
    }
    if (!line.startsWith("{")) return;
    const { level, msg } = JSON.parse(line) as { readonly level: number; readonly msg?: string };
    if (level < WARN) return;
    const text = msg ?? "";
    const key = `${level} ${text}`;
    const known = this.lines.get(key);
    if (known === undefined) this.lines.set(key, { level, text, count: 1, first: line });
    else known.count++;
  }

  /** Of the thread that paused longest in all: the main one. */
  get collections(): Collections | null {
    const [most] = [...this.#pauses.values()].toSorted((a, b) => b.pausedMs - a.pausedMs);
    if (most === undefined) return null;
    const { scavenges, scavenge, majors, longestMs, pausedMs } = most;
    return {
      scavenges,
      scavengeP99Ms: scavenge.at(0.99),
      majors,
      longestMs,
      pausedMs: Math.round(pausedMs),
    };
  }

  #collected(isolate: string, isScavenge: boolean, ms: number): void {
    const own = this.#pauses.get(isolate) ?? {
      ...{ scavenges: 0, scavenge: new Latencies(), majors: 0, longestMs: 0, pausedMs: 0 },
    };
    this.#pauses.set(isolate, own);
    own.pausedMs += ms;
    own.longestMs = Math.max(own.longestMs, ms);
    if (!isScavenge) {
      own.majors++;
      return;
    }
    own.scavenges++;
    own.scavenge.add(ms);
  }
}
