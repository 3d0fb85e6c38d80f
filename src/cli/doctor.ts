import { parseArgs } from "node:util";
import { type ChainConfig, readConfig } from "#src/app/config.ts";
import { hostOf } from "#src/chain/chain-logger.ts";
import { MAINNET_GENESIS } from "#src/chain/mainnet-genesis.ts";
import {
  type NodeProbe,
  type ProbeOptions,
  type ProbeResult,
  probeNode,
} from "#src/chain/probe-node.ts";
import { systemClock } from "#src/platform/clock.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { formatTable, type Output, UsageError } from "./output.ts";

const FOREIGN = "the chain is another than the first node's: the service does not use this node";
const SLOW_SEARCH_MS = 3_000;
/** Calls of a first answer, and searches among them where the node serves them (npm run providers). */
const CALLS_OF_ANSWER = 12;

/** Tries what the service needs of each configured node; 1: the service can't work with one of them. */
export async function doctor(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean" } } });
  const { chain } = readConfig(process.env);
  if (chain.kind !== "rpc") throw new UsageError("set SOLANA_RPC_URL to the nodes to be examined");
  const [mint = null] = someAddresses(1);
  const searches = VENUES.flatMap((venue) => {
    const [filter] = mint === null ? [] : venue.search(mint, null).filters;
    return filter === undefined ? [] : [{ name: venue.id, filter }];
  });
  const addresses = someAddresses(100);
  const probe = (urls: NodeUrls) => probeNode({ ...urls, clock: systemClock, searches, addresses });
  let areUsable = true;
  let separator = "";
  for await (const { probe: found, ...examined } of examineNodes(chain, probe)) {
    const { host, address, addresses: count, problems, isUsable } = examined;
    areUsable &&= isUsable;
    if (values.json === true) {
      output.out(JSON.stringify({ host, address, ...found, problems, isUsable }));
    } else {
      const name = count === 1 ? host : `${host} (address ${address} of ${count})`;
      output.out(`${separator}${reportOf(name, found, problems)}`);
      separator = "\n";
    }
  }
  return areUsable ? 0 : 1;
}

type NodeUrls = Pick<ProbeOptions, "httpUrl" | "wsUrl">;

type ExaminedNode = {
  readonly host: string;
  /** Its place in SOLANA_RPC_URL, from 1 on: several addresses may have one host. */
  readonly address: number;
  readonly addresses: number;
  readonly probe: NodeProbe;
  readonly problems: readonly string[];
  /** Whether the service can work with the node, and would. */
  readonly isUsable: boolean;
};

/** Examines the nodes one after the other: their addresses may be of one plan. */
export async function* examineNodes(
  { httpUrl, wsUrl, fallbackUrls = [] }: Omit<ChainConfig & { readonly kind: "rpc" }, "kind">,
  probeOf: (urls: NodeUrls) => Promise<NodeProbe>,
): AsyncGenerator<ExaminedNode> {
  let genesis: string | null = null;
  const urls = [httpUrl, ...fallbackUrls];
  for (const [place, url] of urls.entries()) {
    // Only the first node is subscribed to.
    const probe = await probeOf({ httpUrl: url, wsUrl: place === 0 ? wsUrl : null });
    genesis ??= probe.genesis;
    const isForeign = probe.genesis !== null && probe.genesis !== genesis;
    const problems = [...(isForeign ? [FOREIGN] : []), ...problemsOf(probe)];
    const names = { host: hostOf(url), address: place + 1, addresses: urls.length };
    yield { ...names, probe, problems, isUsable: probe.reads === "ok" && !isForeign };
  }
}

