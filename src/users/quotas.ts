import type { Kysely } from "kysely";
import { batchedLookup } from "#src/platform/batcher.ts";
import { dayOf, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from "#src/platform/clock.ts";
import type { Schema } from "#src/store/schema.ts";
import { dailyUsages, refundDailyQuota, spendDailyQuota } from "#src/store/usage.ts";
import type { Address } from "#src/units/address.ts";
import { type Caller, callerTier, quotaSubject } from "./caller.ts";
import {
  FixedWindows,
  secondsUntil,
  type Window,
  type WindowRule,
  type Windows,
} from "./fixed-windows.ts";
import { type TierLimits, tierLimits } from "./tiers.ts";

/** Retry-After of a caller whose day is used up: the contract fixes it, whatever the hour. */
const DAY_GATE_RETRY_SECONDS = 86_400;
/** Callers per query of `peek`. */
const PEEK_BATCH = 500;
const CACHED_PAGES = 50_000;
const PAGE_RULE: WindowRule = { limit: 1, lengthMs: MS_PER_HOUR };
/** Requests of all dashboard pages of one caller. */
const PAGE_READS_RULE: WindowRule = { limit: 120, lengthMs: MS_PER_MINUTE };

/** A caller's count under the rule that applies to them: the daily gate, or fair use. */
export type QuotaStatus = {
  readonly policy: "day" | "minute";
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetAtMs: number;
};

export type Spend = QuotaStatus & {
  readonly allowed: boolean;
  /** Null where allowed. */
  readonly retryAfterSeconds: number | null;
  /** What `refund` gives back; null if nothing was counted. */
  readonly receipt: QuotaReceipt | null;
};

type QuotaReceipt = {
  readonly subject: string;
  readonly minuteResetMs: number;
  /** Day of the daily gate that counted it; null for tiers without one. */
  readonly day: number | null;
  /** The dashboard page that was counted. */
  readonly page: string | null;
};

/** The dashboard page of a token that a request belongs to: it counts once an hour. */
export type Page = { readonly mint: Address };

export type Quotas = {
  /**
   * Counts one query of the caller before the work; a daily gate's count is on disk when this
   * resolves. If the work then fails, give the query back with `refund`.
   */
  readonly spend: (caller: Caller, nowMs: number, page?: Page | null) => Promise<Spend>;
  /** `spend` without waiting, for tiers without a daily gate; null for the others. */
  readonly spendAtOnce: (caller: Caller, nowMs: number, page?: Page | null) => Spend | null;
  /** Gives back what `spend` counted, for a request that was answered neither 200 nor 404. */
  readonly refund: (spend: Spend) => Promise<void>;
  /** The caller's status, counting nothing: for the headers of answers that do not count. */
  readonly peek: (caller: Caller, nowMs: number) => Promise<QuotaStatus>;
  /** `peek` without waiting, for tiers without a daily gate; null for the others. */
  readonly peekAtOnce: (caller: Caller, nowMs: number) => QuotaStatus | null;
};

export function createQuotas(deps: {
  readonly db: Kysely<Schema>;
  /** Counts fair use; by default in this process. */
  readonly windows?: Windows;
}): Quotas {
  const { db } = deps;
  const windows = deps.windows ?? new FixedWindows();
  const pages = new FixedWindows(CACHED_PAGES);
  let usages = usagesOn(0);

  /** Batched: when many requests are refused at once, each refusal needs its caller's status. */
  function usagesOn(day: number) {
    const load = (subjects: readonly string[]) => dailyUsages(db, { subjects, day });
    return { day, of: batchedLookup(load, PEEK_BATCH) };
  }

  /** Null: the caller's pages may read on. */
  function pageReadsRefusal({ subject, page, nowMs }: CountedRequest): Spend | null {
    if (page === null) return null;
    const window = windows.take(`${subject}/pages`, PAGE_READS_RULE, nowMs);
    return window.allowed ? null : refusedByMinute(PAGE_READS_RULE, window, nowMs);
  }

  function spendUngated({ subject, limits, page, nowMs }: CountedRequest): Spend {
    const rule = fairUseRule(limits);
    const opened = page === null ? null : pages.take(page, PAGE_RULE, nowMs);
    if (opened?.allowed === false)
      return uncounted(minuteStatus(rule, windows.peek(subject, rule, nowMs)));
    const window = windows.take(subject, rule, nowMs);
    if (!window.allowed) {
      if (page !== null && opened !== null) pages.giveBack(page, opened.resetAtMs);
      return refusedByMinute(rule, window, nowMs);
    }
    const receipt = { subject, minuteResetMs: window.resetAtMs, day: null, page };
    return { ...minuteStatus(rule, window), allowed: true, retryAfterSeconds: null, receipt };
  }

  async function spendGated(request: CountedRequest & { limit: number }): Promise<Spend> {
    const { subject, limits, limit, page, nowMs } = request;
    const day = dayOf(nowMs);
    const spent = await spendDailyQuota(db, { subject, day, limit, mark: page });
    const status = dayStatus(limit, spent.used, day);
    if (!spent.allowed)
      return {
        ...status,
        allowed: false,
        retryAfterSeconds: DAY_GATE_RETRY_SECONDS,
        receipt: null,
      };
    if (!spent.taken) return uncounted(status);
    const rule = fairUseRule(limits);
    const window = windows.take(subject, rule, nowMs);
    const receipt = { subject, minuteResetMs: window.resetAtMs, day, page };
    if (window.allowed) return { ...status, allowed: true, retryAfterSeconds: null, receipt };
    await refundDailyQuota(db, { subject, day, mark: page });
    return refusedByMinute(rule, window, nowMs);
  }

  return {
    async spend(caller, nowMs, page = null) {
      const request = countedRequest(caller, nowMs, page);
      const { dailyQueries: limit } = request.limits;
      const refused = pageReadsRefusal(request);
      if (refused !== null) return refused;
      return limit === null ? spendUngated(request) : spendGated({ ...request, limit });
    },
    spendAtOnce(caller, nowMs, page = null) {
      const request = countedRequest(caller, nowMs, page);
      if (request.limits.dailyQueries !== null) return null;
      return pageReadsRefusal(request) ?? spendUngated(request);
    },
    async refund({ receipt }) {
      if (receipt === null) return;
      const { subject, minuteResetMs, day, page } = receipt;
      windows.giveBack(subject, minuteResetMs);
      if (day !== null) await refundDailyQuota(db, { subject, day, mark: page });
      else if (page !== null) pages.delete(page);
    },
    async peek(caller, nowMs) {
      const limits = tierLimits(callerTier(caller));
      if (limits.dailyQueries === null) return peekUngated(caller, limits, nowMs);
      const day = dayOf(nowMs);
      if (usages.day !== day) usages = usagesOn(day);
      return dayStatus(limits.dailyQueries, (await usages.of(quotaSubject(caller))) ?? 0, day);
    },
    peekAtOnce(caller, nowMs) {
      const limits = tierLimits(callerTier(caller));
      return limits.dailyQueries === null ? peekUngated(caller, limits, nowMs) : null;
    },
  };

  function peekUngated(caller: Caller, limits: TierLimits, nowMs: number): QuotaStatus {
    const rule = fairUseRule(limits);
    return minuteStatus(rule, windows.peek(quotaSubject(caller), rule, nowMs));
  }
}

type CountedRequest = {
  readonly subject: string;
  readonly limits: TierLimits;
  readonly page: string | null;
  readonly nowMs: number;
};

function countedRequest(caller: Caller, nowMs: number, page: Page | null): CountedRequest {
  const subject = quotaSubject(caller);
  return {
    subject,
    limits: tierLimits(callerTier(caller)),
    page: page === null ? null : pageSubject(subject, page, nowMs),
    nowMs,
  };
}

function pageSubject(subject: string, { mint }: Page, nowMs: number): string {
  return `${subject}/page:${mint}/${Math.floor(nowMs / MS_PER_HOUR)}`;
}

function fairUseRule({ fairUsePerMinute }: TierLimits): WindowRule {
  return { limit: fairUsePerMinute, lengthMs: MS_PER_MINUTE };
}

function dayStatus(limit: number, used: number, day: number): QuotaStatus {
  return {
    policy: "day",
    limit,
    used,
    remaining: Math.max(0, limit - used),
    windowSeconds: MS_PER_DAY / 1000,
    resetAtMs: (day + 1) * MS_PER_DAY,
  };
}

function minuteStatus(rule: WindowRule, window: Window): QuotaStatus {
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
  const retryAfterSeconds = secondsUntil(window.resetAtMs, nowMs);
  return { ...minuteStatus(rule, window), allowed: false, retryAfterSeconds, receipt: null };
}

function uncounted(status: QuotaStatus): Spend {
  return { ...status, allowed: true, retryAfterSeconds: null, receipt: null };
}
