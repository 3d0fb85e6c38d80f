import { isJsonObject } from "#src/platform/json-object.ts";
import { RpcError } from "./rpc-error.ts";

/** From a method's name and parameters to the `result` as JSON text. @throws RpcError */
export type MethodCall = (method: string, params: readonly unknown[]) => string;

/** Calls in one batch request. */
const MAX_BATCH = 50;

/**
 * Answers one request or a batch; null if no answer is due. Any text is answered, with JSON-RPC errors
 * if needed, and nothing is thrown.
 */
export function answerText(text: string, call: MethodCall): string | null {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return errorText(null, new RpcError(-32700, "Parse error"));
  }
  if (!Array.isArray(request)) return answerOne(request, call);
  if (request.length === 0 || request.length > MAX_BATCH) {
    return errorText(null, new RpcError(-32600, "Invalid request"));
  }
  const answers = request.map((one) => answerOne(one, call)).filter((one) => one !== null);
  return answers.length === 0 ? null : `[${answers.join(",")}]`;
}

function answerOne(request: unknown, call: MethodCall): string | null {
  if (!isJsonObject(request)) return errorText(null, new RpcError(-32600, "Invalid request"));
  const { jsonrpc, id, method, params } = request;
  const isId = id === null || typeof id === "string" || typeof id === "number";
  if (id === undefined && jsonrpc === "2.0") return null;
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isId) {
    return errorText(isId ? id : null, new RpcError(-32600, "Invalid request"));
  }
  try {
    const result = call(method, Array.isArray(params) ? params : []);
    return `{"jsonrpc":"2.0","result":${result},"id":${JSON.stringify(id)}}`;
  } catch (error) {
    if (error instanceof RpcError) return errorText(id, error);
    return errorText(id, new RpcError(-32603, "Internal error"));
  }
}

function errorText(id: string | number | null, error: RpcError): string {
  return `{"jsonrpc":"2.0","error":${error.toText()},"id":${JSON.stringify(id)}}`;
}
