// Made by tools/generate.ts from the service's OpenAPI document: npm run generate makes it anew.

export type Exitability = {
  readonly state: "ok" | "bloqueado_dato" | "bloqueado_tamano_amm";
  /** Mint address */
  readonly token_id: string;
  /** Where the token stands between its launchpad's curve and the pools */
  readonly fase: "on-curve" | "migrating" | "migrated" | "listed";
  /** The family that holds most of the depth near the mid */
  readonly amm: "pumpswap" | "raydium" | "meteora" | "otro";
  readonly calidad_dato: "suficiente" | "insuficiente";
  readonly confianza: "alta" | "media" | "baja";
  /** Why confianza is below alta, one sentence; null when it is alta */
  readonly aviso: string | null;
  /** SOL that sellers could still take out of the token's pools together */
  readonly depth_sol: number | null;
  /** SOL per whole token, before fees, at which the first unit would sell */
  readonly precio_mid: number | null;
  /** 0 to 100; higher is easier */
  readonly score: number | null;
  /** The largest standard size whose modelled slippage is below 10 % */
  readonly exit_max_sol: number | null;
  readonly slippage: {
    readonly size_requested: number;
    readonly size_used: number;
    readonly slip_pct: number | null;
    readonly all: {
      readonly "1": number | null;
      readonly "2": number | null;
      readonly "5": number | null;
      readonly "10": number | null;
      readonly "50": number | null;
      readonly "0.5": number | null;
    };
  };
  readonly trend: "improving" | "stable" | "deteriorating";
  readonly alerta_deterioro: boolean;
  /** Time of the chain state it was measured on, UTC */
  readonly updated_at: string;
  readonly profile: "retail" | "pro";
};

export type TokenNotFound = {
  readonly error: "not_found";
  readonly message: string;
  readonly state: "not_found";
  /** The id as it was asked for */
  readonly token_id: string;
  /** retail: the best single route; pro: the order split over all of them */
  readonly profile: "retail" | "pro";
};

export type StateNotStored = {
  readonly error: "state_not_stored";
  readonly message: string;
  readonly token_id: string;
  /** The slot that was asked for */
  readonly at_slot: number;
  /** The newest stored slot at or before it; null: none */
  readonly slot_before: number | null;
  /** The oldest stored slot after it; null: none */
  readonly slot_after: number | null;
};

export type RateLimitExceeded = {
  readonly error: "rate_limit_exceeded";
  readonly message: string;
  readonly used: number;
  readonly limit: number;
  /** Where an anonymous caller registers; null for others */
  readonly register_url: string | null;
  readonly waitlist_url: string;
  readonly upgrade_cta: string;
};

export type ExitAt = {
  /** A Solana address: 32 bytes in base58 */
  readonly token_id: string;
  /** retail: the best single route; pro: the order split over all of them */
  readonly profile: "retail" | "pro";
  readonly slot: number;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly updated_at: string;
  readonly age_seconds: number;
  /** no_exit: it can't be sold whole, for sure; bloqueado_dato: nobody can know now */
  readonly state: "ok" | "bloqueado_dato" | "no_exit";
  /** Why it can't be sold whole; null where it can. blocked: as in exitability; no-market: no pool buys a first unit; exceeds-supply: more than there is of the token; size-not-allowed: above 10 SOL where amm is otro; too-small: worth less than a base unit or a lamport; insufficient-liquidity: the pools run out */
  readonly reason: "blocked" | "no-market" | "exceeds-supply" | "size-not-allowed" | "too-small" | "insufficient-liquidity" | null;
  /** Worth at the mid price */
  readonly size_sol: number | null;
  /** Whole tokens */
  readonly tokens_sold: number | null;
  /** What arrives, after every fee but the network's */
  readonly net_sol: number | null;
  /** The same, exact */
  readonly net_lamports: string | null;
  readonly slippage_pct: number | null;
  /** What of the slippage is not fees */
  readonly price_impact_pct: number | null;
  /** SOL per whole token */
  readonly average_price: number | null;
  readonly routes: readonly {
    readonly share_pct: number;
    readonly net_sol: number;
    readonly legs: readonly {
      readonly program: string;
      /** A Solana address: 32 bytes in base58 */
      readonly pool: string;
      /** A Solana address: 32 bytes in base58 */
      readonly input_mint: string;
      /** A Solana address: 32 bytes in base58 */
      readonly output_mint: string;
      readonly amount_in: string;
      readonly amount_out: string;
    }[];
  }[];
};

