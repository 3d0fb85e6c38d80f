import { OPERATIONS } from "#src/api/operations.ts";
import type { Random } from "#src/platform/seeded-random.ts";
import type { Sent } from "./http-client.ts";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
/** As JSON has them: NUL and lone surrogates reach the service as escapes. */
const TEXTS = [
  "",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud83d",
  "\u{1F680}".repeat(40),
  "' or 1=1 --",
  "%00",
  "__proto__",
  "constructor",
  "x".repeat(9_000),
  "ana@example.com",
  "a@b.co\u0000",
  "\ud800@b.co",
  "So11111111111111111111111111111111111111112",
  "1".repeat(44),
  "../../etc/passwd",
  "-1",
  "9223372036854775808",
  "1e400",
  "NaN",
  "true",
];
/** As they are in a target: percent-encoded NUL, a surrogate in UTF-8, broken escapes. */
const TARGET_TEXTS = ["%00", "a%00b", "%ED%A0%80", "%F0%9F%9A%80", "%", "%zz", "%2e%2e", "0", "-1"];
const VALUES = [null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], ["\u0000"], { a: "\ud800" }];

/** Requests to every operation, most of them wrong in one place, made from a seed. */
export function fuzzRequest(random: Random, mints: readonly string[]): Sent {
  const draw = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const operation = draw(OPERATIONS);
  const hostile = (): string =>
    random() < 0.5 ? draw(TARGET_TEXTS) : encodeURIComponent(draw(TEXTS).toWellFormed());
  const part = (): string => (random() < 0.5 ? draw([...mints, "1", "7"]) : hostile());
  const path = operation.path.replaceAll(/\{\w+\}/g, part);
  const known = Object.keys(operation.query?.properties ?? {});
  const query = known
    .filter(() => random() < 0.5)
    .map((name) => `${name}${random() < 0.1 ? "[]" : ""}=${part()}`);
  if (random() < 0.1) query.push(`${hostile()}=${hostile()}`);
  const method = random() < 0.85 ? operation.method.toUpperCase() : draw(METHODS);
  const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
  if (method === "GET" || method === "HEAD") return { method, path: target };
  return { method, path: target, ...bodyOf(operation.body?.example, { random, draw }) };
}

type Drawing = { readonly random: Random; readonly draw: <T>(from: readonly T[]) => T };

function bodyOf(example: unknown, drawing: Drawing): Pick<Sent, "headers" | "body"> {
  const { random, draw } = drawing;
  const headers = {
    "content-type": random() < 0.95 ? "application/json" : draw(["text/plain", "", "a/b;c=\u00ff"]),
  };
  if (random() < 0.1)
    return { headers, body: draw(["", "{", "[]", "null", '"\\ud800"', "{}".repeat(9)]) };
  return { headers, body: JSON.stringify(mutated(example ?? {}, drawing)) };
}

/** The example with some values replaced, at any depth. */
function mutated(value: unknown, drawing: Drawing): unknown {
  const { random, draw } = drawing;
  if (random() < 0.2) return random() < 0.6 ? draw(TEXTS) : draw<unknown>(VALUES);
  if (Array.isArray(value)) return value.map((item) => mutated(item, drawing));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, mutated(item, drawing)]);
  if (random() < 0.1) entries.push([draw(TEXTS), draw(TEXTS)]);
  return Object.fromEntries(entries);
}
