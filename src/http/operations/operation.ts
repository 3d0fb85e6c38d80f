import Type, { type TSchema } from "typebox";
import type { PublicCode } from "#src/platform/app-error.ts";
import { RateLimitBody, TokenNotFoundBody } from "#src/wire/schema/error.ts";
import type { HeaderName } from "./headers.ts";

export type Tag = "exitability" | "token" | "streams" | "accounts" | "watchlist" | "service";

export type Parameter = {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isRequired?: boolean;
  readonly example?: string | number;
};

export type Success = {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: unknown;
  /** JSON where it is not said otherwise; null: no body. */
  readonly contentType?: "text/event-stream" | "text/html" | "text/javascript" | "text/css" | null;
  /** Beside those that every answer has, and those of metered and of conditional operations. */
  readonly headers?: readonly HeaderName[];
};

/** One method on one path, as the reference tells it and as every answer is held to in the tests. */
export type Operation = {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** `caller`: an API key or a session, or nobody. `session`: signed in, and no API key. */
  readonly access: "anyone" | "caller" | "session";
  /** Pages of any origin may read it, as anonymous callers (plugins/cors.ts). */
  readonly isOpenToPages?: boolean;
  /** Counts against the caller's queries, and says so in its headers. */
  readonly isMetered?: boolean;
  /** Answers carry an ETag, and 304 answers one that is still right. */
  readonly isConditional?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly schema: TSchema; readonly example: unknown };
  readonly successes: Readonly<Record<number, Success>>;
  /** Beside those that every operation has: method_not_allowed, server_error and overloaded. */
  readonly errors: readonly PublicCode[];
  /** Bodies of errors that say more than a code and a sentence. */
  readonly errorSchemas?: Readonly<Record<number, TSchema>>;
};

/** What the endpoints about one token may answer beside 200. */
export const TOKEN_ERRORS = {
  errors: ["unauthorized", "not_found", "rate_limit_exceeded", "chain_unavailable"],
  errorSchemas: { 404: TokenNotFoundBody, 429: RateLimitBody },
} as const;

export const EXAMPLE_MINT = "DemoThree1111111111111111111111111111111111";

export const MINT_PARAMETER: Parameter = {
  in: "path",
  name: "id",
  description: "The token's mint address. What is no Solana address is answered 404.",
  schema: Type.String({ minLength: 1 }),
  isRequired: true,
  example: EXAMPLE_MINT,
};

export const PROFILE_PARAMETER: Parameter = {
  in: "query",
  name: "profile",
  description: "retail: the best single route. pro: the order split over all of them.",
  schema: Type.Enum(["retail", "pro"], { default: "retail" }),
};

export const SIZE_PARAMETER: Parameter = {
  in: "query",
  name: "size",
  description:
    "SOL, 0.01 to 1000, in plain digits. Snaps to the nearest of 0.5, 1, 2, 5, 10, 50; a tie goes to the larger.",
  schema: Type.Number({ minimum: 0.01, maximum: 1000, default: 1 }),
};

export const LANGUAGE_PARAMETER: Parameter = {
  in: "header",
  name: "Accept-Language",
  description: "aviso is English where English is preferred to Spanish here.",
  schema: Type.String(),
  example: "en",
};