export type Token = {
  /** A Solana address: 32 bytes in base58 */
  readonly token_id: string;
  /** The token's own word for itself: untrusted text */
  readonly name: string | null;
  /** Untrusted text too */
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** All of it there is, in base units, exact */
  readonly supply_units: string | null;
  /** The same in whole tokens */
  readonly supply_tokens: number | null;
  /** May make more of it */
  readonly mint_authority: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    /** Null unless set */
    readonly address: string | null;
  };
  /** May freeze any holder's account, and thaw it */
  readonly freeze_authority: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    /** Null unless set */
    readonly address: string | null;
  };
  /** May move or burn anybody's tokens */
  readonly permanent_delegate: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    /** Null unless set */
    readonly address: string | null;
  };
  /** A program that each transfer calls, and that may refuse it */
  readonly transfer_hook: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    readonly address: string | null;
    /** May name another program, or a first one */
    readonly authority: {
      /** none: it has none; set: it has; unknown: the mint account can't be read */
      readonly status: "none" | "set" | "unknown";
      /** Null unless set */
      readonly address: string | null;
    };
  };
  /** What each transfer loses on its way; slippage includes it */
  readonly transfer_fee: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    /** What holds now, percent of what is sent; 0: nothing */
    readonly fee_pct: number | null;
    /** Of one transfer at the most, in base units */
    readonly max_fee_units: string | null;
    /** May change it, two epochs ahead */
    readonly authority: {
      /** none: it has none; set: it has; unknown: the mint account can't be read */
      readonly status: "none" | "set" | "unknown";
      /** Null unless set */
      readonly address: string | null;
    };
    /** Another fee that is to come */
    readonly announced: {
      /** none: it has none; set: it has; unknown: the mint account can't be read */
      readonly status: "none" | "set" | "unknown";
      readonly from_epoch: number | null;
      readonly fee_pct: number | null;
      readonly max_fee_units: string | null;
    };
  };
  /** Whether all transfers can be stopped at once */
  readonly pausable: {
    /** none: it has none; set: it has; unknown: the mint account can't be read */
    readonly status: "none" | "set" | "unknown";
    readonly is_paused: boolean | null;
    /** May pause all transfers, and resume them */
    readonly authority: {
      /** none: it has none; set: it has; unknown: the mint account can't be read */
      readonly status: "none" | "set" | "unknown";
      /** Null unless set */
      readonly address: string | null;
    };
  };
  /** New holders' accounts have to be thawed */
  readonly accounts_start_frozen: boolean | null;
  /** False: whoever has it can only burn it */
  readonly is_transferable: boolean | null;
  readonly slot: number;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly updated_at: string;
};

export type StressedExit = {
  /** A Solana address: 32 bytes in base58 */
  readonly token_id: string;
  /** retail: the best single route; pro: the order split over all of them */
  readonly profile: "retail" | "pro";
  readonly slot: number;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly updated_at: string;
  readonly age_seconds: number;
  /** ok: of every pool it is known who can withdraw. partial: of some; the others stand unchanged in `stressed`, which may be too good. unknown: of none, or what would be left can't be measured; there is no `stressed` */
  readonly state: "ok" | "partial" | "unknown" | "bloqueado_dato";
  /** Null where the token is blocked */
  readonly now: {
    /** SOL that sellers can take out, down to price zero */
    readonly depth_sol: number;
    /** SOL per whole token; null where nothing can be sold */
    readonly precio_mid: number | null;
    readonly score: number;
    /** The largest standard size below 10 %; 0: none */
    readonly exit_max_sol: number;
    /** Percent by size in SOL, each worth that at this ladder's own mid; null: can't be sold whole */
    readonly slippage: {
      readonly "1": number | null;
      readonly "2": number | null;
      readonly "5": number | null;
      readonly "10": number | null;
      readonly "50": number | null;
      readonly "0.5": number | null;
    };
  } | null;
  /** Null where it is not known; never the same as safe */
  readonly stressed: {
    /** SOL that sellers can take out, down to price zero */
    readonly depth_sol: number;
    /** SOL per whole token; null where nothing can be sold */
    readonly precio_mid: number | null;
    readonly score: number;
    /** The largest standard size below 10 %; 0: none */
    readonly exit_max_sol: number;
    /** Percent by size in SOL, each worth that at this ladder's own mid; null: can't be sold whole */
    readonly slippage: {
      readonly "1": number | null;
      readonly "2": number | null;
      readonly "5": number | null;
      readonly "10": number | null;
      readonly "50": number | null;
      readonly "0.5": number | null;
    };
  } | null;
  /** The largest that one owner can make; null: nobody is known who can, which is not that nobody can */
  readonly withdrawal: {
    /** A Solana address: 32 bytes in base58 */
    readonly owner: string;
    /** program: a program signs for it; whether it lets anybody withdraw is not known, and taken to be so */
    readonly owner_kind: "wallet" | "program";
    /** What of the depth leaves */
    readonly depth_sol: number;
    /** Of the whole depth */
    readonly share_pct: number;
  } | null;
  /** Null where no market of the token is held */
  readonly pools: readonly {
    /** The program, as in /api/status */
    readonly program: string;
    /** A Solana address: 32 bytes in base58 */
    readonly address: string;
    /** SOL that selling can take out of it now; null: not known */
    readonly depth_sol: number | null;
    /** Whether it is known who can take its liquidity out; nobody: a launchpad's curve has no shares */
    readonly who: "known" | "nobody" | "unknown";
    /** Why it is not known; null where it is */
    readonly reason: "positions-not-read" | "holders-not-read" | "shares-do-not-add-up" | "not-among-the-deepest" | "withdrawal-not-modelled" | "not-priced" | null;
    /** What of its depth leaves with the withdrawal; null: not known */
    readonly leaving_sol: number | null;
    /** Of its shares, those of the one who holds most and may withdraw */
    readonly largest_pct: number | null;
    /** Burned, never issued, or held where nobody signs */
    readonly burned_pct: number | null;
    /** Held by a locker that gives back fees and never the liquidity */
    readonly locked_pct: number | null;
    /** In accounts beyond the twenty largest: each smaller than any of these */
    readonly unlisted_pct: number | null;
    /** The slot at which the holders were read */
    readonly holders_slot: number | null;
  }[] | null;
};

