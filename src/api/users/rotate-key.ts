import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { WRITE_ERRORS } from "../operation-parts.ts";
import { countChange } from "./daily-limit.ts";
import { noticeNewKey } from "./notice-new-key.ts";
import { ISSUED_KEY_RESPONSE, issuedKeyBody } from "./user-bodies.ts";

const ROTATIONS_A_DAY = 20;

export const rotateKey = defineOperation({
  method: "post",
  path: "/api/account/keys/rotate",
  id: "rotateKey",
  tag: "accounts",
  summary: "Make another key; the old one works 24 hours more",
  access: "session",
  responses: { 201: ISSUED_KEY_RESPONSE },
  errors: [...WRITE_ERRORS, "not_found", "rate_limit_exceeded"],
  async handler({ caller: { userId }, reply }, deps) {
    const { users } = deps;
    const rotation = { name: "rotate-key", userId, limit: ROTATIONS_A_DAY };
    const giveBack = countChange(deps, rotation, reply);
    const issued = await users.apiKeys.rotate(userId);
    if (issued === null) {
      giveBack();
      throw new AppError("not_found", {
        publicMessage: "You have no key to rotate; activate access first.",
      });
    }
    await noticeNewKey(users, userId);
    return { body: issuedKeyBody(issued) };
  },
});
