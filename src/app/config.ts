import { isIP, isIPv6 } from "node:net";
import { join } from "node:path";
import { type PushSettings, vapidPublicKey } from "#src/alerts/delivery/vapid-key.ts";
import { parseRanges } from "#src/alerts/delivery/webhook-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";

export const ROLES = ["all", "api", "tracker", "alerts"] as const;
export type Role = (typeof ROLES)[number];

const ACCURACY_MODES = ["full", "sample", "off"] as const;
const PROOF_MODES = ["full", "sample", "off"] as const;
export type ProofMode = (typeof PROOF_MODES)[number];

export type AccuracyMode = (typeof ACCURACY_MODES)[number];

/** The environment, read once and frozen. docs/configuration.md lists the variables. */
export type Config = {
  readonly port: number;
  readonly host: string;
  /** The port on `host` that Prometheus reads; null: metrics are off. */
  readonly metricsPort: number | null;
  readonly publicUrl: string;
  /** Number of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxyHops: number;
  readonly dataDir: string;
  /** Null: embedded SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null: this process is the only one; counters and assessments stay in it. */
  readonly redisUrl: string | null;
  readonly chain: ChainConfig;
  readonly geyser: GeyserConfig | null;
  /** How far the cluster has agreed on the state that answers and alerts are made of. */
  readonly commitment: "processed" | "confirmed";
  /** How many transactions the accuracy record reads: all that it needs, a few a minute, or no swap is judged. */
  readonly accuracy: AccuracyMode;
  /** How many random sales are executed by the deployed programs: up to five a second, one every ten seconds, or none. */
  readonly proof: ProofMode;
  /** Null: each mail is a file in `dataDir`/mail. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** Null: generated once and kept in `dataDir`. */
  readonly authSecret: string | null;
  readonly foreignIdentity: {
    readonly issuer: string;
    readonly audience: string;
    readonly jwksUrl: string;
  } | null;
  /** Private ranges, in CIDR notation, that webhooks may reach. */
  readonly webhookAllow: readonly string[];
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly push: PushSettings | null;
  readonly apiKeyPrefix: string;
  /** Days for which the history of tokens is kept. */
  readonly historyDays: number;
  /** Days, including today, for which answers by at_slot are kept; 0: none. */
  readonly stateDays: number;
  readonly role: Role;
  /** Whether a thread of its own answers requests and sends alerts. */
  readonly hasApiThread: boolean;
  readonly logLevel: string;
};

export type ChainConfig =
  | {
      readonly kind: "rpc";
      readonly httpUrl: string;
      readonly wsUrl: string;
      /** The HTTP addresses of further nodes, used while the first does not answer. */
      readonly fallbackUrls?: readonly string[];
    }
  | { readonly kind: "recorded"; readonly directory: string }
  | { readonly kind: "demo" };

export type GeyserConfig = {
  readonly url: string;
  readonly token: string | null;
  /** Programs that are followed whole, so that each of their tokens is tracked from its creation. */
  readonly programs: readonly VenueId[];
};