export type Pools = {
  /** A Solana address: 32 bytes in base58 */
  readonly token_id: string;
  readonly slot: number;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly updated_at: string;
  /** As in exitability */
  readonly state: "ok" | "bloqueado_dato";
  /** Null where state is bloqueado_dato: what they hold is not known; empty: there are none */
  readonly pools: readonly {
    /** The program, as in /api/status */
    readonly program: string;
    /** The program's family, as in exitability */
    readonly amm: "pumpswap" | "raydium" | "meteora" | "otro";
    /** A Solana address: 32 bytes in base58 */
    readonly address: string;
    /** A Solana address: 32 bytes in base58 */
    readonly quote_mint: string;
    /** open, paused, not-open-yet, complete or migrated */
    readonly status: string;
    /** SOL that selling can still take out of it */
    readonly depth_sol: number;
    /** Of the depth of all pools together, percent */
    readonly share_pct: number | null;
    /** SOL per whole token, before fees */
    readonly spot_price: number | null;
    /** What a small sale loses to fees here now: every part of the pool's own, and the token's transfer fee */
    readonly fee_pct: number;
  }[] | null;
};

export type History = {
  /** A Solana address: 32 bytes in base58 */
  readonly token_id: string;
  readonly step_seconds: number;
  readonly points: readonly {
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly t: string;
    /** Largest size that sold below 10 % slippage */
    readonly c10_sol: number | null;
    readonly depth_sol: number | null;
    /** 0 to 100, of the retail profile; null where the token was blocked or nothing was known */
    readonly score: number | null;
    readonly slippage: {
      readonly "1": number | null;
      readonly "2": number | null;
      readonly "5": number | null;
      readonly "10": number | null;
      readonly "50": number | null;
      readonly "0.5": number | null;
    };
    readonly confianza: "alta" | "media" | "baja" | null;
  }[];
  readonly alerts: readonly {
    readonly id: string;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly detector: string;
    readonly cause: "liquidity-withdrawn" | "sells" | "fees-raised" | "trading-paused" | "unknown";
    /** What the cause took of the whole fall, percent; null where no cause is known, and for alerts recorded before it was kept */
    readonly share_pct: number | null;
    readonly slot: number;
    readonly c10_before_sol: number;
    readonly c10_after_sol: number;
    readonly depth_before_sol: number | null;
    readonly depth_after_sol: number | null;
  }[];
};

export type TokenOutcome = {
  /** As it was asked for */
  readonly token_id: string;
  readonly status: 200 | 404 | 429 | 500 | 503;
  /** With status 200; null with any other */
  readonly exitability: Exitability | null;
  /** A code of the same status; null with 200 */
  readonly error: string | null;
  readonly message: string | null;
};

export type Batch = {
  /** retail: the best single route; pro: the order split over all of them */
  readonly profile: "retail" | "pro";
  readonly items: readonly TokenOutcome[];
};

export type Account = {
  readonly user_id: string;
  readonly email: string | null;
  readonly tier: string;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  readonly limits: {
    /** null: no daily gate */
    readonly daily_queries: number | null;
    readonly watchlist_tokens: number;
    readonly fair_use_per_minute: number;
  };
  readonly usage: {
    readonly policy: "day" | "minute";
    readonly limit: number;
    readonly used: number;
    readonly remaining: number;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly resets_at: string;
  };
};

export type Session = {
  readonly id: string;
  readonly is_current: boolean;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly expires_at: string;
  readonly user_agent: string | null;
};

export type ApiKey = {
  readonly id: string;
  /** The key's first and last characters */
  readonly hint: string;
  readonly status: "active" | "expiring" | "expired" | "revoked";
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  readonly used_today: number;
};

export type Channel = {
  readonly id: string;
  readonly kind: "email" | "webhook" | "telegram";
  readonly target: string;
  readonly status: "pending" | "verified" | "failing";
  readonly enabled: boolean;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  readonly last_delivery_at: string | null;
  readonly last_error: string | null;
};

export type Alert = {
  readonly id: string;
  /** The watchlist entry that it was for */
  readonly entry_id: number;
  /** A Solana address: 32 bytes in base58 */
  readonly mint: string;
  readonly token_name: string | null;
  readonly token_symbol: string | null;
  readonly size_sol: number;
  readonly kind: "deterioration" | "slippage" | "no-exit";
  readonly cause: "liquidity-withdrawn" | "sells" | "fees-raised" | "trading-paused" | "unknown";
  /** What the cause has of the fall, percent */
  readonly share_pct: number | null;
  readonly slot: number;
  readonly slippage_before_pct: number | null;
  readonly slippage_after_pct: number | null;
  readonly c10_before_sol: number | null;
  readonly c10_after_sol: number | null;
  readonly depth_before_sol: number | null;
  readonly depth_after_sol: number | null;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly since: string;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  /** The alert in words, by Accept-Language */
  readonly text: string;
  /** How it came out half an hour later; null until then, and where it can't be told */
  readonly grade: {
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly graded_at: string;
    readonly was_worse: boolean;
    readonly waited_cost_pct: number | null;
  } | null;
};

