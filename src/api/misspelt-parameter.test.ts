import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp } from "#test/support/api/app.ts";
import { misspeltParameter } from "./misspelt-parameter.ts";
import { OPERATIONS } from "./operations.ts";
import { codeOfField } from "./plugins/errors.ts";

const PARAMETERS = ["profile", "size", "at_slot", "max_cost", "detail", "id"];

test("a name close to a parameter is misspelt: letters lost, added, replaced, swapped, or another case", () => {
  const cases = {
    profle: "profile",
    proffile: "profile",
    porfile: "profile",
    prfole: "profile",
    siz: "size",
    sizes: "size",
    siez: "size",
    atslot: "at_slot",
    slot: "at_slot",
    maxCost: "max_cost",
    "max-cost": "max_cost",
    max_costs: "max_cost",
    detial: "detail",
    Profile: "profile",
    ID: "id",
  };
  for (const [sent, meant] of Object.entries(cases))
    assert.deepEqual(misspeltParameter([sent], PARAMETERS), { sent, meant });
});

test("other unknown names are of no concern, and a parameter that was sent is not meant again", () => {
  for (const sent of ["utm_source", "_", "t", "v", "ref", "file", "is", "i", "x".repeat(99)])
    assert.equal(misspeltParameter([sent], PARAMETERS), null, sent);
  assert.equal(misspeltParameter(["size", "side"], PARAMETERS), null);
  assert.equal(misspeltParameter(["size", "detail"], ["size", "detail"]), null);
});

test("a misspelt parameter is 400 with the code of the one that is meant, and costs nothing", async (t) => {
  await oneApp(t, async ({ send }) => {
    const refused = {
      "profle=pro": ["invalid_profile", "There is no parameter profle; did you mean profile?"],
      "siz=5": ["invalid_size", "There is no parameter siz; did you mean size?"],
      "atSlot=1": ["invalid_body", "There is no parameter atSlot; did you mean at_slot?"],
    };
    const url = `/api/token/${"1".repeat(31)}2/exitability`;
    for (const [query, [error, message]] of Object.entries(refused)) {
      const response = await send("GET", `${url}?${query}`);
      assert.equal(response.statusCode, 400, query);
      assert.deepEqual(response.json(), { error, message });
      assert.equal(response.headers["x-ratelimit-remaining"], "5", query);
    }
    const other = await send("GET", `${url}?utm_source=mail&_=1`);
    assert.notEqual(other.statusCode, 400, "unknown names are ignored");
  });
});

test("a parameter that is given several times is 400 with its own code, and the message has the count", async (t) => {
  await oneApp(t, async ({ send }) => {
    const refused = {
      "size=5&size=5": ["invalid_size", "size was given 2 times: give it once."],
      "profile=pro&size=1&profile=pro&profile=pro": [
        "invalid_profile",
        "profile was given 3 times: give it once.",
      ],
    };
    const url = `/api/token/${"1".repeat(31)}2/exitability`;
    for (const path of [url, `${url}/at`])
      for (const [query, [error, message]] of Object.entries(refused)) {
        const response = await send("GET", `${path}?${query}`);
        assert.equal(response.statusCode, 400, query);
        assert.deepEqual(response.json(), { error, message });
      }
    assert.notEqual((await send("GET", `${url}?utm=a&utm=b`)).statusCode, 400);
  });
});

test("a misspelt field of a body is ignored like every unknown field", async (t) => {
  await oneApp(t, async ({ send }) => {
    const payload = { email: "ana@example.com", orign: "page" };
    assert.equal((await send("POST", "/api/oracle/waitlist", { payload })).statusCode, 201);
  });
});

test("each operation documents the code of each parameter that may be misspelt", () => {
  for (const { id, query, errors } of OPERATIONS)
    for (const name of Object.keys(query?.properties ?? {}))
      assert.ok(errors.includes(codeOfField(name, "text")), `${id} ${name}`);
});
