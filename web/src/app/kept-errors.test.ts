import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { keepErrors } from "./kept-errors.ts";

test("an error stays while its query is read again, until there are data", async (t) => {
  const client = new QueryClient();
  keepErrors(client.getQueryCache());
  const answers = [Promise.reject(new Error("no pool")), Promise.withResolvers<string>()] as const;
  let reads = 0;
  const observer = new QueryObserver(client, {
    queryKey: ["answer"],
    queryFn: () => (reads++ === 0 ? answers[0] : answers[1].promise),
    retry: false,
  });
  t.after(observer.subscribe(() => undefined));
  const failed = await observer.refetch();
  assert.equal(failed.error?.message, "no pool");
  const again = observer.refetch();
  assert.equal(observer.getCurrentResult().isFetching, true);
  assert.equal(observer.getCurrentResult().error?.message, "no pool");
  assert.equal(observer.getCurrentResult().isPending, false);
  answers[1].resolve("a pool");
  const { data, error } = await again;
  assert.deepEqual([data, error], ["a pool", null]);
});
