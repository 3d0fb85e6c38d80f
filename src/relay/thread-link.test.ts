import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { closeAfter } from "#test/support/ending.ts";
import { ThreadLink } from "./thread-link.ts";

/** The two ends of a link. */
function ends(t: TestContext): readonly [ThreadLink, ThreadLink] {
  const { port1, port2 } = new MessageChannel();
  const links = [new ThreadLink(port1), new ThreadLink(port2)] as const;
  closeAfter(t, () => {
    for (const link of links) link.close();
  });
  return links;
}

/** Resolves with everything that arrives on the topics, once `count` messages have. */
function received(link: ThreadLink, topics: readonly string[], count: number) {
  const all = Promise.withResolvers<readonly string[]>();
  const texts: string[] = [];
  for (const topic of topics) {
    link.subscribe(topic, (text) => {
      texts.push(`${topic} ${text}`);
      if (texts.length === count) all.resolve(texts);
    });
  }
  return all.promise;
}

test("messages sent before the other thread starts arrive in order", async (t) => {
  const [here, there] = ends(t);
  await here.publish("a", "1");
  await here.publishSharded("b", "2");
  await here.publish("a", "3");
  const all = received(there, ["a", "b"], 3);
  there.start();
  assert.deepEqual(await all, ["a 1", "b 2", "a 3"]);
});

test("many messages at once arrive in order, also those before the end", async (t) => {
  const [here, there] = ends(t);
  const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
  const all = received(there, ["a"], texts.length);
  there.start();
  for (const text of texts) void here.publish("a", text);
  here.close();
  assert.deepEqual(
    await all,
    texts.map((text) => `a ${text}`),
  );
});

test("a topic that was unsubscribed receives nothing, and others go on", async (t) => {
  const [here, there] = ends(t);
  const texts: string[] = [];
  const unsubscribe = there.subscribeSharded("a", (text) => texts.push(text));
  const rest = received(there, ["b"], 1);
  unsubscribe();
  there.start();
  await here.publish("a", "1");
  await here.publish("b", "2");
  await rest;
  assert.deepEqual(texts, []);
});

test("the number of receivers is unknown, and the link is connected from the start", async (t) => {
  const [here] = ends(t);
  assert.equal(await here.publishSharded("a", "1"), null);
  let connections = 0;
  here.onRestored(() => connections++);
  assert.equal(connections, 1);
});
