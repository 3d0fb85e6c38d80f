import { createEventReader, type StreamEvent } from "./event-reader.ts";

/** The service sends a heartbeat every 15 seconds: a stream silent for longer is dead. */
const SILENCE_MS = 20_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

export type StreamHandlers = {
  readonly onEvent: (event: StreamEvent) => void;
  /** Called when the first bytes arrive, and when the stream was lost. */
  readonly onOpen: (isOpen: boolean) => void;
};

/**
 * A stream of server-sent events that is opened again whenever it ends, fails, or is silent for 20
 * seconds: a connection that a network dropped without closing it is never noticed otherwise.
 * Returns a function that closes it for good.
 */
export function openWatchedStream(url: string, { onEvent, onOpen }: StreamHandlers): () => void {
  let isClosed = false;
  let retryMs = FIRST_RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let attempt = new AbortController();

  async function run(): Promise<void> {
    attempt = new AbortController();
    const { signal } = attempt;
    let watchdog = setTimeout(() => attempt.abort(), SILENCE_MS);
    try {
      const response = await fetch(url, {
        credentials: "same-origin",
        headers: {
          accept: "text/event-stream",
          "accept-language": document.documentElement.lang,
        },
        signal,
      });
      if (!response.ok || response.body === null) return;
      onOpen(true);
      retryMs = FIRST_RETRY_MS;
      const read = createEventReader(onEvent);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => attempt.abort(), SILENCE_MS);
        read(piece.value);
      }
    } catch {
      // Lost: the next attempt follows.
    } finally {
      clearTimeout(watchdog);
      if (!isClosed) {
        onOpen(false);
        retry = setTimeout(start, retryMs);
        retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
      }
    }
  }

  function start(): void {
    retry = undefined;
    void run();
  }

  /** The network is back: a waiting attempt starts at once. */
  function wake(): void {
    if (retry === undefined) return;
    clearTimeout(retry);
    start();
  }

  window.addEventListener("online", wake);
  start();
  return () => {
    isClosed = true;
    window.removeEventListener("online", wake);
    clearTimeout(retry);
    attempt.abort();
  };
}
