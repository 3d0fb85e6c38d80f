import type { AccountUpdate } from "#src/chain/chain-source.ts";
import type { SlotOutcome } from "#src/chain/geyser/slot-outcomes.ts";
import type { Deterioration } from "#src/measure/series/deterioration.ts";
import { BoundedSet } from "#src/platform/bounded-map.ts";
import { maxBigint, minBigint } from "#src/units/integer.ts";
import { copySeries, type TokenSeries } from "../history/series.ts";
import { forEachUse, hold } from "./followed-accounts.ts";
import type { HeldAccount } from "./held-account.ts";
import type { FollowedAccount, FollowedToken } from "./live-state.ts";

/** Slots whose outcome is awaited. Older ones count as confirmed, and their accounts are read again. */
const MAX_SLOTS = 256;
/** Dropped slots that are remembered, for updates that arrive late. */
const MAX_DROPPED = 256;
/** With a whole stream, the changes of a slot are measured as of the slot before it. */
export const CHANGE_AFTER_SLOT = 1n;

/** What was held at the slot. Never the followed account itself, which changes. */
type KeptVersion = { readonly slot: bigint; readonly held: HeldAccount };

/**
 * What slots changed that are processed and not confirmed, so that it can be taken back. An account has
 * versions only from its first unconfirmed change until its changes are confirmed or dropped.
 */
export type Unconfirmed = {
  /** The confirmed version first, then one for each slot that delivered the account, ascending. */
  readonly versions: Map<FollowedAccount, KeptVersion[]>;
  readonly slots: Map<bigint, UnconfirmedSlot>;
  readonly dropped: Set<bigint>;
  /** The newest slot known to be confirmed. */
  confirmedSlot: bigint;
  /** Records that are written once their slots are confirmed, in the order of measurement. */
  readonly records: WaitingRecord[];
  /** Tokens that a dropped slot had changed, until that is published. */
  readonly takenBack: Map<FollowedToken, TakenBack>;
  /** Dropped slots so far that had changed a pool of a hop, which any token may be sold through. */
  hopsTakenBack: number;
};

/** A sample or an answer of a token, to be written. */
type WaitingRecord = {
  readonly token: FollowedToken;
  /** The slot of the assessment. */
  readonly slot: bigint;
  readonly write: () => void;
};

/** What a dropped slot had brought. */
export type TakenBack = {
  readonly slot: bigint;
  /** The alert that it had turned on; null: none. */
  readonly alert: Deterioration | null;
};

type UnconfirmedSlot = {
  readonly accounts: Set<FollowedAccount>;
  /** A copy of the series of each changed token as it was before the slot. */
  readonly series: Map<FollowedToken, TokenSeries>;
};

export function createUnconfirmed(): Unconfirmed {
  return {
    versions: new Map(),
    slots: new Map(),
    dropped: new BoundedSet(MAX_DROPPED),
    confirmedSlot: -1n,
    records: [],
    takenBack: new Map(),
    hopsTakenBack: 0,
  };
}

/** Whether the slot's changes may still be taken back. */
export function isUnconfirmed({ confirmedSlot }: Unconfirmed, slot: bigint): boolean {
  return slot > confirmedSlot;
}

/**
 * Keeps the version of an update, before `next` replaces what the account holds. An update of an older
 * slot than that of another fork is kept too: the other one may be dropped.
 */
