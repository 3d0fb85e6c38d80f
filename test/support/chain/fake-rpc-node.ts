import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createRpcSource, type RpcSourceOptions } from "#src/chain/rpc/rpc-source.ts";
import { AppError } from "#src/platform/app-error.ts";
import { closeAfter } from "../ending.ts";
import { testAddress } from "../pools/test-accounts.ts";

export const FAST_RETRY = { attempts: 3, firstWaitMs: 1, longestWaitMs: 20 };
const OWNER = testAddress(1);
export const RAW_ACCOUNT = { lamports: 1, owner: OWNER, data: ["AQ==", "base64"] };

export function sourceAt(t: TestContext, httpUrl: string, options: Partial<RpcSourceOptions> = {}) {
  const source = createRpcSource({
    httpUrl,
    wsUrl: httpUrl.replace("http", "ws"),
    origin: "live",
    clock: { nowMs: () => 1_000 },
    random: () => 0.5,
    retry: FAST_RETRY,
    staleWaitMs: 1,
    ...options,
  });
  closeAfter(t, () => source.close());
  return source;
}

export type Request = { readonly id: number; readonly method: string; readonly params: unknown[] };
export type Answer = (request: Request, response: ServerResponse, count: number) => void;

/** A node that answers as the test says. */
export async function fakeNode(t: TestContext, answer: Answer) {
  let count = 0;
  const server = createServer((incoming: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => answer(JSON.parse(String(Buffer.concat(parts))), response, ++count));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfter(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { httpUrl: `http://127.0.0.1:${port}`, count: () => count };
}

export function result(response: ServerResponse, { id }: Request, value: unknown): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: value }));
}

export function refuse(
  response: ServerResponse,
  { id }: Request,
  code: number,
  message: string,
): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}

export function notFound(response: ServerResponse, request: Request): void {
  refuse(response, request, -32601, "Method not found");
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "chain_unavailable";
}