export type AccountExport = {
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly exported_at: string;
  readonly user: {
    readonly user_id: string;
    readonly email: string | null;
    readonly tier: string;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly created_at: string;
  };
  readonly identities: readonly {
    readonly issuer: string;
    readonly subject: string;
  }[];
  readonly sessions: readonly Session[];
  readonly api_keys: readonly ApiKey[];
  readonly daily_usage: readonly {
    readonly day: string;
    readonly used: number;
  }[];
  readonly waitlist: {
    readonly origen: string;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly created_at: string;
  } | null;
  readonly events: readonly {
    readonly event_name: string;
    readonly payload: Readonly<Record<string, unknown>> | null;
    readonly utm_source: string | null;
    readonly utm_medium: string | null;
    readonly utm_campaign: string | null;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly at: string;
  }[];
  readonly watchlist: readonly {
    /** A Solana address: 32 bytes in base58 */
    readonly mint: string;
    readonly size_sol: number;
    readonly alerts_enabled: boolean;
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly created_at: string;
  }[];
  readonly channels: readonly Channel[];
  readonly alerts: readonly Alert[];
};

export type IssuedKey = {
  readonly status: "created";
  readonly id: string;
  /** Shown this once */
  readonly key: string;
  readonly hint: string;
};

export type WatchlistItem = {
  readonly id: number;
  readonly user_id: string;
  /** A Solana address: 32 bytes in base58 */
  readonly mint: string;
  readonly size_sol: number;
  readonly alerts_enabled: boolean;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly created_at: string;
  readonly exitability: {
    readonly state: "ok" | "bloqueado_dato" | "bloqueado_tamano_amm" | "not_found" | null;
    readonly score: number | null;
    readonly depth_sol: number | null;
    readonly exit_max_sol: number | null;
    readonly slippage_pct: number | null;
    readonly trend: "improving" | "stable" | "deteriorating" | null;
    readonly alerta_deterioro: boolean | null;
    readonly confianza: "alta" | "media" | "baja" | null;
    readonly calidad_dato: "suficiente" | "insuficiente" | null;
    readonly updated_at: string | null;
    readonly token_name: string | null;
    readonly token_symbol: string | null;
  };
};

export type Channels = {
  readonly items: readonly Channel[];
  readonly dead_letters: readonly {
    readonly alert_id: string;
    readonly channel_id: string;
    readonly kind: "email" | "webhook" | "telegram";
    /** UTC, ISO 8601 with milliseconds and Z */
    readonly failed_at: string;
    readonly error: string;
  }[];
};

export type AddedChannel = {
  readonly status: "pending" | "verified";
  readonly id: string;
  /** A webhook's signing secret, shown this once */
  readonly secret: string | null;
  /** What to do next, in a sentence */
  readonly verification: string;
};

export type Examples = {
  readonly chain: "demo" | "recorded" | "live";
  readonly tokens: readonly {
    /** A Solana address: 32 bytes in base58 */
    readonly mint: string;
    readonly name: string;
    readonly symbol: string;
    readonly story: {
      readonly es: string;
      readonly en: string;
    };
  }[];
};

export type Status = {
  readonly chain: "demo" | "recorded" | "live";
  /** Since the newest block's time */
  readonly chain_age_seconds: number | null;
  readonly slot: number | null;
  /** Slots between the node's newest and the newest applied */
  readonly slot_lag: number | null;
  readonly venues: readonly {
    readonly program: string;
    readonly family: string;
    readonly kind: string;
  }[];
  readonly version: string;
};

export type Deployment = {
  /** upgradeable: its authority may replace it. final: nobody may any more. immutable: its loader replaces nothing, and keeps no slot. unknown: see unknown_because */
  readonly state: "upgradeable" | "final" | "immutable" | "unknown";
  readonly unknown_because: "not-read" | "no-such-account" | "no-code" | "loader-unknown" | "bytes-unreadable" | null;
  /** When a node last told of it */
  readonly read_at: string | null;
  /** Since when its code is known to be another than before; null: no change was seen */
  readonly upgrade_seen_at: string | null;
  /** deployed_slot before that change */
  readonly previous_slot: number | null;
};

export type AccuracyWindow = {
  /** Swaps that were executed on pools that are tracked */
  readonly seen: number;
  /** Of these, replayed on the state before them */
  readonly replayed: number;
  /** Modelled to the base unit */
  readonly exact: number;
  /** Off by a basis point at most, exact ones included */
  readonly within_1bp: number;
  /** The largest difference; null where nothing was replayed */
  readonly worst_bps: number | null;
  /** Seen and not replayed, by reason */
  readonly skipped: Readonly<Record<string, number>>;
};

