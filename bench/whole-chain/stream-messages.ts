import { writtenBytes } from "#demo/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { PlayedSlot, PlayedTransaction } from "./played-slot.ts";
import { ProtoWriter } from "./proto-writer.ts";

/**
 * The updates of a Yellowstone stream in their bytes, without the names of the filters that they pass:
 * those differ from client to client, and come first.
 */
export type StreamMessage = {
  readonly kind: "account" | "transaction";
  readonly body: Buffer;
  /** Of an account: its address; of a transaction: every address it names. */
  readonly addresses: readonly Address[];
  readonly owner: Address | null;
  readonly account: Account | null;
};

export const SLOT_STATUS = { processed: 0, confirmed: 1 } as const;

const writer = new ProtoWriter();
const NO_OWNER = new Uint8Array(32);

export function messagesOf(slot: PlayedSlot): readonly StreamMessage[] {
  const number = toNumber(slot.clock.slot);
  return [
    ...Array.from(slot.changes, ([address, account]) => accountMessage(address, account, number)),
    ...slot.transactions.map((transaction) => transactionMessage(transaction, number)),
  ];
}

function accountMessage(address: Address, account: Account | null, slot: number): StreamMessage {
  writer.uint(2, slot);
  const info = writer.end;
  writer.uint(7, slot);
  if (account !== null) writer.bytes(6, account.data);
  writer.largest(5);
  writer.bytes(3, account === null ? NO_OWNER : writtenBytes(account.owner));
  writer.uint(2, account === null ? 0 : toNumber(account.lamports));
  writer.bytes(1, writtenBytes(address));
  writer.nest(1, info);
  const body = nested(2);
  const owner = account?.owner ?? null;
  return { kind: "account", body, addresses: [address], owner, account };
}

function transactionMessage(transaction: PlayedTransaction, slot: number): StreamMessage {
  const { feePayer, accounts, programId, data, inner, logs, signature } = transaction;
  const keys = [...new Set([feePayer, ...accounts, programId])];
  const placeOf = new Map(keys.map((key, place) => [key, place]));
  const program = placeOf.get(programId) ?? 0;
  writer.uint(2, slot);
  const info = writer.end;
  writer.uint(5, 1);
  const meta = writer.end;
  for (const line of logs.toReversed()) writer.text(6, line);
  if (inner.length > 0) {
    const group = writer.end;
    for (const call of inner.toReversed()) {
      const instruction = writer.end;
      writer.bytes(3, call);
      writer.uint(1, program);
      writer.nest(2, instruction);
    }
    writer.nest(5, group);
  }
  writer.uint(2, 5_000);
  writer.nest(4, meta);
  const body = writer.end;
  const message = writer.end;
  const instruction = writer.end;
  writer.bytes(3, data);
  writer.bytes(
    2,
    Uint8Array.from(accounts, (account) => placeOf.get(account) ?? 0),
  );
  writer.uint(1, program);
  writer.nest(4, instruction);
  for (const key of keys.toReversed()) writer.bytes(2, writtenBytes(key));
  writer.nest(2, message);
  writer.bytes(1, signature);
  writer.nest(3, body);
  writer.bytes(1, signature);
  writer.nest(1, info);
  return { kind: "transaction", body: nested(4), addresses: keys, owner: null, account: null };
}

/** What was written, as that field of an update. */
function nested(field: number): Buffer {
  writer.nest(field, ENDS_AT);
  return writer.take();
}

const ENDS_AT = writer.end;

export function slotMessage(slot: number, parent: number, status: number): Buffer {
  writer.uint(3, status);
  writer.uint(2, parent);
  writer.uint(1, slot);
  return nested(3);
}

export function pongMessage(id: number): Buffer {
  writer.uint(1, id);
  return nested(9);
}

/** The names of filters, which come before an update. */
export function filterNames(names: readonly string[]): Buffer {
  for (const name of names.toReversed()) writer.text(1, name);
  return writer.take();
}
