import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { keepErrors } from "./kept-errors.ts";

/** A query whose first read has failed; the second one is answered by the test. */
async function failedQuery(t: TestContext) {
  const client = new QueryClient();
  keepErrors(client.getQueryCache());
  const answer = Promise.withResolvers<string>();
  let reads = 0;
  const observer = new QueryObserver(client, {
    queryKey: ["answer"],
    queryFn: () => (reads++ === 0 ? Promise.reject(new Error("no pool")) : answer.promise),
    retry: false,
  });
  t.after(observer.subscribe(() => undefined));
  const failed = await observer.refetch();
  assert.equal(failed.error?.message, "no pool");
  return { client, observer, answer };
}

test("an error stays while its query is read again, until there are data", async (t) => {
  const { observer, answer } = await failedQuery(t);
  const again = observer.refetch();
  assert.equal(observer.getCurrentResult().isFetching, true);
  assert.equal(observer.getCurrentResult().error?.message, "no pool");
  assert.equal(observer.getCurrentResult().isPending, false);
  answer.resolve("a pool");
  const { data, error } = await again;
  assert.deepEqual([data, error], ["a pool", null]);
});

test("a query that is reset, as at a sign-out, is read again without its error", async (t) => {
  const { client, observer, answer } = await failedQuery(t);
  const again = client.resetQueries();
  assert.equal(observer.getCurrentResult().isFetching, true);
  assert.equal(observer.getCurrentResult().error, null);
  assert.equal(observer.getCurrentResult().isPending, true);
  answer.resolve("a pool");
  await again;
});

test("after a success no earlier error comes back", async (t) => {
  const { client, observer, answer } = await failedQuery(t);
  answer.resolve("a pool");
  await observer.refetch();
  const again = client.resetQueries();
  assert.equal(observer.getCurrentResult().error, null);
  await again;
});