export function keepVersion(
  unconfirmed: Unconfirmed,
  account: FollowedAccount,
  change: {
    readonly update: AccountUpdate;
    readonly next: HeldAccount;
    /** The update was read from confirmed state. */
    readonly isConfirmed: boolean;
  },
): void {
  const { update, next, isConfirmed } = change;
  const { slot } = update;
  const isAccepted = next !== account && next.doubtSlot === null;
  const version = { slot, held: isAccepted ? next : heldBy(update) };
  if (isConfirmed || !isUnconfirmed(unconfirmed, slot)) {
    settle(unconfirmed, account, version);
    return;
  }
  const kept = unconfirmed.versions.get(account);
  if (!isAccepted && (slot >= account.heldSlot || kept === undefined)) return;
  const versions = kept ?? [{ slot: account.heldSlot, held: heldNow(account) }];
  const [base] = versions;
  if (base === undefined || slot < base.slot) return;
  const place = versions.findLastIndex((each) => each.slot <= slot);
  // The last update of a slot replaces earlier ones of the same slot, but not the confirmed version.
  const isSameSlot = place > 0 && versions[place]?.slot === slot;
  versions.splice(isSameSlot ? place : place + 1, isSameSlot ? 1 : 0, version);
  unconfirmed.versions.set(account, versions);
  slotOf(unconfirmed, slot).accounts.add(account);
}

/** Keeps a copy of a token's series before a slot changes the token for the first time. */
export function keepSeries(unconfirmed: Unconfirmed, token: FollowedToken, slot: bigint): void {
  if (!isUnconfirmed(unconfirmed, slot)) return;
  const { series } = slotOf(unconfirmed, slot);
  if (!series.has(token)) series.set(token, copySeries(token.series));
}

/** Keeps a record until `writeRecords` finds that its slots are confirmed. */
export function keepRecord(unconfirmed: Unconfirmed, record: WaitingRecord): void {
  unconfirmed.records.push(record);
}

/** Writes the records whose slots are confirmed, or so old that they count as confirmed. */
export function writeRecords(unconfirmed: Unconfirmed): void {
  const { records } = unconfirmed;
  if (records.length === 0) return;
  const newest = records.reduce((most, { slot }) => maxBigint(most, slot), 0n);
  const isWaiting = ({ slot }: WaitingRecord): boolean =>
    isUnconfirmed(unconfirmed, slot + CHANGE_AFTER_SLOT) && slot + BigInt(MAX_SLOTS) >= newest;
  const written: WaitingRecord[] = [];
  // One by one: a call with all of them as arguments has too many where confirmations are late.
  for (const record of records.splice(0)) (isWaiting(record) ? records : written).push(record);
  for (const record of written) record.write();
}

/** Applies what became of a slot. @returns the accounts that hold an earlier version again */
export function endSlot(
  unconfirmed: Unconfirmed,
  slot: bigint,
  outcome: SlotOutcome,
): readonly FollowedAccount[] {
  if (outcome === "dropped") return dropSlot(unconfirmed, slot);
  if (slot > unconfirmed.confirmedSlot) unconfirmed.confirmedSlot = slot;
  for (const [each, { accounts }] of unconfirmed.slots) {
    // Earlier slots that are left came over the node's WebSocket, which reports no outcomes.
    if (each > slot) continue;
    unconfirmed.slots.delete(each);
    for (const account of accounts) confirmVersions(unconfirmed, account);
  }
  return [];
}

/** Forgets the oldest slots beyond the limit. @returns their accounts, which have to be read */
export function trimSlots({ slots, versions }: Unconfirmed): readonly FollowedAccount[] {
  const unknown: FollowedAccount[] = [];
  for (const [slot, { accounts }] of slots) {
    if (slots.size <= MAX_SLOTS) break;
    slots.delete(slot);
    for (const account of accounts) if (versions.delete(account)) unknown.push(account);
  }
  return unknown;
}

/** Outcomes may have been missed: every account is to be read again, and records that wait are discarded. */
export function forgetVersions(unconfirmed: Unconfirmed): void {
  unconfirmed.versions.clear();
  unconfirmed.slots.clear();
  unconfirmed.records.length = 0;
}

/** The token is no longer followed: nothing of it is taken back or published any more. */
export function forgetToken({ slots, takenBack }: Unconfirmed, token: FollowedToken): void {
  takenBack.delete(token);
  for (const { series } of slots.values()) series.delete(token);
}

