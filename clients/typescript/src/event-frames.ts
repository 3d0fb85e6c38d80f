/** One server-sent event, parsed as the HTML standard defines. */
export type EventFrame = {
  readonly event: string;
  readonly data: string;
  /** The last event id, from this frame, an earlier one or an earlier connection; "" before the first. */
  readonly id: string;
};

/** A larger event is refused, so that an endless line cannot fill the memory. */
const LONGEST_FRAME = 4 * 1024 * 1024;

/** Splits a stream of text into events. Chunks may end anywhere, also between CR and LF. */
export class EventFrames {
  #pending = "";
  #event = "";
  #data: string[] = [];
  #dataLength = 0;
  #id: string;
  #isFirst = true;

  /** @param lastEventId of earlier connections: the id of frames until one has its own */
  constructor(lastEventId = "") {
    this.#id = lastEventId;
  }

  /** @throws RangeError if an event is larger than 4 MiB */
  push(text: string): readonly EventFrame[] {
    const whole = this.#pending + (this.#isFirst ? text.replace(/^\uFEFF/, "") : text);
    if (text !== "") this.#isFirst = false;
    // A CR at the end may be half of a CRLF.
    const end = whole.endsWith("\r") ? whole.length - 1 : whole.length;
    const lines = whole.slice(0, end).split(/\r\n|\n|\r/);
    this.#pending = (lines.pop() ?? "") + whole.slice(end);
    const frames = lines.flatMap((line) => this.#take(line) ?? []);
    if (this.#pending.length + this.#dataLength > LONGEST_FRAME) {
      throw new RangeError("an event without an end");
    }
    return frames;
  }

  #take(line: string): EventFrame | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field === "id" && !value.includes("\0")) this.#id = value;
    if (field === "data") {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    }
    return null;
  }

  #dispatch(): EventFrame | null {
    const isEvent = this.#data.length > 0;
    const frame = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
    this.#event = "";
    this.#data = [];
    this.#dataLength = 0;
    return isEvent ? frame : null;
  }
}
