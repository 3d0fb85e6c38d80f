import { defineOperation } from "../operation.ts";
import { codeRequest } from "./code-request.ts";

export const requestCode = defineOperation({
  ...codeRequest("code_sent"),
  path: "/api/auth/code",
  id: "requestCode",
  summary: "Have a sign-in code mailed",
});