export type QuotedWindow = {
  /** Sales for SOL held against answers about their token, each with each */
  readonly compared: number;
  /** Basis points of the sale's worth; below zero: paid more */
  readonly p10_bps: number | null;
  /** Null where no sale was compared */
  readonly p50_bps: number | null;
  readonly p90_bps: number | null;
  readonly p99_bps: number | null;
};

export type Accuracy = {
  readonly venues: readonly {
    readonly program: string;
    /** What confidence goes by; null where nothing was replayed */
    readonly exact_pct: number | null;
    /** Slot in which the program's code was last deployed; null where it is not known or not kept */
    readonly deployed_slot: number | null;
    readonly deployment: Deployment;
    readonly windows: {
      readonly hour: AccuracyWindow;
      readonly day: AccuracyWindow;
      readonly month: AccuracyWindow;
    };
  }[];
  /** What an answer's age costs: how much less than the answer said, at the sale's own size, sales were paid */
  readonly quoted_vs_executed: readonly {
    /** Answers served up to so long before the sale */
    readonly age_seconds: number;
    readonly windows: {
      readonly day: QuotedWindow;
      readonly month: QuotedWindow;
    };
  }[];
};

export type JudgedSwap = {
  readonly program: string;
  /** A Solana address: 32 bytes in base58 */
  readonly pool: string;
  readonly slot: number;
  /** The transaction's, in base58 */
  readonly signature: string;
  /** UTC, ISO 8601 with milliseconds and Z */
  readonly seen_at: string;
  /** Slot in which the code that executed it was deployed; null where that is not known */
  readonly deployed_slot: number | null;
  /** exact: modelled to the base unit. refused: the model would not fill what the program did. skipped: not replayed */
  readonly outcome: "exact" | "inexact" | "refused" | "skipped";
  /** As counted in the windows of /api/accuracy */
  readonly skipped_because: string | null;
  readonly input_mint: string | null;
  readonly output_mint: string | null;
  /** Base units; lamports of SOL. Null where outcome is skipped */
  readonly amount_in: string | null;
  /** Base units; lamports of SOL. Null where outcome is skipped */
  readonly executed: string | null;
  /** Null where outcome is refused or skipped */
  readonly modelled: string | null;
  /** modelled less executed, in base units of output_mint: lamports where SOL came out */
  readonly difference: string | null;
  /** Its size in basis points of what was paid; 10000 where the model refuses; null where outcome is skipped */
  readonly difference_bps: number | null;
};

export type AccuracySwaps = {
  /** The last one first */
  readonly swaps: readonly JudgedSwap[];
};

export type Readiness = {
  readonly status: "ready" | "not_ready";
  readonly database: "ok" | "failing";
  readonly chain_age_seconds: number | null;
  readonly slot_lag: number | null;
};

/** Every code that a refusal can have. */
export type ErrorCode =
  | "body_too_large"
  | "chain_unavailable"
  | "duplicate"
  | "forbidden_origin"
  | "invalid_body"
  | "invalid_email"
  | "invalid_event_name"
  | "invalid_mint"
  | "invalid_profile"
  | "invalid_size"
  | "limit_reached"
  | "method_not_allowed"
  | "missing_event_name"
  | "no_changes"
  | "not_found"
  | "overloaded"
  | "rate_limit_exceeded"
  | "server_error"
  | "state_not_stored"
  | "unauthorized"
  | "unsupported_media_type";

/** What most refusals are: a stable code, and one helpful sentence. */
export type Refusal<Code extends ErrorCode> = { readonly error: Code; readonly message: string };

