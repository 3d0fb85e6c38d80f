import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";
import { answerText } from "./json-rpc-server.ts";
import { Ledger } from "./ledger.ts";
import { RpcError } from "./rpc-error.ts";
import { RPC_METHODS } from "./rpc-methods.ts";
import { SubscriptionIndex } from "./subscriptions.ts";

const PROGRAM = testAddress(1);
const ledger = new Ledger({ slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n });
ledger.apply(new Map([[testAddress(2), testAccount(PROGRAM, new Uint8Array(300))]]));
const connection = new SubscriptionIndex(ledger).connect(() => {});

function call(method: string, params: readonly unknown[]): string {
  const subscribed = connection.call(method, params);
  if (subscribed !== null) return subscribed;
  const answer = RPC_METHODS.get(method);
  if (answer === undefined) throw new RpcError(-32601, "Method not found");
  return answer(ledger, params);
}

const METHODS = [
  ...RPC_METHODS.keys(),
  ...["account", "program", "logs", "slot"].flatMap((kind) => [
    `${kind}Subscribe`,
    `${kind}Unsubscribe`,
  ]),
  "noSuchMethod",
];

test("any parameters of any method are answered by a result or by an error of the protocol", () => {
  const oddity = fc.oneof(
    fc.constantFrom<unknown>(PROGRAM, [PROGRAM], { mentions: [PROGRAM] }, "all"),
    fc.jsonValue(),
    fc.record({
      encoding: fc.constantFrom<unknown>("base58", "base64", "base64+zstd", "jsonParsed", 7),
      filters: fc.array(
        fc.record({ dataSize: fc.jsonValue(), memcmp: fc.jsonValue() }, { requiredKeys: [] }),
        { maxLength: 5 },
      ),
      withContext: fc.jsonValue(),
      dataSlice: fc.record({ offset: fc.nat(), length: fc.nat() }),
      minContextSlot: fc.jsonValue(),
      limit: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...METHODS),
      fc.array(oddity, { maxLength: 3 }),
      (method, params) => {
        const text = answerText(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), call);
        const answer = JSON.parse(text ?? "");
        assert.equal(answer.id, 1);
        assert.ok("result" in answer !== "error" in answer, text ?? "");
        assert.notEqual(answer.error?.code, -32603, text ?? "");
      },
    ),
    { numRuns: 1_000 },
  );
});

test("any text is answered in JSON, or not at all", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const answer = answerText(text, call);
      assert.ok(answer === null || typeof JSON.parse(answer) === "object");
    }),
  );
});
