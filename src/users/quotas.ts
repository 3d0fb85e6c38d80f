import type { Kysely } from "kysely";
import { batched } from "#src/platform/batched.ts";
import { writtenTogether } from "#src/platform/written-together.ts";
import {
  type DailySpend,
  isAboutData,
  type LimitedQuota,
  refundDailyQuotas,
  spendDailyQuotas,
} from "#src/store/daily-spends.ts";
import type { Schema } from "#src/store/schema.ts";
import { dailyUsages } from "#src/store/usage.ts";
import type { Address } from "#src/units/address.ts";
import { type Caller, callerTier, quotaSubject } from "./caller.ts";
import { FixedWindows, type Window, type WindowRule, type Windows } from "./fixed-windows.ts";
import { type TierLimits, tierLimits } from "./tiers.ts";

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** What the contract tells a caller whose day is used up, whatever the hour. */
const DAY_GATE_RETRY_SECONDS = 86_400;
/** Callers whose standing is read by one query at the most. */
const PEEKED_AT_ONCE = 500;
/** Uses that are written by one transaction at the most. */
const WRITTEN_TOGETHER = 500;
/** The next uses are sent to Postgres while it has those before them on the way to its disk. */
const WRITES_AT_ONCE = 2;
const REMEMBERED_PAGES = 50_000;
const PAGE_RULE: WindowRule = { limit: 1, lengthMs: HOUR_MS };

/** How a caller stands against the rule that binds them: the day's gate, or fair use. */
export type Standing = {
  readonly policy: "day" | "minute";
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetAtMs: number;
};

export type Spend = Standing & {
  readonly allowed: boolean;
  /** Null where allowed. */
  readonly retryAfterSeconds: number | null;
  /** What was taken, for `refund`; null where nothing was. */
  readonly taken: Taken | null;
};

type Taken = {
  readonly subject: string;
  readonly minuteResetMs: number;
  /** The gate that was passed; null for tiers without one. */
  readonly gate: { readonly day: number; readonly limit: number } | null;
  /** The dashboard's page that was opened by it. */
  readonly page: string | null;
};

/** The dashboard's page of a token that a request belongs to: it counts once an hour. */
export type Page = { readonly mint: Address };

export type Quotas = {
  /**
   * Takes one query from the caller's quota, before the work: on disk when it resolves, together with
   * those that came meanwhile. A request
   * that then did not do the work is given back with `refund`.
   */
  readonly spend: (caller: Caller, nowMs: number, page?: Page | null) => Promise<Spend>;
  /** The same at once, for callers without a daily gate; null where the database must be asked. */
  readonly spendAtOnce: (caller: Caller, nowMs: number, page?: Page | null) => Spend | null;
  /** Gives back what `spend` took, for a request that was answered neither 200 nor 404. */
  readonly refund: (spend: Spend) => Promise<void>;
  /** Writes of uses that wait for their turn, and for how long the first use has, milliseconds. */
  readonly queue: () => { readonly length: number; readonly waitedMs: number };
  /** How the caller stands, taking nothing: for the headers of answers that count nothing. */
  readonly peek: (caller: Caller, nowMs: number) => Promise<Standing>;
  /** The same at once, for callers without a daily gate; null where the database must be asked. */
  readonly peekAtOnce: (caller: Caller, nowMs: number) => Standing | null;
};