/** What will not work with this node, one sentence each. */
export function problemsOf(probe: NodeProbe): readonly string[] {
  const { genesis, searches, calls, subscriptions } = probe;
  const problems: string[] = [];
  const isRefused = ({ outcome }: ProbeResult): boolean =>
    outcome === "refused" || outcome === "failed";
  if (genesis === null) problems.push("the chain is unknown: getGenesisHash got no reply");
  else if (genesis !== MAINNET_GENESIS) problems.push("the chain is not Solana mainnet");
  const read = readProblem(probe);
  if (read !== null) problems.push(read);
  const refused = searches.filter(isRefused).map(({ what }) => what);
  if (refused.length > 0) {
    problems.push(
      `pools of ${refused.join(", ")} can't be searched: they are found by derived addresses and holders, and answers name the gap`,
    );
  }
  const slow = searches.filter(({ ms, outcome }) => outcome === "ok" && ms > SLOW_SEARCH_MS);
  if (slow.length > 0) problems.push("searches take seconds: first answers are completed later");
  if (searches.some(({ outcome }) => outcome === "rate-limited")) {
    problems.push("four searches a second are over the rate: they are spaced further");
  }
  for (const { what, outcome, reason } of [...calls, ...subscriptions]) {
    if (outcome === "ok" || what.startsWith("getMultipleAccounts")) continue;
    if (outcome === "rate-limited") {
      problems.push(`${what} is over the node's rate limit: whether it is served is unknown`);
    } else if (what !== "getProgramAccountsV2") {
      const why = reason ?? "no reason";
      problems.push(`${what} is not served (${why}): ${CONSEQUENCES[what] ?? ""}`);
    }
  }
  return problems;
}

function readProblem({ reads, accountsPerRead }: NodeProbe): string | null {
  if (reads === "refused") return "accounts can't be read: no token can be answered";
  if (reads === "rate-limited") {
    return "accounts can't be read because of the node's rate limit: no token can be answered until it ends";
  }
  if (accountsPerRead === null) {
    return "a read was over the node's rate limit: how many accounts one read may have is unknown; run doctor again later";
  }
  if (accountsPerRead >= 100) return null;
  return `one read has at most ${accountsPerRead} accounts: first answers take more calls`;
}

const CONSEQUENCES: Readonly<Record<string, string>> = {
  getTokenLargestAccounts: "pools are not found by holders",
  getSignaturesForAddress: "pools are not found by their vaults",
  slotSubscribe: "no sign of life between changes",
  accountSubscribe: "prices are polled every 15 s; is SOLANA_WS_URL right?",
  logsSubscribe: "swaps are not compared with the model",
  programSubscribe: "new pools are found by the next search",
};

/** The report as text: every call, or one sentence if none of them got an answer. */
export function reportOf(name: string, probe: NodeProbe, problems: readonly string[]): string {
  const tried = [...probe.calls, ...probe.searches, ...probe.subscriptions];
  if (probe.genesis === null && tried.every(({ outcome }) => outcome === "failed")) {
    const reason = tried[0]?.reason ?? "no reason";
    return `Node ${name} answers nothing: ${reason}. Correct SOLANA_RPC_URL, or start the node.`;
  }
  const row = ({ what, outcome, ms, reason }: ProbeResult) => [what, outcome, ms, reason ?? ""];
  const v2 = probe.calls.find(({ what }) => what === "getProgramAccountsV2");
  const hasV2 = v2?.outcome === "ok";
  const searches = hasV2 ? "getProgramAccountsV2" : "getProgramAccounts";
  return [
    `Node ${name}, genesis ${probe.genesis ?? "unknown"}`,
    "",
    formatTable([
      ["call", "outcome", "ms", "reason"],
      ...[...probe.calls, ...probe.subscriptions].map(row),
      ...probe.searches.map((search) => row({ ...search, what: `search of ${search.what}` })),
    ]),
    "",
    `Cost: about ${CALLS_OF_ANSWER} calls a first answer, and ${probe.searches.length * 2} ${searches} where the node serves them.`,
    "",
    problems.length === 0 ? "Everything works with this node." : "What will not work:",
    ...problems.map((problem) => `- ${problem}`),
  ].join("\n");
}

/** Distinct addresses at which there is nothing. */
function someAddresses(count: number): readonly Address[] {
  return Array.from({ length: count }, (_, index) =>
    addressFromBytes(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? index + 1 : 171))),
  );
}