/** A variable has a wrong value; the message names the variable and the allowed values. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError for the first wrong variable; nothing is started before */
export function readConfig(environment: Environment): Config {
  const read = (name: string): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  };
  const port = integer(read("PORT"), { name: "PORT", fallback: 8080, max: 65_535 });
  const host = hostOf(read("HOST"));
  const metricsPort = metricsPortOf(read("METRICS_PORT"), port);
  const databaseUrl = url(read("DATABASE_URL"), "DATABASE_URL", ["postgres:", "postgresql:"]);
  const redisUrl = redisUrlOf(read("REDIS_URL"));
  const authSecret = read("AUTH_SECRET");
  if (authSecret !== null && authSecret.length < 32) {
    throw new ConfigError("AUTH_SECRET must have at least 32 characters");
  }
  if (databaseUrl !== null && authSecret === null) {
    throw new ConfigError(
      "AUTH_SECRET is required with DATABASE_URL: processes that share a database need the same secret",
    );
  }
  const role = oneOf(read("ROLE") ?? "all", "ROLE", ROLES);
  if (role !== "all" && (databaseUrl === null || redisUrl === null)) {
    throw new ConfigError(
      `ROLE=${role} needs DATABASE_URL and REDIS_URL, which the processes share`,
    );
  }
  if (redisUrl !== null && databaseUrl === null) {
    throw new ConfigError(
      "REDIS_URL needs DATABASE_URL: processes that share Redis also share the database",
    );
  }
  const smtpUrl = url(read("SMTP_URL"), "SMTP_URL", ["smtp:", "smtps:"]);
  const chain = chainOf(read);
  const geyser = geyserOf(read, chain);
  const publicUrl = publicUrlOf(read("PUBLIC_URL"), host, port);
  const mailFrom = mailFromOf(read("MAIL_FROM"));
  return Object.freeze({
    port,
    host,
    metricsPort,
    publicUrl,
    trustProxyHops: integer(read("TRUST_PROXY"), { name: "TRUST_PROXY", fallback: 0, max: 16 }),
    dataDir: read("DATA_DIR") ?? join(".", "data"),
    databaseUrl,
    redisUrl,
    chain,
    geyser,
    commitment: oneOf(read("COMMITMENT") ?? "confirmed", "COMMITMENT", ["processed", "confirmed"]),
    accuracy: oneOf(read("ACCURACY") ?? defaultAccuracy(read, chain), "ACCURACY", ACCURACY_MODES),
    proof: oneOf(read("PROOF") ?? "sample", "PROOF", PROOF_MODES),
    smtpUrl,
    mailFrom,
    authSecret,
    foreignIdentity: foreignIdentityOf(read),
    webhookAllow: rangesOf(read("WEBHOOK_ALLOW") ?? ""),
    telegram: telegramOf(read),
    push: pushOf(read, { publicUrl, mailFrom }),
    historyDays: integer(read("HISTORY_DAYS"), { name: "HISTORY_DAYS", fallback: 30, max: 365 }),
    stateDays: integer(read("STATE_DAYS"), { name: "STATE_DAYS", fallback: 3, max: 365 }),
    apiKeyPrefix: prefix(read("KEY_PREFIX") ?? "exi"),
    role,
    hasApiThread: apiThreadOf(read("API_THREAD"), { redisUrl, geyser }),
    logLevel: oneOf(read("LOG_LEVEL") ?? "info", "LOG_LEVEL", [
      "trace",
      "debug",
      "info",
      "warn",
      "error",
      "silent",
    ]),
  });
}

function rangesOf(text: string): readonly string[] {
  const ranges = text
    .split(",")
    .map((range) => range.trim())
    .filter(Boolean);
  try {
    parseRanges(ranges);
  } catch (cause) {
    throw new ConfigError(`WEBHOOK_ALLOW: ${cause instanceof Error ? cause.message : ""}`);
  }
  return ranges;
}

type Read = (name: string) => string | null;

function chainOf(read: Read): ChainConfig {
  const [httpUrl = null, ...others] = (read("SOLANA_RPC_URL")?.split(",") ?? []).map((text) =>
    loginUrl(text.trim(), "SOLANA_RPC_URL", ["http:", "https:"]),
  );
  const wsUrl = url(read("SOLANA_WS_URL"), "SOLANA_WS_URL", ["ws:", "wss:"]);
  const directory = read("ACCOUNTS_DIR");
  if (httpUrl !== null && directory !== null) {
    throw new ConfigError("set either SOLANA_RPC_URL or ACCOUNTS_DIR, not both");
  }
  if (httpUrl !== null) {
    const fallbackUrls = others.filter((other) => other !== null);
    return {
      kind: "rpc",
      httpUrl,
      wsUrl: wsUrl ?? webSocketOf(httpUrl),
      ...(fallbackUrls.length === 0 ? {} : { fallbackUrls }),
    };
  }
  if (wsUrl !== null) throw new ConfigError("SOLANA_WS_URL needs SOLANA_RPC_URL");
  return directory === null ? { kind: "demo" } : { kind: "recorded", directory };
}

function webSocketOf(httpUrl: string): string {
  return httpUrl.replace(/^http/, "ws");
}

/** A provider bills each transaction that is read; a stream sends them whole, and a local node is free. */
function defaultAccuracy(read: Read, chain: ChainConfig): AccuracyMode {
  return chain.kind === "rpc" && read("GEYSER_URL") === null ? "sample" : "full";
}

