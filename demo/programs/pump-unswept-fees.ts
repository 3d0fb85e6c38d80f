import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { emitEvents } from "../anchor-event.ts";
import { edited } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type { FeeSweep, Performed } from "../market-program.ts";

type FeeBucket = FeeSweep["bucket"];
/** Fees that trades leave in a curve or a pool until they are swept, quote base units. */
export type UnsweptFees = Readonly<Record<FeeBucket, bigint>>;
/** Where an account counts them. */
type FeeFields = Readonly<Record<FeeBucket, number>>;

export const NO_FEES: UnsweptFees = { creator: 0n, protocol: 0n };
/** This part of the protocol's fee is never kept. */
export const BUYBACK_BPS = 5_000n;

const SWEEPS = {
  creator: { name: "SweepCreatorFee", data: discriminator("20f6bf3408c949ba"), index: 0 },
  protocol: { name: "SweepProtocolFee", data: discriminator("0830be07b644b7e5"), index: 1 },
} as const;

export function buybackOf(protocolFee: bigint): bigint {
  return (protocolFee * BUYBACK_BPS) / 10_000n;
}

/** What a trade leaves by an instruction that pays its fees out later. */
export function keptFees(trade: {
  readonly protocolFee: bigint;
  readonly creatorFee: bigint;
}): UnsweptFees {
  const { protocolFee, creatorFee } = trade;
  return { creator: creatorFee, protocol: protocolFee - buybackOf(protocolFee) };
}

export function totalOf({ creator, protocol }: UnsweptFees): bigint {
  return creator + protocol;
}

export function unsweptFees({ data }: Account, fields: FeeFields): UnsweptFees {
  const reader = new ByteReader(data);
  return { creator: reader.u64(fields.creator), protocol: reader.u64(fields.protocol) };
}

export function withAddedFees(account: Account, fields: FeeFields, added: UnsweptFees): Account {
  const { creator, protocol } = unsweptFees(account, fields);
  return edited(account, account.slot, (writer) =>
    writer
      .u64(fields.creator, creator + added.creator)
      .u64(fields.protocol, protocol + added.protocol),
  );
}

/** Pays out one bucket; null where it is empty. `event` is what precedes the amount in the sweep's event. */
export function sweepBucket(sweep: {
  readonly programId: Address;
  readonly account: Account;
  readonly fields: FeeFields;
  readonly bucket: FeeBucket;
  readonly slot: bigint;
  readonly event: FieldWriter;
  readonly accounts: readonly Address[];
  /** What else changes, with the account without those fees. */
  readonly changes: (swept: Account, amount: bigint) => AccountChanges;
}): Performed | null {
  const { programId, account, fields, bucket, slot, event, accounts, changes } = sweep;
  const amount = unsweptFees(account, fields)[bucket];
  if (amount === 0n) return null;
  const { name, data, index } = SWEEPS[bucket];
  return {
    changes: changes(
      edited(account, slot, (writer) => writer.u64(fields[bucket], 0n)),
      amount,
    ),
    instructionAccounts: accounts,
    instructionData: new FieldWriter().raw(data).bytes(),
    ...emitEvents(programId, name, [event.u64(amount).u8(index).bytes()]),
  };
}