function dropSlot(unconfirmed: Unconfirmed, slot: bigint): readonly FollowedAccount[] {
  const { slots, dropped, versions } = unconfirmed;
  dropped.add(slot);
  const ended = slots.get(slot);
  if (ended === undefined) return [];
  slots.delete(slot);
  takeBackRecords(unconfirmed, ended, slot);
  const reverted: FollowedAccount[] = [];
  for (const account of ended.accounts) {
    const kept = versions.get(account);
    const place = kept?.findLastIndex((version) => version.slot === slot) ?? 0;
    if (kept === undefined || place <= 0) continue;
    const isNewest = place === kept.length - 1;
    kept.splice(place, 1);
    const last = kept.at(-1);
    if (isNewest && last !== undefined) {
      hold(account, last.held);
      reverted.push(account);
    }
    if (kept.length === 1) versions.delete(account);
  }
  for (const [token, series] of ended.series)
    restoreSeries(unconfirmed, token, { before: series, slot });
  return reverted;
}

/** Removes the records measured on a dropped slot: those of its tokens, or of all tokens if a hop had changed. */
function takeBackRecords(
  unconfirmed: Unconfirmed,
  { accounts, series }: UnconfirmedSlot,
  slot: bigint,
): void {
  let isHop = false;
  for (const account of accounts) {
    forEachUse(account, (use) => {
      if (use.kind === "pool-need" && use.pool.group.token === null) isHop = true;
    });
  }
  if (isHop) unconfirmed.hopsTakenBack++;
  const isVoid = (record: WaitingRecord): boolean =>
    record.slot + CHANGE_AFTER_SLOT >= slot && (isHop || series.has(record.token));
  const { records } = unconfirmed;
  for (const record of records.splice(0)) if (!isVoid(record)) records.push(record);
}

function confirmVersions({ versions, confirmedSlot }: Unconfirmed, account: FollowedAccount): void {
  const kept = versions.get(account);
  if (kept === undefined) return;
  const newest = kept.findLastIndex(({ slot }) => slot <= confirmedSlot);
  if (newest > 0) kept.splice(0, newest);
  if (kept.length === 1) versions.delete(account);
}

/** A confirmed version replaces all up to its slot. */
function settle({ versions }: Unconfirmed, account: FollowedAccount, version: KeptVersion): void {
  const kept = versions.get(account);
  if (kept === undefined || version.slot < (kept[0]?.slot ?? 0n)) return;
  const later = kept.filter(({ slot }, place) => place > 0 && slot > version.slot);
  if (later.length === 0) versions.delete(account);
  else versions.set(account, [version, ...later]);
}

/** The series becomes `before`. An alert that is off now is not turned on again: its end was published. */
function restoreSeries(
  unconfirmed: Unconfirmed,
  token: FollowedToken,
  { before, slot }: { readonly before: TokenSeries; readonly slot: bigint },
): void {
  const { alert } = token.series.deterioration;
  const earlier = before.deterioration.alert;
  const turnedOn = alert !== null && earlier === null ? alert.deterioration : null;
  const waiting = unconfirmed.takenBack.get(token);
  unconfirmed.takenBack.set(token, {
    slot: waiting === undefined ? slot : minBigint(waiting.slot, slot),
    alert: turnedOn ?? waiting?.alert ?? null,
  });
  token.series = before;
  if (alert === null) before.deterioration.alert = null;
  // Later slots saw the series with the change that is void now.
  for (const [later, { series }] of unconfirmed.slots)
    if (later > slot && series.has(token)) series.set(token, copySeries(before));
}

function slotOf({ slots }: Unconfirmed, slot: bigint): UnconfirmedSlot {
  const known = slots.get(slot) ?? { accounts: new Set(), series: new Map() };
  slots.set(slot, known);
  return known;
}

/** What is held of the account now, whatever is held later. */
function heldNow({ content, changedSlot, heldSlot, doubtSlot }: FollowedAccount): HeldAccount {
  return { content, changedSlot, heldSlot, doubtSlot };
}

function heldBy({ account, slot }: AccountUpdate): HeldAccount {
  return { content: account, changedSlot: slot, heldSlot: slot, doubtSlot: null };
}
