import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { WRITE_ERRORS } from "../operation-parts.ts";
import { countChange } from "./daily-limit.ts";
import { noticeNewKey } from "./notice-new-key.ts";
import { ISSUED_KEY_RESPONSE, issuedKeyBody } from "./user-bodies.ts";

/** A revoked key can be replaced at once; each new key is stored and mailed about. */
const CREATIONS_A_DAY = 20;

export const createKey = defineOperation({
  method: "post",
  path: "/api/account/keys",
  id: "createKey",
  tag: "accounts",
  summary: "Activate access: make the first API key",
  access: "session",
  responses: { 201: ISSUED_KEY_RESPONSE },
  errors: [...WRITE_ERRORS, "duplicate", "rate_limit_exceeded"],
  async handler({ caller: { userId }, reply }, deps) {
    const { users } = deps;
    const creation = { name: "create-key", userId, limit: CREATIONS_A_DAY };
    const giveBack = countChange(deps, creation, reply);
    const issued = await users.apiKeys.activate(userId);
    if (issued === null) {
      giveBack();
      throw new AppError("duplicate", {
        publicMessage: "You have a key already; rotate it to get another.",
      });
    }
    await noticeNewKey(users, userId);
    return { body: issuedKeyBody(issued) };
  },
});
