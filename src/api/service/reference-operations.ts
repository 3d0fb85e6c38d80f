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

const JSON_OBJECT = Type.Object({ name: Type.String() }, { additionalProperties: true });

export const getLlmsText: DocumentedOperation = {
  ...OPEN_OPERATION,
  path: "/llms.txt",
  id: "getLlmsText",
  summary: "What an agent should know first",
  isConditional: true,
  responses: {
    200: {
      description: "Markdown, as llmstxt.org has it",
      schema: Type.String(),
      contentType: "text/plain",
      example: "# Exitability",
    },
  },
  errors: [],
};

export const getServerJson: DocumentedOperation = {
  ...OPEN_OPERATION,
  path: "/server.json",
  id: "getServerJson",
  summary: "The MCP server, for registries",
  isConditional: true,
  responses: {
    200: {
      description: "server.json of the MCP registry",
      schema: JSON_OBJECT,
      example: { name: "com.example/exitability" },
    },
  },
  errors: [],
};

export const getServerCard: DocumentedOperation = {
  ...OPEN_OPERATION,
  path: "/.well-known/mcp.json",
  id: "getServerCard",
  summary: "The MCP server, for clients that look for it",
  isConditional: true,
  responses: {
    200: {
      description: "The server card",
      schema: JSON_OBJECT,
      example: { name: "com.example/exitability" },
    },
  },
  errors: [],
};

/** The path of the earlier drafts; clients look for both. */
export const getServerCardByName: DocumentedOperation = {
  ...getServerCard,
  path: "/.well-known/mcp/server-card.json",
  id: "getServerCardByName",
  summary: "The same card at its other path",
};
