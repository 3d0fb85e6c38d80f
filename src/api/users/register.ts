import { defineOperation } from "../operation.ts";
import { codeRequest } from "./code-request.ts";

export const register = defineOperation({
  ...codeRequest("registered"),
  path: "/api/oracle/register",
  id: "register",
  summary: "Mail a sign-in code; its first use makes a free account",
  description: "The same answer for known and unknown addresses. It never holds a key.",
});
