import { isJsonObject } from "#src/platform/json-object.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import type { ObservedInstruction, ObservedTransaction } from "../chain-source.ts";
import { isWholeNumber, malformed } from "./rpc-answers.ts";
import { type StatedBalance, tokenAmountsOf } from "./token-amounts.ts";

/** No transaction has room for more instructions. */
const MAX_INSTRUCTIONS = 2_000;

/**
 * `getTransaction` in encoding "json"; null: unknown to the node, or failed.
 *
 * @throws RpcFailure if the reply is malformed
 */
export function parseTransaction(result: unknown, signature: string): ObservedTransaction | null {
  if (result === null) return null;
  const meta = field(result, "meta");
  const message = field(field(result, "transaction"), "message");
  const slot = field(result, "slot");
  if (!isJsonObject(meta) || !isJsonObject(message) || !isWholeNumber(slot)) {
    throw malformed("no slot, message or meta");
  }
  if (meta["err"] !== null) return null;
  const addresses = addressesOf(message, meta);
  const logs = parseLogs(meta["logMessages"] ?? []);
  if (logs === null) throw malformed("logs are not text");
  const [feePayer] = addresses;
  const blockTime = field(result, "blockTime");
  return {
    signature,
    slot: BigInt(slot),
    logs,
    ...(feePayer === undefined ? {} : { feePayer }),
    ...(isWholeNumber(blockTime) ? { blockTime: BigInt(blockTime) } : {}),
    tokenAmounts: tokenAmountsOf(addresses, {
      before: statedBalances(meta["preTokenBalances"]),
      after: statedBalances(meta["postTokenBalances"]),
    }),
    instructions: instructionsOf(message, meta, addresses),
  };
}

/** Log lines; null: malformed. */
export function parseLogs(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return value.every((line) => typeof line === "string") ? value : null;
}

/** The message's own accounts, then the writable and the readonly ones from look-up tables. */
function addressesOf(
  message: Record<string, unknown>,
  meta: Record<string, unknown>,
): readonly Address[] {
  const loaded = meta["loadedAddresses"];
  return [
    ...list(message["accountKeys"]),
    ...list(field(loaded, "writable") ?? []),
    ...list(field(loaded, "readonly") ?? []),
  ].map((text) => {
    const parsed = typeof text === "string" ? parseAddress(text) : null;
    if (parsed === null) throw malformed("an account is not an address");
    return parsed;
  });
}

function instructionsOf(
  message: Record<string, unknown>,
  meta: Record<string, unknown>,
  addresses: readonly Address[],
): readonly ObservedInstruction[] | null {
  // Null: the node stores no inner instructions, so the event bytes are unknown, not absent.
  const inner = meta["innerInstructions"];
  if (inner === null || inner === undefined) return null;
  const innerByOuter = new Map<unknown, readonly unknown[]>(
    list(inner).map((group) => [field(group, "index"), list(field(group, "instructions"))]),
  );
  const found: ObservedInstruction[] = [];
  for (const [outerIndex, outer] of list(message["instructions"]).entries()) {
    for (const instruction of [outer, ...(innerByOuter.get(outerIndex) ?? [])]) {
      found.push(parseInstruction(instruction, addresses));
    }
    if (found.length > MAX_INSTRUCTIONS) throw malformed("too many instructions");
  }
  return found;
}

function parseInstruction(value: unknown, addresses: readonly Address[]): ObservedInstruction {
  const text = field(value, "data");
  const data = typeof text === "string" ? base58Decode(text) : null;
  if (data === null) throw malformed("instruction data is not base58");
  const at = (index: unknown): Address => {
    const found = isWholeNumber(index) ? addresses[index] : undefined;
    if (found === undefined) throw malformed("an account index out of range");
    return found;
  };
  return {
    programId: at(field(value, "programIdIndex")),
    accounts: list(field(value, "accounts")).map(at),
    data,
  };
}

/** Older nodes leave them out. */
function statedBalances(value: unknown): readonly StatedBalance[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const accountIndex = field(entry, "accountIndex");
    const amount = field(field(entry, "uiTokenAmount"), "amount");
    return isWholeNumber(accountIndex) && typeof amount === "string"
      ? [{ accountIndex, amount }]
      : [];
  });
}

function field(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed("a list is missing");
  return value;
}
