import { assertDocumented, operationOf } from "#test/support/api/conformance.ts";
import type { OpenapiDocument } from "./document.ts";
import type { Exchanged } from "./exchange.ts";
import type { ContractRequest } from "./requests.ts";

/** One of Prism's findings, as its header gives them. */
type Violation = {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code?: string | number;
  readonly message: string;
};

/** Headers for transport, browsers and proxies: not part of the contract. */
const CARRIERS = [
  "access-control-allow-origin",
  "connection",
  "content-encoding",
  "content-length",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "date",
  "keep-alive",
  "permissions-policy",
  "referrer-policy",
  "sl-violations",
  "transfer-encoding",
  "x-accel-buffering",
  "x-content-type-options",
];

/**
 * Errors of valid requests that a schema cannot express. The description of the operation or the
 * field states each of them.
 */
const BEYOND_SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  getExitAt: ["invalid_size"], // in SOL: 0.01 to 1000, to the lamport
  getExitProof: ["invalid_size"],
  getHistory: ["invalid_body"], // from before to, at most 31 days
  addToWatchlist: ["invalid_mint"], // 32 bytes in base58
  addChannel: ["invalid_body", "invalid_email"], // a target of its kind
  verifyChannel: ["invalid_body"], // the right code
};

/** Everything that is wrong with an answer: by Prism, by our own schemas, and by what was asked. */
export function problemsOf(
  document: OpenapiDocument,
  request: ContractRequest,
  response: Exchanged,
): readonly string[] {
  const violations = violationsIn(response);
  return [
    ...violations.filter(({ location }) => location[0] === "response").map(told),
    ...failure(request, response),
    ...undocumented(request, response),
    ...undocumentedHeaders(document, request, response),
    ...(request.isValid ? refusedThough(request, response, violations) : []),
    ...takenThough(request, response, violations),
  ];
}

function violationsIn({ headers, body }: Exchanged): readonly Violation[] {
  const text = headers["sl-violations"];
  if (String(headers["content-type"]).startsWith("application/problem+json"))
    return [{ location: ["response", "proxy"], severity: "Error", message: body }];
  if (typeof text !== "string") return [];
  if (!text.startsWith("["))
    return [{ location: ["response"], severity: "Error", message: text.slice(0, 300) }];
  return JSON.parse(text) as readonly Violation[];
}

function told({ location, message }: Violation): string {
  return `Prism: ${location.join(".")} ${message}`;
}

function failure(
  { method, target }: ContractRequest,
  { statusCode, body }: Exchanged,
): readonly string[] {
  const path = target.split("?")[0] ?? "";
  // The programs of the demo market are played: there is no code that a proof could execute. The answer
  // to HEAD has no body to name the error.
  const isUnproved =
    path.endsWith("/exitability/proof") &&
    (method === "HEAD" || body.includes('"proof_unavailable"'));
  const mayNotBeReady = statusCode === 503 && (path === "/readyz" || isUnproved);
  return statusCode < 500 || mayNotBeReady ? [] : [`failed with ${statusCode}: ${body}`];
}

/** By the schemas that the document is made of, to the letter: no field may be there that none names. */
function undocumented(request: ContractRequest, response: Exchanged): readonly string[] {
  const { method, target } = request;
  const { statusCode, headers, body } = response;
  const path = target.split("?")[0] ?? "";
  if (operationOf(method, path) === null || operationOf(method, path)?.id === undefined)
    return refusalOfUnknown(request, response);
  const isStream = String(headers["content-type"]).startsWith("text/event-stream");
  try {
    const json = () => JSON.parse(body);
    assertDocumented({ method: method as "GET", url: target }, { statusCode, headers, body, json });
    return [];
  } catch (error) {
    return [
      `${isStream ? "stream: " : ""}${String(error instanceof Error ? error.message : error)}`,
    ];
  }
}

/** Paths that no operation has are 404, and methods that a path has not are 405 with those it has. */
function refusalOfUnknown({ method, target }: ContractRequest, response: Exchanged) {
  const { statusCode, headers, body } = response;
  const path = target.split("?")[0] ?? "";
  const others = ["GET", "POST", "PATCH", "DELETE"].filter((each) => operationOf(each, path));
  if (method === "HEAD") {
    const wanted = others.includes("GET") ? statusCode !== 405 : [404, 405].includes(statusCode);
    return wanted && body === "" ? [] : [`HEAD was answered ${statusCode} ${body}`];
  }
  const problems: string[] = [];
  if (others.length > 0 && statusCode !== 405)
    problems.push(`${method} was answered ${statusCode}`);
  if (others.length > 0 && !others.every((each) => String(headers["allow"]).includes(each)))
    problems.push(`Allow is ${String(headers["allow"])}, not ${others.join(", ")}`);
  if (others.length === 0 && ![400, 404].includes(statusCode))
    problems.push(`an unknown path was answered ${statusCode}`);
  if (!isRefusal(body)) problems.push(`this is not a refusal: ${body.slice(0, 200)}`);
  return problems;
}

function isRefusal(text: string): boolean {
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    return typeof error === "string" && /^[a-z_]+$/.test(error) && typeof message === "string";
  } catch {
    return false;
  }
}

function undocumentedHeaders(
  document: OpenapiDocument,
  { method, target }: ContractRequest,
  { statusCode, headers }: Exchanged,
): readonly string[] {
  const operation = operationOf(method, target.split("?")[0] ?? "");
  if (operation === null) return [];
  const documented = document.paths[operation.path]?.[operation.method]?.responses[statusCode];
  const named = Object.keys(documented?.headers ?? {}).map((name) => name.toLowerCase());
  return Object.keys(headers)
    .filter((name) => !CARRIERS.includes(name) && !named.includes(name))
    .map((name) => `the header ${name} is not documented with ${statusCode}`);
}

/** A request that the document calls right was refused as wrong. */
function refusedThough(
  { target, method }: ContractRequest,
  { statusCode, body }: Exchanged,
  violations: readonly Violation[],
): readonly string[] {
  const disagreements = violations
    .filter(({ location, code }) => location[0] === "request" && code !== 401)
    .map((violation) => `made by the document, and wrong by it: ${told(violation)}`);
  if (![400, 405, 413, 414, 415].includes(statusCode)) return disagreements;
  const { error = "" } = JSON.parse(body) as { error?: string };
  const operation = operationOf(method, target.split("?")[0] ?? "");
  const isBeyond = BEYOND_SCHEMAS[operation?.id ?? ""]?.includes(error) === true;
  return isBeyond ? disagreements : [...disagreements, `right by the document: ${body}`];
}

/** A request that the document calls wrong was taken: then the document asks more than the service. */
function takenThough(
  { isValid }: ContractRequest,
  { statusCode }: Exchanged,
  violations: readonly Violation[],
): readonly string[] {
  if (isValid || statusCode >= 300) return [];
  return violations
    .filter(({ location, severity }) => location[0] === "request" && severity === "Error")
    .map((violation) => `wrong by the document, and taken: ${told(violation)}`);
}
