import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { TOKEN_PARAMS } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";
import { TOKEN_NOT_FOUND } from "../token-not-found.ts";
import {
  STREAM_DESCRIPTION,
  STREAM_ERRORS,
  STREAM_FIELDS,
  STREAM_OPERATION,
} from "./stream-fields.ts";

export const streamExitability = defineOperation({
  ...STREAM_OPERATION,
  path: "/api/token/{id}/exitability/stream",
  id: "streamExitability",
  summary: "Each new answer of one token, as it happens",
  description: `Costs one query. ${STREAM_DESCRIPTION}`,
  params: TOKEN_PARAMS,
  query: Type.Object(STREAM_FIELDS),
  errors: [...STREAM_ERRORS, "not_found", "chain_unavailable"],
  prepare({ params: { id } }) {
    if (id.mint === null)
      throw new AppError("not_found", { publicMessage: TOKEN_NOT_FOUND.notAnAddress(id.text) });
    return { mints: [id.text], tokens: 1, pages: [id.mint] };
  },
  handler({ question: { mints }, query, ...input }, { tokenStreams }) {
    const { threshold: thresholdPct = null, ...asked } = query;
    const question = {
      ...asked,
      mints,
      thresholdPct,
      isOfOneToken: true,
      language: input.language,
    };
    return tokenStreams.open({ ...input, question });
  },
});
