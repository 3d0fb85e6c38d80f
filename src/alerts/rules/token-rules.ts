import type { Market } from "#src/measure/market/market.ts";
import type { NewUserAlert } from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";
import type { SeenSide, WatchedEntry } from "#src/store/watchlist.ts";
import type { AlertChange, MarketReport } from "#src/track/market-report.ts";
import type { Address } from "#src/units/address.ts";
import { applyBlock, type Block, blockAfter } from "./blocked-rule.ts";
import { type AlertScene, blockedAlert, deteriorationAlert, slippageAlert } from "./found-alert.ts";
import { type RecentReadings, readMarket, withReading } from "./market-reading.ts";
import { applySlippage, type SlippageSide } from "./slippage-rule.ts";

/** A watchlist entry with alerts enabled, and the last known side of its threshold. */
export type RuleEntry = Omit<WatchedEntry, "isSlippageHigh"> & {
  readonly side: SlippageSide;
  /** The slot at which this process found it on the high side; absent: it did not. */
  readonly raisedSlot?: bigint;
};

/** What the rules remember of one token. Plain data, replaced and never changed. */
export type TokenRules = {
  readonly entries: readonly RuleEntry[];
  readonly recent: RecentReadings | null;
  /** Null: its answer is not blocked. */
  readonly block: Block | null;
};

export const NO_ENTRIES: TokenRules = { entries: [], recent: null, block: null };

/** The newest market of a token, and every change of the token's alert since the last judgement. */
export type RuleInput = Pick<MarketReport, "snapshot" | "chainMs"> & {
  /** Null: no market can be built at this moment, or no entry needs one. */
  readonly market: Market | null;
  readonly alertChanges: readonly AlertChange[];
  /** What was found since this slot is void; null, absent: all of it holds. */
  readonly takenBackSince?: bigint | null;
};

/** A user's alert with the rules that found it. */
export type FoundAlert = {
  readonly alert: NewUserAlert;
  /** The token's alert turned on: every entry with alerts enabled wants it. */
  readonly isOfToken: boolean;
  /** The slippage at the entry's size crossed its threshold. */
  readonly isCrossing: boolean;
};

/** Whether the alert is that the token's answer is blocked. */
export function isOfBlock({ alert }: FoundAlert): boolean {
  return alert.kind === "blocked";
}

/** What has to be written. */
export type RuleFinding =
  /** Its slot was dropped: alerts of the token since this slot are void. */
  | { readonly kind: "taken-back"; readonly mint: Address; readonly sinceSlot: bigint }
  | ({ readonly kind: "side" } & SeenSide)
  /** Written in one transaction: changes of the token's alert and the alerts of its watchers. */
  | {
      readonly kind: "alerts";
      readonly alertChanges: readonly AlertChange[];
      readonly found: readonly FoundAlert[];
    };

/**
 * Judges one market by the rules of method.md section 6, each entry at its own size. A crossing and a
 * token's alert that one judgement finds for an entry are one event and one alert: the deterioration,
 * which has the cause and the start, or `no-exit` if the exit is gone.
 */
export function applyMarket(
  state: TokenRules,
  { snapshot, market, alertChanges, chainMs, takenBackSince = null }: RuleInput,
): { readonly state: TokenRules; readonly findings: readonly RuleFinding[] } {
  const sizes = new Set(state.entries.map(({ sizeLamports }) => sizeLamports));
  const reading = readMarket(snapshot.assessment, market, sizes);
  const recent = withReading(state.recent, reading, chainMs);
  const scene: AlertScene = { snapshot, recent, chainMs };
  const isFirst = state.recent === null;
  const block = blockAfter(state.block, snapshot.assessment, { chainMs, isFirst });
  const turnedOn = alertChanges.filter(({ kind }) => kind === "on");
  const { slot } = snapshot.assessment;
  const findings: RuleFinding[] = [];
  const found: FoundAlert[] = [];
  const entries = state.entries.map((known) => {
    const entry = withoutVoidSide(known, takenBackSince);
    const slippage = reading.bySize.get(entry.sizeLamports) ?? { kind: "unknown" };
    const { side, turnedOn: crossing } = applySlippage(entry.side, slippage);
    const { isReported, turnedOn: blocked } = applyBlock(entry.isBlockReported, block, chainMs);
    found.push(...alertsOfEntry(entry, { crossing, turnedOn, blocked, scene }));
    // What an alert changes is written with the alert.
    const seen = {
      ...entry,
      ...(crossing === null ? { side } : {}),
      ...(blocked === null ? { isBlockReported: isReported } : {}),
    };
    if (seen.side !== known.side || seen.isBlockReported !== known.isBlockReported)
      findings.push(sideOf(seen));
    if (side === entry.side && isReported === entry.isBlockReported) return entry;
    const after = { ...entry, side, isBlockReported: isReported };
    return crossing === null ? after : { ...after, raisedSlot: slot };
  });
  if (found.length > 0 || alertChanges.length > 0)
    findings.push({ kind: "alerts", alertChanges, found });
  return { state: { entries, recent, block }, findings };
}

