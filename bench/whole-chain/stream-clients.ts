import { connect } from "node:net";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/** Clients of event streams on a thread of their own: they count events and read no more than that takes. */
export type StreamClientsPlan = {
  readonly url: string;
  /** How far this thread is below the server, which shares its processors. */
  readonly nice: number;
  /** A stream each: the mints that it follows and its key. */
  readonly streams: readonly { readonly mints: readonly string[]; readonly key: string }[];
};
export type StreamClientsWord =
  | { readonly kind: "opened"; readonly open: number; readonly refused: number }
  | {
      readonly kind: "counts";
      readonly open: number;
      readonly events: number;
      readonly bytes: number;
    };

const OPENED_AT_ONCE = 20;
const OPENING_PAUSE_MS = 50;
const COUNTS_EVERY_MS = 5_000;
const EVENT = Buffer.from("event: exitability\n");

const { url, nice, streams } = workerData as StreamClientsPlan;
setPriority(nice);
const { hostname, port } = new URL(url);
let open = 0;
let refused = 0;
/** Streams that were answered, or whose connection was closed without an answer. */
let settled = 0;
let events = 0;
let bytes = 0;
const say = (word: StreamClientsWord): void => parentPort?.postMessage(word);

for (let first = 0; first < streams.length; first += OPENED_AT_ONCE) {
  for (const stream of streams.slice(first, first + OPENED_AT_ONCE)) follow(stream);
  await delay(OPENING_PAUSE_MS);
}
while (settled < streams.length) await delay(OPENING_PAUSE_MS);
say({ kind: "opened", open, refused });
setInterval(() => {
  say({ kind: "counts", open, events, bytes });
  events = 0;
  bytes = 0;
}, COUNTS_EVERY_MS);

function follow({ mints, key }: StreamClientsPlan["streams"][number]): void {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let isOpen = false;
  let isSettled = false;
  const settle = (): void => {
    if (!isSettled) settled++;
    isSettled = true;
  };
  socket.write(
    `GET /api/stream?mints=${mints.join(",")} HTTP/1.1\r\nhost: streams\r\naccept: text/event-stream\r\nx-api-key: ${key}\r\n\r\n`,
  );
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (!isOpen) {
      settle();
      isOpen = true;
      if (chunk.subarray(9, 12).toString("latin1") === "200") open++;
      else {
        refused++;
        isOpen = false;
        socket.destroy();
        return;
      }
    }
    for (let at = chunk.indexOf(EVENT); at >= 0; at = chunk.indexOf(EVENT, at + EVENT.length))
      events++;
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    if (isOpen) open--;
    else if (!isSettled) refused++;
    settle();
  });
}
