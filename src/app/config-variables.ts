/** One environment variable of the service: its name, its meaning with unit, its default. */
export type ConfigVariable = readonly [name: string, meaning: string, fallback: string];

/** Every variable that the service reads, as `exitability serve --help` prints them. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = [
  ["PORT", "port on which the service listens", "8080"],
  ["HOST", "address on which it listens", "127.0.0.1"],
  ["PUBLIC_URL", "base of the links in e-mails and pages", "http://HOST:PORT"],
  ["TRUST_PROXY", "reverse proxies whose X-Forwarded-For is trusted, a number", "0"],
  ["DATA_DIR", "folder of the embedded database and the e-mails", "./data"],
  ["DATABASE_URL", "Postgres", "SQLite in DATA_DIR"],
  ["REDIS_URL", "Redis, for several processes; needs DATABASE_URL", "off"],
  ["ROLE", "all, api, tracker or alerts", "all"],
  ["SOLANA_RPC_URL", "Solana nodes, separated by commas", "the demo market"],
  ["SOLANA_WS_URL", "WebSocket address of the first node", "as SOLANA_RPC_URL"],
  ["ACCOUNTS_DIR", "folder of recorded accounts, instead of a node", "off"],
  ["GEYSER_URL", "Yellowstone gRPC, in addition to the node", "off"],
  ["GEYSER_TOKEN", "its access token", "none"],
  ["ACCURACY", "full, sample (two transactions a minute) or off", "sample on a node"],
  ["PROOF", "full, sample or off: sales executed by the deployed programs", "sample"],
  ["SMTP_URL", "mail server", "files in DATA_DIR/mail"],
  ["MAIL_FROM", "sender of e-mails", "no-reply@localhost"],
  ["AUTH_SECRET", "signs sessions, 32 characters or more", "created, in DATA_DIR"],
  ["AUTH_ISSUER", "external identity provider: issuer", "off"],
  ["AUTH_AUDIENCE", "external identity provider: audience", "off"],
  ["AUTH_JWKS_URL", "external identity provider: keys", "off"],
  ["WEBHOOK_ALLOW", "private ranges that webhooks may reach, CIDR", "none"],
  ["TELEGRAM_BOT_TOKEN", "bot that sends Telegram alerts", "off"],
  ["TELEGRAM_API_URL", "its server", "https://api.telegram.org"],
  ["STATE_DAYS", "days for which answers for at_slot are kept", "3"],
  ["KEY_PREFIX", "prefix of API keys", "exi"],
  ["METRICS_PORT", "port on HOST for Prometheus; do not publish it", "off"],
  ["LOG_LEVEL", "trace, debug, info, warn, error or silent", "info"],
];