function sideOf({ id: entryId, sizeLamports, side, isBlockReported }: RuleEntry): RuleFinding {
  const isHigh = side === null ? null : side === "high";
  return { kind: "side", entryId, sizeLamports, isHigh, isBlockReported };
}

/** An entry that a dropped slot had taken to the high side is on the low side again. */
function withoutVoidSide(entry: RuleEntry, takenBackSince: bigint | null): RuleEntry {
  const { side, raisedSlot, ...rest } = entry;
  const isVoid =
    takenBackSince !== null &&
    side === "high" &&
    raisedSlot !== undefined &&
    raisedSlot >= takenBackSince;
  return isVoid ? { ...rest, side: "low" } : entry;
}

function alertsOfEntry(
  entry: RuleEntry,
  {
    crossing,
    turnedOn,
    blocked,
    scene,
  }: {
    readonly crossing: "slippage" | "no-exit" | null;
    readonly turnedOn: readonly AlertChange[];
    readonly blocked: Block | null;
    readonly scene: AlertScene;
  },
): readonly FoundAlert[] {
  const isCrossing = crossing !== null;
  const found: FoundAlert[] = turnedOn.map((change) => {
    const alert = deteriorationAlert(entry, change, scene);
    const kind = crossing === "no-exit" ? crossing : alert.kind;
    return { alert: { ...alert, kind }, isOfToken: true, isCrossing };
  });
  if (blocked !== null) {
    const alert = blockedAlert(entry, blocked, scene);
    found.push({ alert, isOfToken: false, isCrossing: false });
  }
  if (isCrossing && turnedOn.length === 0) {
    const alert = slippageAlert(entry, crossing, scene);
    found.push({ alert, isOfToken: false, isCrossing });
  }
  return found;
}

/** Entries as they were read from the database. */
export type EntriesRead = {
  /** Null: the entries of all users were read. */
  readonly userId: UserId | null;
  readonly entries: readonly WatchedEntry[];
  /** Entries whose side changed in this process and was not in the database when it was read. */
  readonly newerSides: ReadonlySet<bigint>;
};

/**
 * Replaces the entries of the users that were read. Tokens without entries are dropped; what did not change
 * is the same object as before, because all lists are read every few seconds.
 */
export function applyEntries(
  tokens: ReadonlyMap<Address, TokenRules>,
  { userId, entries, newerSides }: EntriesRead,
): Map<Address, TokenRules> {
  const byMint = new Map<Address, RuleEntry[]>();
  const add = (entry: RuleEntry): void => {
    const others = byMint.get(entry.mint);
    if (others === undefined) byMint.set(entry.mint, [entry]);
    else others.push(entry);
  };
  const known = new Map<bigint, RuleEntry>();
  for (const { entries: before } of tokens.values()) {
    for (const entry of before) {
      known.set(entry.id, entry);
      if (userId !== null && entry.userId !== userId) add(entry);
    }
  }
  for (const read of entries) add(ruleEntry(read, known.get(read.id), newerSides));
  const next = new Map<Address, TokenRules>();
  for (const [mint, own] of byMint)
    next.set(mint, withEntries(tokens.get(mint) ?? NO_ENTRIES, own));
  return next;
}

/** An entry as it was read, with what this process knows of it. */
function ruleEntry(
  { isSlippageHigh, ...entry }: WatchedEntry,
  known: RuleEntry | undefined,
  newerSides: ReadonlySet<bigint>,
): RuleEntry {
  const stored = isSlippageHigh === null ? null : isSlippageHigh ? "high" : "low";
  if (known === undefined) return { ...entry, side: stored };
  const isSameSize = known.sizeLamports === entry.sizeLamports;
  const isNewer = newerSides.has(entry.id);
  const side = isSameSize && isNewer ? known.side : stored;
  const isBlockReported = isNewer ? known.isBlockReported : entry.isBlockReported;
  const isSame =
    isSameSize &&
    known.side === side &&
    known.isBlockReported === isBlockReported &&
    known.mint === entry.mint &&
    known.userId === entry.userId &&
    known.createdAtMs === entry.createdAtMs;
  return isSame ? known : { ...known, ...entry, side, isBlockReported };
}

function withEntries(rules: TokenRules, entries: readonly RuleEntry[]): TokenRules {
  const isSame =
    entries.length === rules.entries.length &&
    entries.every((entry, place) => entry === rules.entries[place]);
  return isSame ? rules : { ...rules, entries };
}
