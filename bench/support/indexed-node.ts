import { accountText } from "#src/node/account-json.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { createLocalNode, type LocalNode } from "#src/node/node.ts";
import { RPC_METHODS, type RpcMethod, withContext } from "#src/node/rpc-methods.ts";
import {
  accountConfigParam,
  addressParam,
  configParam,
  numberParam,
} from "#src/node/rpc-params.ts";
import { addressBytes } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import { compareBigints } from "#src/units/integer.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { AccountIndex } from "./account-index.ts";

/** The number of holders that a node lists for a mint. */
const MAX_LARGEST = 20;

/** The local node, but it finds pools and holders by an index: its own methods scan every account of a program. */
export function createIndexedNode(ledger: Ledger): {
  readonly node: LocalNode;
  readonly index: AccountIndex;
  /** Calls by method since the last call. */
  readonly takeCalls: () => Readonly<Record<string, number>>;
} {
  const index = new AccountIndex(ledger);
  let calls: Record<string, number> = {};
  const indexed: Readonly<Record<string, RpcMethod>> = {
    getProgramAccounts: (of, params) => search(index, of, params),
    getTokenLargestAccounts: (of, params) => largest(index, of, params),
  };
  const counted = [...RPC_METHODS].map(([name, method]): [string, RpcMethod] => [
    name,
    (of, params) => {
      calls[name] = (calls[name] ?? 0) + 1;
      return (indexed[name] ?? method)(of, params);
    },
  ]);
  const takeCalls = (): Readonly<Record<string, number>> => {
    const taken = calls;
    calls = {};
    return taken;
  };
  return { node: createLocalNode({ ledger, methods: new Map(counted) }), index, takeCalls };
}

function search(
  index: AccountIndex,
  ledger: Ledger,
  [program, options]: readonly unknown[],
): string {
  const { encoding, dataSlice } = accountConfigParam(options);
  const { filters, withContext: wantsContext } = configParam(options);
  const filter = filterOf(addressParam(program), filters);
  const texts = index.find(filter).flatMap((address) => {
    const account = ledger.get(address);
    const text = account && accountText(account, encoding, dataSlice);
    return text === null ? [] : [`{"pubkey":"${address}","account":${text}}`];
  });
  const list = `[${texts.join(",")}]`;
  return wantsContext === true ? withContext(ledger.clock.slot, list) : list;
}

/** As the local node's, of the accounts that the index has for the mint. */
function largest(index: AccountIndex, ledger: Ledger, [pubkey]: readonly unknown[]): string {
  const mint = addressParam(pubkey);
  const account = ledger.get(mint);
  const decimals = decodeMint(account)?.decimals ?? 0;
  const programId = account?.owner ?? TOKEN_PROGRAM;
  const filter = { programId, dataSize: null, memcmp: [{ offset: 0, bytes: mint }] };
  const held = index.find(filter).flatMap((address) => {
    const amount = tokenBalance(ledger.get(address));
    return amount === null ? [] : [{ address, amount }];
  });
  const texts = held
    .toSorted((a, b) => compareBigints(b.amount, a.amount))
    .slice(0, MAX_LARGEST)
    .map(({ address, amount }) => {
      const uiAmount = Number(amount) / 10 ** decimals;
      const uiAmountString = String(uiAmount);
      return JSON.stringify({
        address,
        amount: String(amount),
        decimals,
        uiAmount,
        uiAmountString,
      });
    });
  return withContext(ledger.clock.slot, `[${texts.join(",")}]`);
}

function filterOf(programId: ProgramFilter["programId"], value: unknown): ProgramFilter {
  const filters = Array.isArray(value) ? value.map(configParam) : [];
  const size = filters.find(({ dataSize }) => dataSize !== undefined)?.["dataSize"];
  return {
    programId,
    dataSize: size === undefined ? null : numberParam(size),
    memcmp: filters.flatMap(({ memcmp }) => {
      if (memcmp === undefined) return [];
      const { offset, bytes, encoding } = configParam(memcmp);
      return [{ offset: numberParam(offset), bytes: bytesOf(String(bytes), encoding) }];
    }),
  };
}

function bytesOf(text: string, encoding: unknown): Uint8Array {
  if (encoding === "base64") return Buffer.from(text, "base64");
  return addressBytes(text) ?? base58Decode(text) ?? new Uint8Array(0);
}
