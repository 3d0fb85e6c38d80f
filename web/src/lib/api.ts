/** An answer that was not 2xx, in the service's own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The whole body, for the fields that some errors carry. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body.message === "string" ? body.message : `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = typeof body.error === "string" ? body.error : "unreachable";
    this.body = body;
  }
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export type ApiRequest = {
  readonly method?: Method;
  readonly body?: object;
  readonly signal?: AbortSignal;
  readonly language?: string;
};

/** One request to our own service. @throws ApiError for every answer that is not 2xx */
export async function api<Body>(path: string, request: ApiRequest = {}): Promise<Body> {
  const { method = "GET", body, signal, language } = request;
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: {
      accept: "application/json",
      ...(language === undefined ? {} : { "accept-language": language }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as Body;
  throw new ApiError(response.status, isRecord(answer) ? answer : {});
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isApiError(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