export function createQuotas(deps: {
  readonly db: Kysely<Schema>;
  /** Where fair use is counted; in this process where it is left out. */
  readonly windows?: Windows;
}): Quotas {
  const { db } = deps;
  const windows = deps.windows ?? new FixedWindows();
  const pages = new FixedWindows(REMEMBERED_PAGES);
  const together = { most: WRITTEN_TOGETHER, atOnce: WRITES_AT_ONCE, isOnesFault: isAboutData };
  const spends = writtenTogether(
    (some: readonly DailySpend[]) => spendDailyQuotas(db, some),
    together,
  );
  const refunds = writtenTogether(async (some: readonly LimitedQuota[]) => {
    await refundDailyQuotas(db, some);
    return some;
  }, together);
  let usages = usagesOn(0);

  /** Read together: where many are refused at once, each refusal says how its caller stands. */
  function usagesOn(day: number) {
    const load = (subjects: readonly string[]) => dailyUsages(db, { subjects, day });
    return { day, of: batched(load, PEEKED_AT_ONCE) };
  }

  function spendAtOnce(caller: Caller, nowMs: number, page: Page | null = null): Spend | null {
    const limits = tierLimits(callerTier(caller));
    if (limits.dailyQueries !== null) return null;
    const subject = quotaSubject(caller);
    const rule = fairUseRule(limits);
    const pageSubject = page === null ? null : subjectOfPage(subject, page, nowMs);
    const opened = pageSubject === null ? null : pages.take(pageSubject, PAGE_RULE, nowMs);
    if (opened?.allowed === false)
      return free(minuteStanding(rule, windows.peek(subject, rule, nowMs)));
    const window = windows.take(subject, rule, nowMs);
    if (!window.allowed) {
      if (pageSubject !== null && opened !== null) pages.giveBack(pageSubject, opened.resetAtMs);
      return refusedByMinute(rule, window, nowMs);
    }
    const taken = { subject, minuteResetMs: window.resetAtMs, gate: null, page: pageSubject };
    return { ...minuteStanding(rule, window), allowed: true, retryAfterSeconds: null, taken };
  }

  function peekAtOnce(caller: Caller, nowMs: number): Standing | null {
    const limits = tierLimits(callerTier(caller));
    if (limits.dailyQueries !== null) return null;
    const rule = fairUseRule(limits);
    return minuteStanding(rule, windows.peek(quotaSubject(caller), rule, nowMs));
  }

  async function spendGated(asked: GatedRequest): Promise<Spend> {
    const { subject, rule, limit, nowMs, page } = asked;
    const day = dayOf(nowMs);
    const spent = await spends.write({ subject, day, limit, mark: page });
    const standing = dayStanding(limit, spent.used, day);
    if (!spent.allowed) {
      const retryAfterSeconds = DAY_GATE_RETRY_SECONDS;
      return { ...standing, allowed: false, retryAfterSeconds, taken: null };
    }
    if (!spent.taken) return free(standing);
    const window = windows.take(subject, rule, nowMs);
    const gate = { day, limit };
    const taken = { subject, minuteResetMs: window.resetAtMs, gate, page };
    if (window.allowed) return { ...standing, allowed: true, retryAfterSeconds: null, taken };
    await giveBackDay(taken);
    return refusedByMinute(rule, window, nowMs);
  }

  async function giveBackDay({ subject, gate, page }: Taken): Promise<void> {
    if (gate === null) return;
    const given = [refunds.write({ subject, ...gate })];
    if (page !== null) given.push(refunds.write({ subject: page, day: gate.day, limit: 1 }));
    await Promise.all(given);
  }

  return {
    spendAtOnce,
    peekAtOnce,
    queue: spends.queue,
    async spend(caller, nowMs, page = null) {
      const limits = tierLimits(callerTier(caller));
      const subject = quotaSubject(caller);
      if (limits.dailyQueries !== null)
        return spendGated({
          subject,
          rule: fairUseRule(limits),
          limit: limits.dailyQueries,
          nowMs,
          page: page === null ? null : subjectOfPage(subject, page, nowMs),
        });
      const spend = spendAtOnce(caller, nowMs, page);
      if (spend === null) throw new Error("a tier without a daily gate is counted at once");
      return spend;
    },
    async refund({ taken }) {
      if (taken === null) return;
      windows.giveBack(taken.subject, taken.minuteResetMs);
      if (taken.gate === null && taken.page !== null) pages.forget(taken.page);
      await giveBackDay(taken);
    },
    async peek(caller, nowMs) {
      const { dailyQueries: limit } = tierLimits(callerTier(caller));
      if (limit !== null) {
        const day = dayOf(nowMs);
        if (usages.day !== day) usages = usagesOn(day);
        return dayStanding(limit, (await usages.of(quotaSubject(caller))) ?? 0, day);
      }
      const standing = peekAtOnce(caller, nowMs);
      if (standing === null) throw new Error("a tier without a daily gate is counted at once");
      return standing;
    },
  };
}

type GatedRequest = {
  readonly subject: string;
  readonly rule: WindowRule;
  readonly limit: number;
  readonly nowMs: number;
  readonly page: string | null;
};

/** Whole days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function subjectOfPage(subject: string, { mint }: Page, nowMs: number): string {
  return `${subject}/page:${mint}/${Math.floor(nowMs / HOUR_MS)}`;
}

function fairUseRule({ fairUsePerMinute }: TierLimits): WindowRule {
  return { limit: fairUsePerMinute, lengthMs: MINUTE_MS };
}

function dayStanding(limit: number, used: number, day: number): Standing {
  return {
    policy: "day",
    limit,
    used,
    remaining: Math.max(0, limit - used),
    windowSeconds: DAY_MS / 1000,
    resetAtMs: (day + 1) * DAY_MS,
  };
}

function minuteStanding(rule: WindowRule, window: Window): Standing {
  return {
    policy: "minute",
    limit: rule.limit,
    used: window.used,
    remaining: Math.max(0, rule.limit - window.used),
    windowSeconds: rule.lengthMs / 1000,
    resetAtMs: window.resetAtMs,
  };
}

function refusedByMinute(rule: WindowRule, window: Window, nowMs: number): Spend {
  const retryAfterSeconds = Math.max(1, Math.ceil((window.resetAtMs - nowMs) / 1000));
  return { ...minuteStanding(rule, window), allowed: false, retryAfterSeconds, taken: null };
}

function free(standing: Standing): Spend {
  return { ...standing, allowed: true, retryAfterSeconds: null, taken: null };
}
