import Type from "typebox";
import { parseAddress } from "#src/units/address.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { fromText, readAs } from "../values.ts";
import {
  COST,
  STREAM_DESCRIPTION,
  STREAM_ERRORS,
  STREAM_FIELDS,
  STREAM_OPERATION,
} from "./stream-fields.ts";
import { LONGEST_MINT_TEXT, MOST_MINTS } from "./token-outcome.ts";

const DEFAULT_THRESHOLD_PCT = 0.1;
const MINT_TEXT = `[^,]{1,${LONGEST_MINT_TEXT}}`;

export const streamMany = defineOperation({
  ...STREAM_OPERATION,
  path: "/api/stream",
  id: "streamMany",
  summary: "The changes of up to a hundred tokens, as they happen",
  description: `${COST} ${STREAM_DESCRIPTION} threshold defaults to ${DEFAULT_THRESHOLD_PCT}.`,
  query: Type.Object({
    ...STREAM_FIELDS,
    mints: readAs(
      Type.String({
        pattern: `^${MINT_TEXT}(,${MINT_TEXT}){0,${MOST_MINTS - 1}}$`,
        description: "1 to 100 mint addresses, with commas between",
        example: EXAMPLE_MINT,
      }),
      fromText(readMints),
      `mints must be 1 to ${MOST_MINTS} addresses, with commas.`,
    ),
  }),
  errors: STREAM_ERRORS,
  prepare: ({ query: { mints } }) => ({
    tokens: mints.length,
    // The dashboard follows the tokens of all its open pages in one stream.
    pages: mints.map((mint) => parseAddress(mint)),
  }),
  handler({ query, ...input }, { tokenStreams }) {
    const { threshold: thresholdPct = DEFAULT_THRESHOLD_PCT, ...asked } = query;
    const question = { ...asked, thresholdPct, isOfOneToken: false, language: input.language };
    return tokenStreams.open({ ...input, question });
  },
});

/** A text that is not an address has its own outcome, up to the length that a batch accepts. */
function readMints(text: string): readonly string[] | null {
  const mints = [...new Set(text.split(","))];
  const fits = mints.every((mint) => mint.length > 0 && mint.length <= LONGEST_MINT_TEXT);
  return fits && mints.length <= MOST_MINTS ? mints : null;
}
