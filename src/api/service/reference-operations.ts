import Type from "typebox";
import type { DocumentedOperation } from "../operation.ts";
import { OPEN_OPERATION } from "./open-operation.ts";

/** The reference itself: reference.ts registers its routes, since they need all operations. */
const DOCUMENT = { ...OPEN_OPERATION, isConditional: true, errors: [] } as const;

export const getOpenapi: DocumentedOperation = {
  ...DOCUMENT,
  path: "/openapi.json",
  id: "getOpenapi",
  summary: "This document",
  responses: {
    200: {
      description: "OpenAPI 3.1",
      schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      example: { openapi: "3.1.0" },
    },
  },
};

export const getDocs: DocumentedOperation = {
  ...DOCUMENT,
  isOpenToPages: false,
  path: "/docs",
  id: "getDocs",
  summary: "This reference as a page",
  responses: {
    200: {
      description: "The page",
      schema: Type.String(),
      contentType: "text/html",
      example: "<!doctype html>",
    },
  },
};

const JSON_OBJECT = Type.Object({ name: Type.String() }, { additionalProperties: true });

export const getLlmsText: DocumentedOperation = {
  ...DOCUMENT,
  path: "/llms.txt",
  id: "getLlmsText",
  summary: "What an agent should know first",
  responses: {
    200: {
      description: "Markdown, as llmstxt.org has it",
      schema: Type.String(),
      contentType: "text/plain",
      example: "# Exitability",
    },
  },
};

export const getServerJson: DocumentedOperation = {
  ...DOCUMENT,
  path: "/server.json",
  id: "getServerJson",
  summary: "The MCP server, for registries",
  responses: {
    200: {
      description: "server.json of the MCP registry",
      schema: JSON_OBJECT,
      example: { name: "com.example/exitability" },
    },
  },
};

export const getServerCard: DocumentedOperation = {
  ...DOCUMENT,
  path: "/.well-known/mcp.json",
  id: "getServerCard",
  summary: "The MCP server, for clients that look for it",
  responses: {
    200: {
      description: "The server card",
      schema: JSON_OBJECT,
      example: { name: "com.example/exitability" },
    },
  },
};

/** The path of the earlier drafts; clients look for both. */
export const getServerCardByName: DocumentedOperation = {
  ...getServerCard,
  path: "/.well-known/mcp/server-card.json",
  id: "getServerCardByName",
  summary: "The same card at its other path",
};
