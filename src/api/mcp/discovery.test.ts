import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp } from "#test/support/api/app.ts";
import { llmsText, serverCard, serverJson } from "./discovery.ts";
import { TOOLS } from "./tools.ts";

const FACTS = { version: "1.2.3", publicUrl: "https://exit.example.com" };
/** What the registry's schema and that of server cards demand. */
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const LONGEST_DESCRIPTION = 100;

test("server.json and the server card name this server, its endpoint and the npm package", () => {
  const [listing, card] = [serverJson(FACTS), serverCard(FACTS)];
  for (const { name, description, version, remotes } of [listing, card]) {
    assert.equal(name, "com.example.exit/exitability");
    assert.match(name, NAME);
    assert.ok(description.length <= LONGEST_DESCRIPTION);
    assert.equal(version, "1.2.3");
    assert.deepEqual(
      remotes.map(({ type, url }) => [type, url]),
      [["streamable-http", "https://exit.example.com/mcp"]],
    );
  }
  assert.match(card.$schema, /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/v1\//);
  const [npm] = listing.packages;
  assert.deepEqual(
    [npm?.identifier, npm?.version, npm?.transport.type],
    ["exitability", "1.2.3", "stdio"],
  );
});

test("a server without a domain has a valid name", () => {
  for (const host of ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"]) {
    const { name } = serverCard({ version: "1.2.3", publicUrl: `http://${host}` });
    assert.equal(name, "local/exitability");
  }
});

test("llms.txt has a title, a summary, and only links to what the service serves", async (t) => {
  await oneApp(t, async ({ send }) => {
    const { body, headers } = await send("GET", "/llms.txt");
    assert.match(String(headers["content-type"]), /^text\/plain/);
    assert.match(body, /^# Exitability\n\n> Whether a Solana token/);
    for (const { name } of TOOLS) assert.ok(body.includes(`- ${name}: `), name);
    const links = [...body.matchAll(/\]\(([^)]+)\): /g)].map(([, url = ""]) => new URL(url));
    assert.ok(links.length >= 8);
    for (const { pathname } of links) {
      // The page of the method belongs to the dashboard, which this app does not have.
      if (pathname === "/method") continue;
      const found = await send(pathname === "/mcp" ? "POST" : "GET", pathname);
      assert.ok(![404, 405].includes(found.statusCode), pathname);
    }
    for (const path of ["/server.json", "/.well-known/mcp.json"]) {
      const document = await send("GET", path);
      assert.equal(document.statusCode, 200);
      assert.match(document.json().name, NAME);
    }
  });
});

test("llms.txt names the service's own address", () => {
  const text = llmsText({ publicUrl: FACTS.publicUrl, tools: [] });
  assert.ok(text.includes("(https://exit.example.com/openapi.json)"));
});