/** Every operation: what it takes, and what it answers by status. */
export type Operations = {
  /** Can a position be sold now, and at what slippage? */
  readonly getExitability: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/exitability";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: {
      /** retail: the best single route. pro: the order split over all of them. */
      readonly profile?: "retail" | "pro" | undefined;
      /** SOL, 0.01 to 1000, in plain digits. Snaps to the nearest of 0.5, 1, 2, 5, 10, 50; a tie goes to the larger. */
      readonly size?: number | undefined;
      /** A past slot: what was answered on the state at it, or on the newest stored one up to 825 slots before it. X-State-Slot says which one that is, updated_at its time; aviso, trend and alert are as they were then. The same bytes for whoever asks, whenever, for three days (or as the operator sets it). Answers are stored while a token is asked for or watched: the first within some seconds, then one whenever something moves, a minute apart at the least, or five minutes where nothing does. A slot after the newest stored one is 404 state_not_stored until a later one is: what is answered is final. slot_before and slot_after name slots that there are. Counts like any other query. */
      readonly at_slot?: number | undefined;
    };
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
    };
    readonly body: undefined;
    readonly answers: {
      readonly 200: Exitability;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_profile" | "invalid_size" | "invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound | StateNotStored;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** One sale of any size, exact, with its route */
  readonly getExitAt: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/exitability/at";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: {
      /** 0.01 to 1000 SOL, to the lamport; or whole tokens with unit=token, above 0 and no finer than the token's decimals. Plain digits. */
      readonly size: string;
      /** What size counts */
      readonly unit?: "sol" | "token" | undefined;
      /** retail: the best single route. pro: the order split over all of them. */
      readonly profile?: "retail" | "pro" | undefined;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: ExitAt;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_profile" | "invalid_size" | "invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** A token's name, supply, and what its mint lets somebody do to holders */
  readonly getToken: {
    readonly method: "GET";
    readonly path: "/api/token/{id}";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Token;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** The exits that are left after the largest withdrawal */
  readonly getStressedExit: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/exitability/stressed";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: {
      /** retail: the best single route. pro: the order split over all of them. */
      readonly profile?: "retail" | "pro" | undefined;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: StressedExit;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_profile" | "invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** The pools that a token can be sold in */
  readonly getPools: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/pools";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Pools;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** A token's exit capacity, depth, score and slippage over time, and its alerts */
  readonly getHistory: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/history";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: {
      /** ISO 8601. Default: a day before to */
      readonly from?: string | undefined;
      /** ISO 8601. Default: now */
      readonly to?: string | undefined;
      /** Seconds between points, 10 or more */
      readonly step?: number | undefined;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: History;
      readonly 304: undefined;
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: TokenNotFound;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** Up to a hundred tokens at once, each with its own outcome */
  readonly getExitabilityBatch: {
    readonly method: "POST";
    readonly path: "/api/exitability/batch";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
    };
    readonly body: {
      /** Mint addresses; one that is named twice is answered and counted once */
      readonly mints: readonly string[];
      /** retail: the best single route; pro: the order split over all of them */
      readonly profile?: "retail" | "pro" | undefined;
      readonly size?: number | undefined;
    };
    readonly answers: {
      readonly 200: Batch;
      readonly 400: Refusal<"invalid_body" | "invalid_profile" | "invalid_size">;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Each new answer of one token, as it happens */
  readonly streamExitability: {
    readonly method: "GET";
    readonly path: "/api/token/{id}/exitability/stream";
    readonly parameters: {
      /** The token's mint address. What is no Solana address is answered 404. */
      readonly id: string;
    };
    readonly query: {
      /** retail: the best single route. pro: the order split over all of them. */
      readonly profile?: "retail" | "pro" | undefined;
      /** SOL, 0.01 to 1000, in plain digits. Snaps to the nearest of 0.5, 1, 2, 5, 10, 50; a tie goes to the larger. */
      readonly size?: number | undefined;
      /** Percentage points by which the slippage of a size has to move to be told. Other states, alerts and sizes that can't be sold any more are always told. */
      readonly threshold?: number | undefined;
    };
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
      /** The id of the last event that was received, on coming back */
      readonly "Last-Event-ID"?: string | undefined;
    };
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 400: Refusal<"invalid_body" | "invalid_profile" | "invalid_size">;
      readonly 401: Refusal<"unauthorized">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** The changes of up to a hundred tokens, as they happen */
  readonly streamMany: {
    readonly method: "GET";
    readonly path: "/api/stream";
    readonly parameters: undefined;
    readonly query: {
      /** 1 to 100 mint addresses, with commas between */
      readonly mints: string;
      /** retail: the best single route. pro: the order split over all of them. */
      readonly profile?: "retail" | "pro" | undefined;
      /** SOL, 0.01 to 1000, in plain digits. Snaps to the nearest of 0.5, 1, 2, 5, 10, 50; a tie goes to the larger. */
      readonly size?: number | undefined;
      /** Percentage points by which the slippage of a size has to move to be told. Other states, alerts and sizes that can't be sold any more are always told. */
      readonly threshold?: number | undefined;
    };
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
      /** The id of the last event that was received, on coming back */
      readonly "Last-Event-ID"?: string | undefined;
    };
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 400: Refusal<"invalid_body" | "invalid_profile" | "invalid_size">;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 429: RateLimitExceeded;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Tools for agents: Model Context Protocol, streamable HTTP */
  readonly mcp: {
    readonly method: "POST";
    readonly path: "/mcp";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      readonly jsonrpc: "2.0";
      /** Left out: a notification */
      readonly id?: string | number | undefined;
      readonly method: string;
      readonly params?: Readonly<Record<string, unknown>> | undefined;
    };
    readonly answers: {
      readonly 200: ({
        readonly jsonrpc: "2.0";
      } & Readonly<Record<string, unknown>>);
      readonly 202: undefined;
      readonly 400: ({
        readonly jsonrpc: "2.0";
      } & Readonly<Record<string, unknown>>) | Refusal<"invalid_body">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Make a free account and mail it a sign-in code */
  readonly register: {
    readonly method: "POST";
    readonly path: "/api/oracle/register";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      /** Plain ASCII; a domain in another script in its xn-- form */
      readonly email: string;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "registered";
        readonly message: string;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_email">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Hear when a tier without a daily limit opens */
  readonly joinWaitlist: {
    readonly method: "POST";
    readonly path: "/api/oracle/waitlist";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      /** Plain ASCII; a domain in another script in its xn-- form */
      readonly email: string;
      readonly origen?: string | undefined;
    };
    readonly answers: {
      readonly 201: {
        readonly status: "waitlisted";
        readonly message: string;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_email">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** A step on the way from a first visit to a payment */
  readonly recordEvent: {
    readonly method: "POST";
    readonly path: "/api/oracle/event";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      readonly event_name: "registro" | "waitlist_email" | "click_upgrade_desde_limite" | "click_avisame_pro" | "watchlist_add" | "alerta_click" | "click_pagar" | "checkout_iniciado" | "pago_real";
      /** Plain ASCII; a domain in another script in its xn-- form */
      readonly email?: string | undefined;
      /** At most 8 KiB */
      readonly payload?: Readonly<Record<string, unknown>> | undefined;
      readonly utm_source?: string | undefined;
      readonly utm_medium?: string | undefined;
      readonly utm_campaign?: string | undefined;
    };
    readonly answers: {
      readonly 201: {
        readonly status: "recorded";
        readonly event_name: string;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_email" | "missing_event_name" | "invalid_event_name">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Have a sign-in code mailed */
  readonly requestCode: {
    readonly method: "POST";
    readonly path: "/api/auth/code";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      /** Plain ASCII; a domain in another script in its xn-- form */
      readonly email: string;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "code_sent";
        readonly message: string;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_email">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Sign in with the code */
  readonly signIn: {
    readonly method: "POST";
    readonly path: "/api/auth/sign-in";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      /** Plain ASCII; a domain in another script in its xn-- form */
      readonly email: string;
      readonly code: string;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "signed_in";
        readonly access_token: string;
        /** UTC, ISO 8601 with milliseconds and Z */
        readonly expires_at: string;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_email">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** End this session */
  readonly signOut: {
    readonly method: "POST";
    readonly path: "/api/auth/sign-out";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "signed_out";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The account, its limits, and what is used of them */
  readonly getAccount: {
    readonly method: "GET";
    readonly path: "/api/account/me";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Account;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Everything kept about the account */
  readonly exportAccount: {
    readonly method: "GET";
    readonly path: "/api/account/export";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: AccountExport;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Delete the account and everything kept about it */
  readonly deleteAccount: {
    readonly method: "DELETE";
    readonly path: "/api/account";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "deleted";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Where the account is signed in */
  readonly listSessions: {
    readonly method: "GET";
    readonly path: "/api/account/sessions";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly items: readonly Session[];
      };
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** End every other session */
  readonly endOtherSessions: {
    readonly method: "DELETE";
    readonly path: "/api/account/sessions";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "ended";
        readonly ended: number;
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** End one session */
  readonly endSession: {
    readonly method: "DELETE";
    readonly path: "/api/account/sessions/{id}";
    readonly parameters: {
      /** The session's id */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "ended";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The account's API keys, without their text */
  readonly listKeys: {
    readonly method: "GET";
    readonly path: "/api/account/keys";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly items: readonly ApiKey[];
      };
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Activate access: make the first API key */
  readonly createKey: {
    readonly method: "POST";
    readonly path: "/api/account/keys";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 201: IssuedKey;
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 409: Refusal<"duplicate">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Make another key; the old one works 24 hours more */
  readonly rotateKey: {
    readonly method: "POST";
    readonly path: "/api/account/keys/rotate";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 201: IssuedKey;
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Revoke a key at once */
  readonly revokeKey: {
    readonly method: "DELETE";
    readonly path: "/api/account/keys/{id}";
    readonly parameters: {
      /** The key's id, not its text */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "revoked";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The entries, oldest first, each measured at its own size */
  readonly listWatchlist: {
    readonly method: "GET";
    readonly path: "/api/oracle/watchlist";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly items: readonly WatchlistItem[];
      };
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Watch a token */
  readonly addToWatchlist: {
    readonly method: "POST";
    readonly path: "/api/oracle/watchlist";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      /** A Solana address: 32 bytes in base58 */
      readonly mint: string;
      readonly size_sol?: number | undefined;
    };
    readonly answers: {
      readonly 201: {
        readonly status: "added";
        readonly id: number;
      };
      readonly 400: Refusal<"invalid_body" | "invalid_mint" | "invalid_size">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin" | "limit_reached">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 409: Refusal<"duplicate">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Change an entry's size, or whether it alerts */
  readonly changeWatchlist: {
    readonly method: "PATCH";
    readonly path: "/api/oracle/watchlist";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      readonly id: number;
      readonly size_sol: number;
      readonly alerts_enabled?: boolean | undefined;
    } | {
      readonly id: number;
      readonly size_sol?: number | undefined;
      readonly alerts_enabled: boolean;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "updated";
      };
      readonly 400: Refusal<"invalid_body" | "invalid_size" | "no_changes">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Watch a token no longer */
  readonly removeFromWatchlist: {
    readonly method: "DELETE";
    readonly path: "/api/oracle/watchlist";
    readonly parameters: undefined;
    readonly query: {
      /** The entry's number */
      readonly id: number;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "deleted";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Alerts of the watched tokens, newest first */
  readonly listAlerts: {
    readonly method: "GET";
    readonly path: "/api/account/alerts";
    readonly parameters: undefined;
    readonly query: {
      /** Only alerts older than the one with this id */
      readonly before?: string | undefined;
      /** At most so many */
      readonly limit?: number | undefined;
    };
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
    };
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly items: readonly Alert[];
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Each new alert, as it happens */
  readonly streamAlerts: {
    readonly method: "GET";
    readonly path: "/api/account/alerts/stream";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
    };
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The channels through which alerts go out, and alerts that could not be delivered */
  readonly listChannels: {
    readonly method: "GET";
    readonly path: "/api/account/channels";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Channels;
      readonly 401: Refusal<"unauthorized">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Add a mailbox, a webhook or a Telegram chat; a code verifies it */
  readonly addChannel: {
    readonly method: "POST";
    readonly path: "/api/account/channels";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: {
      /** aviso is English where English is preferred to Spanish here. */
      readonly "Accept-Language"?: string | undefined;
    };
    readonly body: {
      readonly kind: "email" | "webhook" | "telegram";
      /** By kind: an e-mail address, an http(s) URL, or the number of a chat */
      readonly target: string;
    };
    readonly answers: {
      readonly 201: AddedChannel;
      readonly 400: Refusal<"invalid_body" | "invalid_email">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin" | "limit_reached">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 409: Refusal<"duplicate">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Switch a channel on or off */
  readonly switchChannel: {
    readonly method: "PATCH";
    readonly path: "/api/account/channels";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      readonly id: string;
      readonly enabled: boolean;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "updated";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Remove a channel */
  readonly removeChannel: {
    readonly method: "DELETE";
    readonly path: "/api/account/channels";
    readonly parameters: undefined;
    readonly query: {
      /** The channel's id */
      readonly id: string;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "deleted";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Enter the code that the channel received */
  readonly verifyChannel: {
    readonly method: "POST";
    readonly path: "/api/account/channels/{id}/verify";
    readonly parameters: {
      /** The channel's id */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: {
      readonly code: string;
    };
    readonly answers: {
      readonly 200: {
        readonly status: "verified";
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Send a test through a channel; a new code where it is not verified yet */
  readonly testChannel: {
    readonly method: "POST";
    readonly path: "/api/account/channels/{id}/test";
    readonly parameters: {
      /** The channel's id */
      readonly id: string;
    };
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "sent" | "failed";
        readonly error: string | null;
      };
      readonly 400: Refusal<"invalid_body">;
      readonly 401: Refusal<"unauthorized">;
      readonly 403: Refusal<"forbidden_origin">;
      readonly 404: Refusal<"not_found">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 413: Refusal<"body_too_large">;
      readonly 415: Refusal<"unsupported_media_type">;
      readonly 429: Refusal<"rate_limit_exceeded">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The demo market's named tokens */
  readonly getExamples: {
    readonly method: "GET";
    readonly path: "/api/examples";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Examples;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The chain's age and what is modelled */
  readonly getStatus: {
    readonly method: "GET";
    readonly path: "/api/status";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Status;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Modelled against executed */
  readonly getAccuracy: {
    readonly method: "GET";
    readonly path: "/api/accuracy";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Accuracy;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"chain_unavailable" | "overloaded">;
    };
  };
  /** The last swaps, one by one */
  readonly getAccuracySwaps: {
    readonly method: "GET";
    readonly path: "/api/accuracy/swaps";
    readonly parameters: undefined;
    readonly query: {
      /** Swaps of this program alone */
      readonly program?: "meteora-damm-v1" | "meteora-damm-v2" | "meteora-dbc" | "meteora-dlmm" | "orca-whirlpool" | "pump-curve" | "pumpswap" | "raydium-amm-v4" | "raydium-clmm" | "raydium-cpmm" | "raydium-launchlab" | undefined;
      /** How many at most */
      readonly limit?: number | undefined;
    };
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: AccuracySwaps;
      readonly 400: Refusal<"invalid_body">;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** The process lives */
  readonly getHealth: {
    readonly method: "GET";
    readonly path: "/healthz";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: {
        readonly status: "ok";
      };
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** It can answer */
  readonly getReadiness: {
    readonly method: "GET";
    readonly path: "/readyz";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: Readiness;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Readiness;
    };
  };
  /** This document */
  readonly getOpenapi: {
    readonly method: "GET";
    readonly path: "/openapi.json";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: ({
        readonly openapi: string;
      } & Readonly<Record<string, unknown>>);
      readonly 304: undefined;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** This reference, to read and to try */
  readonly getDocs: {
    readonly method: "GET";
    readonly path: "/docs";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 304: undefined;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Its script */
  readonly getDocsScript: {
    readonly method: "GET";
    readonly path: "/docs/reference.js";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 304: undefined;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
  /** Its style */
  readonly getDocsStyle: {
    readonly method: "GET";
    readonly path: "/docs/reference.css";
    readonly parameters: undefined;
    readonly query: undefined;
    readonly headers: undefined;
    readonly body: undefined;
    readonly answers: {
      readonly 200: string;
      readonly 304: undefined;
      readonly 405: Refusal<"method_not_allowed">;
      readonly 500: Refusal<"server_error">;
      readonly 503: Refusal<"overloaded">;
    };
  };
};
