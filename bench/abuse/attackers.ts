import type { Random } from "#src/platform/seeded-random.ts";
import type { Sent } from "../fuzz/http-client.ts";

export type Attack = {
  readonly name: string;
  /** Connections that send without a pause. */
  readonly connections: number;
  readonly next: () => Sent;
};

const JSON_TYPE = { "content-type": "application/json" };

/** The attackers of docs/abuse.md, from the addresses that the review had: one each, for S3 forty networks. */
export function attacksOn(
  target: { readonly mint: string; readonly victim: string },
  random: Random,
): readonly Attack[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  /** Forty networks of one provider, as a single host may have. */
  const ipv6 = (): string => `2001:db8:0:${below(40).toString(16)}::1`;
  const post = (path: string, from: string, body: object): Sent => ({
    method: "POST",
    path,
    headers: { ...JSON_TYPE, "x-forwarded-for": from },
    body: JSON.stringify(body),
  });
  const page = { "x-forwarded-for": "198.51.100.2", "sec-fetch-site": "same-origin" };
  const token = `/api/token/${target.mint}`;
  return [
    {
      name: "S2 forged page header",
      connections: 10,
      next: () => ({
        path: `${token}/${random() < 0.5 ? "exitability" : "history?step=10"}`,
        headers: page,
      }),
    },
    {
      name: "S3 random mints",
      connections: 10,
      next: () => ({
        path: `/api/token/${randomAddress(random)}/exitability`,
        headers: { "x-forwarded-for": ipv6() },
      }),
    },
    {
      name: "S4 mails to third parties",
      connections: 4,
      next: () => {
        const email = `u${below(1e9)}@d${below(50)}.example`;
        return post("/api/oracle/register", "198.51.100.4", { email });
      },
    },
    {
      name: "S5 guesses and requests for a victim",
      connections: 4,
      next: () =>
        random() < 0.9
          ? post("/api/auth/sign-in", "198.51.100.5", {
              email: target.victim,
              code: String(below(1e6)).padStart(6, "0"),
            })
          : post("/api/auth/code", "198.51.100.5", { email: target.victim }),
    },
    {
      name: "S6 large events",
      connections: 4,
      next: () =>
        post("/api/oracle/event", "198.51.100.6", {
          event_name: "click_pagar",
          email: target.victim,
          payload: { text: "x".repeat(8_000) },
        }),
    },
    {
      name: "S7 MCP and OpenAPI",
      connections: 20,
      next: () => {
        const from = "198.51.100.7";
        if (random() < 0.5)
          return {
            path: "/openapi.json",
            headers: { "accept-encoding": "br", "x-forwarded-for": from },
          };
        const sent = post("/mcp", from, { jsonrpc: "2.0", id: 1, method: "tools/list" });
        const accept = "application/json, text/event-stream";
        return { ...sent, headers: { ...sent.headers, accept } };
      },
    },
  ];
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** The text of 32 bytes, most of the time: of the right length and alphabet. */
function randomAddress(random: Random): string {
  const letter = (): string => BASE58[Math.floor(random() * 58)] ?? "1";
  return `2${Array.from({ length: 43 }, letter).join("")}`;
}
