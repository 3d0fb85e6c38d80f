import Type from "typebox";
import { JUDGED_PROGRAMS, MOST_SWAPS_TOLD } from "#src/accuracy/judged-swap-reader.ts";
import {
  AccuracyBody,
  AccuracySwapsBody,
  ExamplesBody,
  ReadyBody,
  StatusBody,
} from "#src/wire/schema/service.ts";
import { EXAMPLE_MINT, type Operation } from "./operation.ts";

const open = { method: "get", access: "anyone", isOpenToPages: true, errors: [] } as const;
const EXAMPLE_READINESS = { database: "ok", chain_age_seconds: 0.4, slot_lag: 0 };

const EXAMPLE_WINDOW = {
  seen: 812,
  replayed: 790,
  exact: 790,
  within_1bp: 790,
  worst_bps: 0,
  skipped: { "exact-out": 22 },
};

const EXAMPLE_QUOTED = { compared: 412, p10_bps: -3.5, p50_bps: 0, p90_bps: 12.5, p99_bps: 96.4 };

/** What says how the service is, and this reference itself. None of it counts. */
export const SERVICE: readonly Operation[] = [
  {
    ...open,
    path: "/api/examples",
    id: "getExamples",
    tag: "service",
    summary: "The demo market's named tokens",
    description: "Empty on any other chain.",
    successes: {
      200: {
        description: "Tokens to try things with",
        schema: ExamplesBody,
        example: {
          chain: "demo",
          tokens: [
            {
              mint: EXAMPLE_MINT,
              name: "Three Pools",
              symbol: "THREE",
              story: { es: "Tres pools.", en: "Three pools." },
            },
          ],
        },
      },
    },
  },
  {
    ...open,
    path: "/api/status",
    id: "getStatus",
    tag: "service",
    summary: "The chain's age and what is modelled",
    successes: {
      200: {
        description: "Now",
        schema: StatusBody,
        example: {
          chain: "demo",
          chain_age_seconds: 0.4,
          slot: 420000000,
          slot_lag: 0,
          venues: [{ program: "raydium-cpmm", family: "raydium", kind: "amm" }],
          version: "0.1.0",
        },
      },
    },
  },
  {
    ...open,
    path: "/api/accuracy",
    id: "getAccuracy",
    tag: "service",
    summary: "Modelled against executed",
    description:
      "Every swap seen on a tracked pool is replayed; here is how many came out exact, and when each program was last deployed.",
    errors: ["chain_unavailable"],
    successes: {
      200: {
        description: "By program",
        schema: AccuracyBody,
        example: {
          venues: [
            {
              program: "raydium-cpmm",
              exact_pct: 100,
              deployed_slot: 431172301,
              deployment: {
                state: "upgradeable",
                unknown_because: null,
                read_at: "2026-11-20T12:00:00.000Z",
                upgrade_seen_at: null,
                previous_slot: null,
              },
              windows: { hour: EXAMPLE_WINDOW, day: EXAMPLE_WINDOW, month: EXAMPLE_WINDOW },
            },
          ],
          quoted_vs_executed: [
            { age_seconds: 10, windows: { day: EXAMPLE_QUOTED, month: EXAMPLE_QUOTED } },
          ],
        },
      },
    },
  },
  {
    ...open,
    path: "/api/accuracy/swaps",
    id: "getAccuracySwaps",
    tag: "service",
    summary: "The last swaps, one by one",
    description:
      "What each paid and what the model says, with the slot in which the code that ran was deployed. They are stored every few seconds; of a program with more than fifty a second some are left out here, and counted in /api/accuracy all the same.",
    parameters: [
      {
        in: "query",
        name: "program",
        description: "Swaps of this program alone",
        schema: Type.Enum([...JUDGED_PROGRAMS]),
      },
      {
        in: "query",
        name: "limit",
        description: "How many at most",
        schema: Type.Integer({ minimum: 1, maximum: MOST_SWAPS_TOLD, default: 50 }),
      },
    ],
    errors: ["invalid_body"],
    successes: {
      200: {
        description: "The last one first",
        schema: AccuracySwapsBody,
        example: {
          swaps: [
            {
              program: "raydium-cpmm",
              pool: "7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny",
              slot: 431172512,
              signature:
                "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
              seen_at: "2026-11-20T12:00:00.000Z",
              deployed_slot: 431172301,
              outcome: "inexact",
              skipped_because: null,
              input_mint: EXAMPLE_MINT,
              output_mint: "So11111111111111111111111111111111111111112",
              amount_in: "1250000000",
              executed: "498750000",
              modelled: "498875000",
              difference: "125000",
              difference_bps: 2.51,
            },
          ],
        },
      },
    },
  },
  {
    ...open,
    path: "/healthz",
    id: "getHealth",
    tag: "service",
    summary: "The process lives",
    successes: {
      200: {
        description: "It does",
        schema: Type.Object({ status: Type.Literal("ok") }),
        example: { status: "ok" },
      },
    },
  },
  {
    ...open,
    path: "/readyz",
    id: "getReadiness",
    tag: "service",
    summary: "It can answer",
    successes: {
      200: {
        description: "Answers can be given",
        schema: ReadyBody,
        example: { status: "ready", ...EXAMPLE_READINESS },
      },
    },
    errorSchemas: { 503: ReadyBody },
  },
  {
    ...open,
    path: "/openapi.json",
    id: "getOpenapi",
    tag: "service",
    summary: "This document",
    isConditional: true,
    successes: {
      200: {
        description: "OpenAPI 3.1",
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
        example: { openapi: "3.1.0" },
      },
    },
  },
  page("/docs", "getDocs", "This reference, to read and to try"),
  { ...page("/docs/reference.js", "getDocsScript", "Its script"), ...asset("text/javascript") },
  { ...page("/docs/reference.css", "getDocsStyle", "Its style"), ...asset("text/css") },
];

function page(path: string, id: string, summary: string): Operation {
  const found = { path, id, summary, isConditional: true, ...asset("text/html") };
  return { ...open, isOpenToPages: false, tag: "service", ...found };
}

function asset(contentType: "text/html" | "text/javascript" | "text/css") {
  const success = { description: "The file", schema: Type.String(), example: "", contentType };
  return { successes: { 200: success } };
}
