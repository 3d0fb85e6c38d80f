import Type from "typebox";
import { CAUSE_WORD } from "#src/alerts/delivery/alert-item.ts";
import { EXAMPLE_MINT, EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { OPEN_OPERATION } from "../service/open-operation.ts";
import { AddressText, itemsOf, NullableNumber, nullable, Timestamp, timestamp } from "../values.ts";
import { CauseWord } from "./alert-schema.ts";

const CurrentAlert = Type.Object(
  {
    mint: AddressText,
    token_name: nullable(Type.String()),
    token_symbol: nullable(Type.String()),
    cause: CauseWord,
    started_at: Timestamp,
    c10_before_sol: Type.Number(),
    c10_after_sol: Type.Number(),
    depth_before_sol: NullableNumber,
    depth_after_sol: NullableNumber,
  },
  { $id: "CurrentAlert" },
);

export const listCurrentAlerts = defineOperation({
  ...OPEN_OPERATION,
  path: "/api/alerts/current",
  id: "listCurrentAlerts",
  tag: "token",
  summary: "The tokens that are deteriorating now",
  description:
    "The twelve newest alerts that began within a day and are still on, of the tokens that this service tracks. It does not count.",
  responses: {
    200: {
      description: "The newest first",
      schema: itemsOf(CurrentAlert),
      example: {
        items: [
          {
            mint: EXAMPLE_MINT,
            token_name: "Three Pools",
            token_symbol: "THREE",
            cause: "liquidity-withdrawn",
            started_at: EXAMPLE_TIME,
            c10_before_sol: 12.5,
            c10_after_sol: 3.1,
            depth_before_sol: 240,
            depth_after_sol: 61,
          },
        ],
      },
    },
  },
  errors: [],
  async handler(_input, { feed }) {
    const alerts = await feed.current();
    const items = alerts.map(({ mint, name, symbol, cause, startedAtMs, before, after }) => ({
      mint,
      token_name: name?.toWellFormed() ?? null,
      token_symbol: symbol?.toWellFormed() ?? null,
      cause: CAUSE_WORD[cause] ?? "unknown",
      started_at: timestamp(startedAtMs),
      c10_before_sol: before.c10Sol,
      c10_after_sol: after.c10Sol,
      depth_before_sol: before.depthSol,
      depth_after_sol: after.depthSol,
    }));
    return { body: { items } };
  },
});
