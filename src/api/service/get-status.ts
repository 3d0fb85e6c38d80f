import Type from "typebox";
import { toNumber } from "#src/units/to-number.ts";
import { defineOperation } from "../operation.ts";
import { nullable } from "../values.ts";
import { AMM_OF_FAMILY, wordsOf } from "../words.ts";
import {
  REFUSAL_EXAMPLE,
  RefusalBody,
  refusalBodies,
  STREAM_EXAMPLE,
  StreamBody,
  streamBody,
} from "./chain-bodies.ts";
import { OPEN_OPERATION } from "./open-operation.ts";
import { ChainWord } from "./service-facts.ts";

const StatusBody = Type.Object(
  {
    chain: ChainWord,
    chain_age_seconds: nullable(Type.Number(), "Since the newest block's time"),
    slot: nullable(Type.Integer()),
    slot_lag: nullable(Type.Integer(), "Slots between the node's newest and the newest applied"),
    stream: nullable(StreamBody, "Null in a process that reaches no tracker"),
    refusals: Type.Array(RefusalBody, {
      description:
        "What the RPC node refuses now: pools are then found in other ways, or not at all",
    }),
    sol_usd: nullable(Type.Number(), "Dollars for one SOL, by the tracked pools of stables"),
    venues: Type.Array(
      Type.Object({
        program: Type.String(),
        family: Type.Enum(wordsOf(AMM_OF_FAMILY), {
          description: "The family, as amm names it in answers",
        }),
        kind: Type.String(),
      }),
    ),
    version: Type.String(),
  },
  { $id: "Status" },
);

export const getStatus = defineOperation({
  ...OPEN_OPERATION,
  path: "/api/status",
  id: "getStatus",
  summary: "The chain's age and what is modelled",
  responses: {
    200: {
      description: "Now",
      schema: StatusBody,
      example: {
        chain: "demo",
        chain_age_seconds: 0.4,
        slot: 420000000,
        slot_lag: 0,
        stream: STREAM_EXAMPLE,
        refusals: [REFUSAL_EXAMPLE],
        sol_usd: 152.4,
        venues: [{ program: "raydium-cpmm", family: "raydium", kind: "amm" }],
        version: "0.1.0",
      },
    },
  },
  errors: [],
  async handler(_input, { service, markets }) {
    const { chainAgeMs, headSlot, slotLag, stream, refusals, solUsd } = markets.health();
    return {
      body: {
        chain: service.origin,
        chain_age_seconds: chainAgeMs === null ? null : chainAgeMs / 1_000,
        slot: headSlot === null ? null : toNumber(headSlot),
        slot_lag: slotLag,
        stream: streamBody(stream),
        refusals: refusalBodies(refusals),
        sol_usd: solUsd,
        venues: service.venues.map(({ id, family, kind }) => ({
          program: id,
          family: AMM_OF_FAMILY[family],
          kind,
        })),
        version: service.version,
      },
    };
  },
});