function geyserOf(read: Read, chain: ChainConfig): Config["geyser"] {
  const found = url(read("GEYSER_URL"), "GEYSER_URL", ["http:", "https:"]);
  const token = read("GEYSER_TOKEN");
  if (found === null && token !== null) {
    throw new ConfigError("GEYSER_TOKEN needs GEYSER_URL, the address of the stream");
  }
  if (found !== null && chain.kind !== "rpc") {
    throw new ConfigError(
      "GEYSER_URL needs SOLANA_RPC_URL: the stream only sends changes, and the node is needed for earlier state; set both, or unset GEYSER_URL",
    );
  }
  const named = read("GEYSER_PROGRAMS");
  if (found === null && named !== null) {
    throw new ConfigError("GEYSER_PROGRAMS needs GEYSER_URL, the address of the stream");
  }
  return found === null ? null : { url: found, token, programs: programsOf(named) };
}

/** A process that follows whole programs has a heap that V8 marks for a second or two at a time. */
function apiThreadOf(
  text: string | null,
  { redisUrl, geyser }: Pick<Config, "redisUrl" | "geyser">,
): boolean {
  const followsPrograms = geyser !== null && geyser.programs.length > 0;
  const fallback = followsPrograms && redisUrl === null ? "on" : "off";
  const hasApiThread = oneOf(text ?? fallback, "API_THREAD", ["on", "off"]) === "on";
  if (hasApiThread && redisUrl !== null)
    throw new ConfigError(
      "API_THREAD=on and REDIS_URL exclude each other: with Redis, start a process with ROLE=api",
    );
  return hasApiThread;
}

function programsOf(text: string | null): readonly VenueId[] {
  const known = VENUES.map(({ id }) => id);
  if (text === null || text === "all") return known;
  if (text === "none") return [];
  return text.split(",").map((name) => oneOf(name.trim(), "GEYSER_PROGRAMS", known));
}

function foreignIdentityOf(read: Read): Config["foreignIdentity"] {
  const issuer = read("AUTH_ISSUER");
  const audience = read("AUTH_AUDIENCE");
  const jwksUrl = url(read("AUTH_JWKS_URL"), "AUTH_JWKS_URL", ["http:", "https:"]);
  if (issuer === null && audience === null && jwksUrl === null) return null;
  if (issuer === null || audience === null || jwksUrl === null) {
    throw new ConfigError(
      "AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL belong together: set all three or none",
    );
  }
  return { issuer, audience, jwksUrl };
}

function telegramOf(read: Read): Config["telegram"] {
  const botToken = read("TELEGRAM_BOT_TOKEN");
  const apiUrl = read("TELEGRAM_API_URL");
  if (botToken === null && apiUrl !== null) {
    throw new ConfigError("TELEGRAM_API_URL needs TELEGRAM_BOT_TOKEN, the bot that sends");
  }
  if (botToken === null) return null;
  return { botToken, apiUrl: baseUrl(apiUrl ?? "https://api.telegram.org", "TELEGRAM_API_URL") };
}

/** Push services want to reach the operator: by the public address, or the sender of mails. */
function pushOf(
  read: Read,
  { publicUrl, mailFrom }: { readonly publicUrl: string; readonly mailFrom: string },
): Config["push"] {
  const privateKey = read("VAPID_PRIVATE_KEY");
  if (privateKey === null) return null;
  if (vapidPublicKey(privateKey) === null)
    throw new ConfigError(
      "VAPID_PRIVATE_KEY must be a private key of P-256, 43 characters of base64url, as `npx web-push generate-vapid-keys` makes it",
    );
  const address = /<([^<>]+)>\s*$/.exec(mailFrom)?.[1] ?? mailFrom;
  return { privateKey, contact: publicUrl.startsWith("https:") ? publicUrl : `mailto:${address}` };
}

/** An address, or a name and an address: of anything else, mails would go out without a sender. */
const SENDER = /^(?:[^\s<>"@]+@[^\s<>"@]+|(?:"[^"]*" *|[^"<>]*)<[^\s<>"@]+@[^\s<>"@]+>)$/;

