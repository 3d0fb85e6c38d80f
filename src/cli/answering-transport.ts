import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

/** A transport that knows which of the received requests have no answer yet. */
export class AnsweringTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #inner: Transport;
  readonly #unanswered = new Set<unknown>();
  #onAnswered: (() => void) | null = null;

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
      // A cancelled request gets no answer.
      if ("method" in message && message.method === "notifications/cancelled")
        this.#settle(message.params?.["requestId"]);
      this.onmessage?.(message, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => {
      this.#unanswered.clear();
      this.#onAnswered?.();
      this.onclose?.();
    };
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
      this.#settle(message.id);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Resolves once every request received so far is answered, or the transport is closed. */
  answered(): Promise<void> {
    if (this.#unanswered.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
    });
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onAnswered?.();
  }
}
