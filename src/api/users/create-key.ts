import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { WRITE_ERRORS } from "../operation-parts.ts";
import { noticeNewKey } from "./notice-new-key.ts";
import { ISSUED_KEY_RESPONSE, issuedKeyBody } from "./user-bodies.ts";

export const createKey = defineOperation({
  method: "post",
  path: "/api/account/keys",
  id: "createKey",
  tag: "accounts",
  summary: "Activate access: make the first API key",
  access: "session",
  responses: { 201: ISSUED_KEY_RESPONSE },
  errors: [...WRITE_ERRORS, "duplicate"],
  async handler({ caller: { userId } }, { users }) {
    const issued = await users.apiKeys.activate(userId);
    if (issued === null)
      throw new AppError("duplicate", {
        publicMessage: "You have a key already; rotate it to get another.",
      });
    await noticeNewKey(users, userId);
    return { body: issuedKeyBody(issued) };
  },
});
