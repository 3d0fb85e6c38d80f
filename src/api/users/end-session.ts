import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { anyId } from "../values.ts";

export const endSession = defineOperation({
  method: "delete",
  path: "/api/account/sessions/{id}",
  id: "endSession",
  tag: "accounts",
  summary: "End one session",
  params: Type.Object({ id: anyId("The session's id") }),
  access: "session",
  responses: { 200: statusResponse("ended") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, params: { id } }, { users }) {
    if (!(await users.signIn.endSession(userId, id)))
      throw new AppError("not_found", { publicMessage: "No such session." });
    return { body: { status: "ended" } };
  },
});
