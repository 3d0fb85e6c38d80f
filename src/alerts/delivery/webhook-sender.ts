import { Resolver } from "node:dns/promises";
import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { type AllowedRanges, reachOf } from "./webhook-addresses.ts";

const TIMEOUT_MS = 10_000;
const RESOLVE_TIMEOUT_MS = 2_000;
const LARGEST_HEADERS = 16 * 1024;
const LONGEST_URL = 2_048;

/** What became of handing something to a receiver. The error is for the user: no secret, no address. */
export type Sent =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly error: string; readonly status?: number }
  /** The receiver refused this message; it may accept the next one. */
  | { readonly kind: "refused"; readonly error: string }
  /** The receiver has ended: nothing will ever arrive there. */
  | { readonly kind: "gone"; readonly error: string };

/** Whether a status says that the message is at fault, not the receiver. */
export function isRefusal(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** Every address of a name; throws where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type WebhookSender = {
  /** Null where the URL may be called; else why not, in a sentence. */
  readonly refusal: (url: string) => Promise<string | null>;
  /** Posts a body, as JSON unless a header names another type. The receiver has it when it answers 2xx. */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
  ) => Promise<Sent>;
};

export type WebhookSenderDeps = {
  readonly allowed: AllowedRanges;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
};

/**
 * Calls URLs that users name, and nothing that lies inside: the name is resolved once, every address
 * of it is judged, and the connection is made to the very address that was judged, at registration
 * and at every call again. Redirects are not followed, the answer's headers are bounded, its body is
 * not read, and everything together ends within ten seconds.
 */
export function createWebhookSender({
  allowed,
  resolve = resolveName,
  timeoutMs = TIMEOUT_MS,
}: WebhookSenderDeps): WebhookSender {
  return {
    async refusal(url) {
      const target = await targetOf(url, allowed, resolve);
      return target.kind === "refused" ? target.reason : null;
    },
    async post(url, headers, body) {
      const signal = AbortSignal.timeout(timeoutMs);
      const target = await Promise.race([targetOf(url, allowed, resolve), refusedBy(signal)]);
      if (target.kind === "refused") return { kind: "failed", error: target.reason };
      return send(target, { headers, body, signal });
    },
  };
}

type Target =
  | { readonly kind: "open"; readonly url: URL; readonly address: string }
  | { readonly kind: "refused"; readonly reason: string };

async function targetOf(text: string, allowed: AllowedRanges, resolve: Resolve): Promise<Target> {
  const refused = (reason: string): Target => ({ kind: "refused", reason });
  if (text.length > LONGEST_URL || !URL.canParse(text)) return refused("This is not a URL.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refused("A webhook's URL begins with https://.");
  if (url.username !== "" || url.password !== "")
    return refused("A webhook's URL holds no user name or password; its calls are signed.");
  // The URL's parser has made dotted decimals of every other way to write an IPv4 address.
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [hostname];
  const [address] = addresses;
  if (address === undefined) return refused("The host's name can't be resolved.");
  const reaches = addresses.map((each) => reachOf(each, allowed));
  if (reaches.includes("closed"))
    return refused("The host has an address that webhooks may not reach.");
  if (url.protocol === "http:" && reaches.includes("public"))
    return refused("A webhook's URL begins with https://.");
  return { kind: "open", url, address };
}

function refusedBy(signal: AbortSignal): Promise<Target> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () =>
      resolve({ kind: "refused", reason: "The host's name can't be resolved in time." }),
    );
  });
}

function send(
  { url, address }: Target & { readonly kind: "open" },
  call: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Buffer;
    readonly signal: AbortSignal;
  },
): Promise<Sent> {
  const { headers, body, signal } = call;
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const options: RequestOptions & { readonly servername?: string } = {
    method: "POST",
    host: address,
    ...(url.port === "" ? {} : { port: url.port }),
    path: `${url.pathname}${url.search}`,
    headers: {
      "content-type": "application/json",
      ...headers,
      host: url.host,
      "content-length": Buffer.byteLength(body),
      "user-agent": "Exitability-Webhook/1",
    },
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    agent: false,
    maxHeaderSize: LARGEST_HEADERS,
    signal,
  };
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const request = url.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
  request.on("response", (response) => {
    resolve(sentBy(response.statusCode ?? 0));
    response.destroy();
  });
  request.on("error", (error) => resolve({ kind: "failed", error: failureOf(error, signal) }));
  // An answer that switches protocols ends the request without a response and without an error.
  request.on("close", () => resolve({ kind: "failed", error: "It gave no HTTP answer." }));
  request.end(body);
  return promise;
}

function sentBy(status: number): Sent {
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (status >= 300 && status < 400)
    return { kind: "failed", error: `It answered ${status}: redirects are not followed.` };
  const error = `It answered ${status}.`;
  return isRefusal(status) ? { kind: "refused", error } : { kind: "failed", error, status };
}

function failureOf(error: Error, signal: AbortSignal): string {
  if (signal.aborted) return "It did not answer in time.";
  const code = "code" in error && typeof error.code === "string" ? error.code : "unknown";
  return `It could not be reached: ${code}.`;
}

/** By the system's name servers, without the thread pool that a slow one would block. */
async function resolveName(hostname: string): Promise<readonly string[]> {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 });
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}
