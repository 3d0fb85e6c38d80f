import Type from "typebox";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText } from "../values.ts";
import { OPEN_OPERATION } from "./open-operation.ts";
import { ChainWord } from "./service-facts.ts";

const ExamplesBody = Type.Object(
  {
    chain: ChainWord,
    tokens: Type.Array(
      Type.Object({
        mint: AddressText,
        name: Type.String(),
        symbol: Type.String(),
        story: Type.Object({ es: Type.String(), en: Type.String() }),
      }),
    ),
  },
  { $id: "Examples" },
);

export const getExamples = defineOperation({
  ...OPEN_OPERATION,
  path: "/api/examples",
  id: "getExamples",
  summary: "The demo market's named tokens",
  description: "Empty on any other chain.",
  responses: {
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
  errors: [],
  async handler(_input, { service }) {
    const tokens = service.examples().map(({ mint, name, symbol, story }) => ({
      mint,
      name,
      symbol,
      story,
    }));
    return { body: { chain: service.origin, tokens } };
  },
});
