import { type Address, address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { eventually } from "#test/support/eventually.ts";
import type { Chain } from "./chain.ts";
import type { RealNode } from "./surfpool.ts";
import { signedTransaction } from "./transaction.ts";

const CONFIRMED_WITHIN_MS = 10_000;
export const PROCESSED = { encoding: "base64", commitment: "processed" };

type AccountRead = {
  readonly value: {
    readonly lamports: number;
    readonly owner: string;
    readonly data: readonly [string, string];
  } | null;
};

/** A node as the chain that the programs run on. */
export function nodeChain({ net, call, setAccount }: RealNode): Chain {
  return {
    deploy: (programId, code) => net.deploy({ programId, soBytes: [...code] }),
    fund: (owner, lamports) => net.fundSol(owner, Number(lamports)),
    setAccount: (at, account) => setAccount({ address: at, ...account }),
    account: async (at) => {
      const { value } = await call<AccountRead>("getAccountInfo", [at, PROCESSED]);
      if (value === null) return null;
      return {
        owner: address(value.owner),
        lamports: BigInt(value.lamports),
        data: Buffer.from(value.data[0], "base64"),
      };
    },
    execute: async (instructions, signers) => {
      const { value } = await call<{ value: { blockhash: string } }>("getLatestBlockhash", [
        PROCESSED,
      ]);
      const { signature, base64 } = signedTransaction(instructions, signers, value.blockhash);
      await call("sendTransaction", [base64, { encoding: "base64", skipPreflight: true }]);
      const { slot, err } = await eventually(
        "a confirmed transaction",
        async () => {
          const { value: statuses } = await call<{
            value: readonly ({ slot: number; err: unknown } | null)[];
          }>("getSignatureStatuses", [[signature]]);
          return statuses[0] ?? null;
        },
        CONFIRMED_WITHIN_MS,
      );
      if (err !== null) return { kind: "failed", reason: JSON.stringify(err) };
      return { kind: "done", slot, signature };
    },
  };
}

/** What the transaction paid the owner, in lamports: SOL and WSOL together. */
export async function paidLamports(
  { call }: RealNode,
  signature: string,
  owner: Address,
): Promise<bigint> {
  const { meta, transaction } = await call<ExecutedTransaction>("getTransaction", [
    signature,
    { encoding: "json", commitment: "confirmed", maxSupportedTransactionVersion: 0 },
  ]);
  const place = transaction.message.accountKeys.indexOf(owner);
  const wallet = BigInt(meta.postBalances[place] ?? 0) - BigInt(meta.preBalances[place] ?? 0);
  const wrapped = (balances: readonly TokenBalance[]) =>
    balances
      .filter((balance) => balance.mint === WSOL && balance.owner === owner)
      .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
  return wallet + wrapped(meta.postTokenBalances) - wrapped(meta.preTokenBalances);
}

type TokenBalance = {
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
};

type ExecutedTransaction = {
  readonly meta: {
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly TokenBalance[];
    readonly postTokenBalances: readonly TokenBalance[];
  };
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
};
