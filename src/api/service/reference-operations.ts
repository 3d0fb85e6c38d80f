import Type from "typebox";
import type { DocumentedOperation } from "../operation.ts";
import { OPEN_OPERATION } from "./open-operation.ts";

/** The reference itself: reference.ts registers its routes, since they need all operations. */

export const getOpenapi: DocumentedOperation = {
  ...OPEN_OPERATION,
  path: "/openapi.json",
  id: "getOpenapi",
  summary: "This document",
  isConditional: true,
  responses: {
    200: {
      description: "OpenAPI 3.1",
      schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      example: { openapi: "3.1.0" },
    },
  },
  errors: [],
};

export const getDocs: DocumentedOperation = {
  ...OPEN_OPERATION,
  isOpenToPages: false,
  path: "/docs",
  id: "getDocs",
  summary: "This reference as a page",
  isConditional: true,
  responses: {
    200: {
      description: "The page",
      schema: Type.String(),
      contentType: "text/html",
      example: "<!doctype html>",
    },
  },
  errors: [],
};
