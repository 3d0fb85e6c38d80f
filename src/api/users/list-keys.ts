import { defineOperation } from "../operation.ts";
import { listResponse } from "../operation-parts.ts";
import { ApiKeyItem, apiKeyBody, KEY_EXAMPLE } from "./user-bodies.ts";

export const listKeys = defineOperation({
  method: "get",
  path: "/api/account/keys",
  id: "listKeys",
  tag: "accounts",
  summary: "The account's API keys, without their text",
  access: "session",
  responses: { 200: listResponse(ApiKeyItem, KEY_EXAMPLE) },
  errors: ["unauthorized"],
  async handler({ caller: { userId } }, { users, clock }) {
    const keys = await users.apiKeys.list(userId);
    return { body: { items: keys.map((key) => apiKeyBody(key, clock.nowMs())) } };
  },
});
