import { type Address, addressFromBytes } from "#src/units/address.ts";
import { base58Encode } from "#src/units/base58.ts";
import type { NamedAccounts, ObservedInstruction, ObservedTransaction } from "../chain-source.ts";
import { parseU64 } from "../rpc/parse-u64.ts";
import { type StatedBalance, tokenAmountsOf } from "../rpc/token-amounts.ts";
import type { UndecodedTransaction } from "../undecoded-transaction.ts";

const ADDRESS_BYTES = 32;

/** Whether the transaction names one of these accounts. Where none may occur in it, it is not decoded. */
export function namesAny(streamed: UndecodedTransaction, named: NamedAccounts): boolean {
  if (named.size === 0 || !named.mayOccurIn(streamed.bytes)) return false;
  const info = streamed.message?.transaction;
  const lists = [
    info?.transaction?.message?.accountKeys,
    info?.meta?.loadedWritableAddresses,
    info?.meta?.loadedReadonlyAddresses,
  ];
  return lists.some((keys) =>
    keys?.some(
      (bytes) =>
        bytes.length === ADDRESS_BYTES &&
        named.mayHave(bytes) &&
        named.has(addressFromBytes(bytes)),
    ),
  );
}

/** A successful transaction; null: it failed, or the message is malformed. */
export function transactionOf({ message }: UndecodedTransaction): ObservedTransaction | null {
  const info = message?.transaction;
  const slot = parseU64(message?.slot);
  const meta = info?.meta;
  const body = info?.transaction?.message;
  if (slot === null || info === undefined || meta === undefined || body === undefined) return null;
  if (meta.err !== undefined) return null;
  const addressBytes = [
    ...body.accountKeys,
    ...meta.loadedWritableAddresses,
    ...meta.loadedReadonlyAddresses,
  ];
  if (addressBytes.some((bytes) => bytes.length !== ADDRESS_BYTES)) return null;
  const addresses = addressBytes.map((bytes) => addressFromBytes(bytes));
  const instructions: ObservedInstruction[] = [];
  for (const [outerIndex, outer] of body.instructions.entries()) {
    const group = meta.innerInstructions.find(({ index }) => index === outerIndex);
    for (const raw of [outer, ...(group?.instructions ?? [])]) {
      const instruction = instructionOf(raw, addresses);
      if (instruction === null) return null;
      instructions.push(instruction);
    }
  }
  const [feePayer] = addresses;
  return {
    signature: base58Encode(info.signature),
    slot,
    logs: meta.logMessages,
    ...(feePayer === undefined ? {} : { feePayer }),
    tokenAmounts: tokenAmountsOf(addresses, {
      before: meta.preTokenBalances.map(statedBalance),
      after: meta.postTokenBalances.map(statedBalance),
    }),
    instructions: meta.innerInstructionsNone ? null : instructions,
  };
}

type RawBalance = {
  readonly accountIndex: number;
  readonly uiTokenAmount?: { readonly amount: string } | undefined;
};

function statedBalance({ accountIndex, uiTokenAmount }: RawBalance): StatedBalance {
  return { accountIndex, amount: uiTokenAmount?.amount };
}

type RawInstruction = {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
};

function instructionOf(
  raw: RawInstruction,
  addresses: readonly Address[],
): ObservedInstruction | null {
  const programId = addresses[raw.programIdIndex];
  const accounts = Array.from(raw.accounts, (index) => addresses[index]);
  if (programId === undefined || !accounts.every((found) => found !== undefined)) return null;
  return { programId, accounts, data: raw.data };
}
