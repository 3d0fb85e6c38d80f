import type { Address } from "#src/units/address.ts";
import { base58Encode } from "#src/units/base58.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Instruction } from "#src/venues/program-run.ts";
import type { LedgerTransaction } from "./ledger.ts";

/** The fee of a signature, lamports. */
const FEE = 5_000;
const NO_AMOUNTS: NonNullable<LedgerTransaction["tokenAmounts"]> = new Map();

/** A transaction as getTransaction returns it in encoding "json", without the balances in lamports. */
export function transactionText(transaction: LedgerTransaction): string {
  const { feePayer, instruction, inner, tokenAmounts = NO_AMOUNTS } = transaction;
  const named = [instruction, ...inner].flatMap(addressesOf);
  const accountKeys = [...new Set([feePayer, ...named, ...tokenAmounts.keys()])] as const;
  const indexes = new Map(accountKeys.map((address, index) => [address, index]));
  const printed = (one: Instruction, stackHeight: number | null) => ({
    programIdIndex: indexes.get(one.programId),
    accounts: one.accounts.map((address) => indexes.get(address)),
    data: base58Encode(one.data),
    stackHeight,
  });
  const innerInstructions =
    inner.length === 0
      ? []
      : [{ index: 0, instructions: inner.map((nested) => printed(nested, 2)) }];
  const balances = (side: "before" | "after") =>
    [...tokenAmounts].flatMap(([address, { mint, [side]: amount }]) =>
      amount === null
        ? []
        : [
            {
              accountIndex: indexes.get(address),
              mint,
              uiTokenAmount: { amount: String(amount) },
            },
          ],
    );
  return JSON.stringify({
    slot: toNumber(transaction.slot),
    blockTime: toNumber(transaction.unixTimestamp),
    version: "legacy",
    transaction: {
      signatures: [transaction.signature],
      message: {
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 0,
        },
        accountKeys,
        recentBlockhash: SYSTEM_PROGRAM,
        instructions: [printed(instruction, null)],
      },
    },
    meta: {
      err: null,
      status: { Ok: null },
      fee: FEE,
      preBalances: [],
      postBalances: [],
      preTokenBalances: balances("before"),
      postTokenBalances: balances("after"),
      innerInstructions,
      logMessages: transaction.logs,
      loadedAddresses: { writable: [], readonly: [] },
      rewards: [],
    },
  });
}

/** An entry of getSignaturesForAddress. */
export function signatureEntryText({ signature, slot, unixTimestamp }: LedgerTransaction): string {
  return JSON.stringify({
    signature,
    slot: toNumber(slot),
    err: null,
    memo: null,
    blockTime: toNumber(unixTimestamp),
    confirmationStatus: "confirmed",
  });
}

/** The addresses that an instruction names, its program last. */
function addressesOf({ programId, accounts }: Instruction): readonly Address[] {
  return [...accounts, programId];
}