function mailFromOf(text: string | null): string {
  if (text === null) return "Exitability <no-reply@localhost>";
  if (SENDER.test(text)) return text;
  throw new ConfigError(
    "MAIL_FROM must be an e-mail address, or a name and an address as in Exitability <no-reply@example.com>, without quotes around both",
  );
}

function publicUrlOf(text: string | null, host: string, port: number): string {
  if (text !== null) return baseUrl(text, "PUBLIC_URL");
  const found = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (URL.canParse(found)) return found;
  throw new ConfigError(`set PUBLIC_URL: HOST=${host} has a zone, which a URL can't have`);
}

/**
 * The address of a service, to which paths are appended: without a slash at its end.
 *
 * @throws ConfigError that has `name` and what is wrong; never the text, which may hold a password
 */
export function baseUrl(text: string, name: string): string {
  url(text, name, ["http:", "https:"]);
  const { username, password } = new URL(text);
  if (username !== "" || password !== "" || /[?#]/.test(text))
    throw new ConfigError(
      `${name} must be scheme, host, port and path alone, as in https://exitability.example.com, without a user, a query or a fragment`,
    );
  return text.replace(/\/+$/, "");
}

/** An IP address, or a name that a URL has as it is: numbers and dots alone would be read as another address. */
function hostOf(text: string | null): string {
  if (text === null) return "127.0.0.1";
  if (isIP(text) !== 0 || isHostName(text)) return text;
  throw new ConfigError(
    `HOST must be an IP address or a host name, as in 127.0.0.1, 0.0.0.0, ::1 or localhost, without a port, not "${text}"`,
  );
}

function isHostName(text: string): boolean {
  const found = `http://${text}`;
  return (
    /^[\w.-]+$/.test(text) && URL.canParse(found) && new URL(found).hostname === text.toLowerCase()
  );
}

function metricsPortOf(text: string | null, port: number): number | null {
  if (text === null) return null;
  const found = integer(text, { name: "METRICS_PORT", fallback: 0, max: 65_535 });
  if (found !== port || found === 0) return found;
  throw new ConfigError("METRICS_PORT must differ from PORT: metrics are not public");
}

function integer(
  text: string | null,
  { name, fallback, max }: { name: string; fallback: number; max: number },
): number {
  if (text === null) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= max) return value;
  throw new ConfigError(`${name} must be a whole number from 0 to ${max}, not "${text}"`);
}

function url(text: string | null, name: string, protocols: readonly string[]): string | null {
  if (text === null) return null;
  if (URL.canParse(text) && protocols.some((protocol) => isUrlOf(text, protocol))) return text;
  throw new ConfigError(
    `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(" or ")}, and a host`,
  );
}

/** Of Postgres alone the host may be left out: its own variables, or a socket, then name the server. */
function isUrlOf(text: string, protocol: string): boolean {
  if (!text.toLowerCase().startsWith(`${protocol}//`)) return false;
  return protocol.startsWith("postgres") || new URL(text).host !== "";
}

/** The client of Redis throws at any path but a number. */
function redisUrlOf(text: string | null): string | null {
  const found = loginUrl(text, "REDIS_URL", ["redis:", "rediss:"]);
  if (found === null || /^\/?\d*$/.test(new URL(found).pathname)) return found;
  throw new ConfigError("REDIS_URL must end with a port or the number of a database, as in /1");
}

/** A URL whose user and password are decoded: a % that is not encoded cannot be. */
function loginUrl(...given: Parameters<typeof url>): string | null {
  const found = url(...given);
  if (found === null) return null;
  const { username, password } = new URL(found);
  if (!/%(?![\da-f]{2})/i.test(username + password)) return found;
  throw new ConfigError(`${given[1]} has a % in its user or password: write it as %25`);
}

function oneOf<Value extends string>(text: string, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new ConfigError(`${name} must be one of ${values.join(", ")}, not "${text}"`);
}

function prefix(text: string): string {
  if (/^[a-z][a-z0-9]{0,15}$/.test(text)) return text;
  throw new ConfigError(
    "KEY_PREFIX must be 1 to 16 lower-case letters or digits and start with a letter",
  );
}
