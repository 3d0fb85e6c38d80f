import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { anyId } from "../values.ts";

export const revokeKey = defineOperation({
  method: "delete",
  path: "/api/account/keys/{id}",
  id: "revokeKey",
  tag: "accounts",
  summary: "Revoke a key at once",
  params: Type.Object({ id: anyId("The key's id, not its text") }),
  access: "session",
  responses: { 200: statusResponse("revoked") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, params: { id } }, { users }) {
    if (!(await users.apiKeys.revoke(userId, id)))
      throw new AppError("not_found", { publicMessage: "No such key." });
    return { body: { status: "revoked" } };
  },
});
