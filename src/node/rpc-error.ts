/** An error with the code and message of a Solana node. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: string | null;

  constructor(code: number, message: string, data: string | null = null) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }

  /** The `error` member of an answer, as JSON text. */
  toText(): string {
    const data = this.data === null ? "" : `,"data":${this.data}`;
    return `{"code":${this.code},"message":${JSON.stringify(this.message)}${data}}`;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(-32602, message);
}
