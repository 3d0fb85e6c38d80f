import { EXAMPLE_MINT } from "./operation.ts";

/** Answers as they are about one token, one of each kind. */

const NOBODY = { status: "none", address: null };
const SOMEBODY = "8h4fQdVJPmFkMJ7FzkyCY5EqCn3VdrLQKVuAtuuRNdsZ";
const WSOL = "So11111111111111111111111111111111111111112";

export const EXITABILITY_EXAMPLE = {
  state: "ok",
  token_id: EXAMPLE_MINT,
  fase: "listed",
  amm: "raydium",
  calidad_dato: "suficiente",
  confianza: "media",
  aviso: "There are less than 5 minutes of history: trend and alert are not known yet.",
  depth_sol: 329.805028393,
  precio_mid: 0.000005,
  score: 99.4,
  exit_max_sol: 10,
  slippage: {
    size_requested: 5,
    size_used: 5,
    slip_pct: 1.4946,
    all: { "0.5": 0.3759, "1": 0.5015, "2": 0.7516, "5": 1.4946, "10": 2.7085, "50": 13.9467 },
  },
  trend: "stable",
  alerta_deterioro: false,
  updated_at: "2026-11-21T01:10:10.000Z",
  profile: "retail",
};

export const EXIT_AT_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "retail",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "ok",
  reason: null,
  size_sol: 2.5,
  tokens_sold: 500000,
  net_sol: 2.4782,
  net_lamports: "2478200000",
  slippage_pct: 0.872,
  price_impact_pct: 0.62,
  average_price: 0.0000049564,
  routes: [
    {
      share_pct: 100,
      net_sol: 2.4782,
      legs: [
        {
          program: "raydium-cpmm",
          pool: "7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5",
          input_mint: EXAMPLE_MINT,
          output_mint: WSOL,
          amount_in: "500000000000",
          amount_out: "2478200000",
        },
      ],
    },
  ],
};

export const STRESSED_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "pro",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "partial",
  now: {
    depth_sol: 329.805028393,
    precio_mid: 0.000005,
    score: 94.1,
    exit_max_sol: 50,
    slippage: {
      "0.5": 0.3365,
      "1": 0.4167,
      "2": 0.4735,
      "5": 0.7953,
      "10": 1.3797,
      "50": 5.8732,
    },
  },
  stressed: {
    depth_sol: 203.805028398,
    precio_mid: 0.000005,
    score: 92.6,
    exit_max_sol: 50,
    slippage: {
      "0.5": 0.3608,
      "1": 0.4415,
      "2": 0.4865,
      "5": 0.8982,
      "10": 1.561,
      "50": 6.8829,
    },
  },
  withdrawal: {
    owner: "4qx8LEUTvjiBJixUH5MqymMLyBXE4JJopDUVbUPUMM3R",
    owner_kind: "wallet",
    depth_sol: 125.999999995,
    share_pct: 38.20439021471096,
  },
  pools: [
    {
      program: "raydium-cpmm",
      address: "rXXMNzXgqnWvURGMEBndENBnS2br4i65JEcEyUtuDG6",
      depth_sol: 180,
      who: "known",
      reason: null,
      leaving_sol: 125.999999995,
      largest_pct: 69.99999999726192,
      burned_pct: 30.000000002738076,
      locked_pct: 0,
      unlisted_pct: 0,
      holders_slot: 419999950,
    },
    {
      program: "meteora-dlmm",
      address: "76EUJpnGT21AGemaiAiQaFryGF3rbgTo38AENwRxKn9r",
      depth_sol: 90,
      who: "unknown",
      reason: "positions-not-read",
      leaving_sol: null,
      largest_pct: null,
      burned_pct: null,
      locked_pct: null,
      unlisted_pct: null,
      holders_slot: null,
    },
    {
      program: "raydium-clmm",
      address: "7TCBSPeUZkaPJ1ojcvDHCkawFQBVFnnGVkyw6JdCtRiN",
      depth_sol: 59.805028393,
      who: "unknown",
      reason: "positions-not-read",
      leaving_sol: null,
      largest_pct: null,
      burned_pct: null,
      locked_pct: null,
      unlisted_pct: null,
      holders_slot: null,
    },
  ],
};

export const TOKEN_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  name: "Three Pools",
  symbol: "THREE",
  decimals: 6,
  supply_units: "1000000000000000",
  supply_tokens: 1000000000,
  mint_authority: NOBODY,
  freeze_authority: { status: "set", address: SOMEBODY },
  permanent_delegate: NOBODY,
  transfer_hook: { ...NOBODY, authority: NOBODY },
  transfer_fee: {
    status: "set",
    fee_pct: 1,
    max_fee_units: "5000000000",
    authority: { status: "set", address: SOMEBODY },
    announced: { status: "none", from_epoch: null, fee_pct: null, max_fee_units: null },
  },
  pausable: { status: "none", is_paused: false, authority: NOBODY },
  accounts_start_frozen: false,
  is_transferable: true,
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
};

export const POOLS_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  state: "ok",
  pools: [
    {
      program: "raydium-cpmm",
      amm: "raydium",
      address: "7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5",
      quote_mint: WSOL,
      status: "open",
      depth_sol: 150.2,
      share_pct: 45.54,
      spot_price: 0.000005,
      fee_pct: 0.25,
    },
  ],
};

export const HISTORY_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  step_seconds: 60,
  points: [
    {
      t: "2026-11-21T01:10:00.000Z",
      c10_sol: 35.1,
      depth_sol: 329.8,
      score: 99.4,
      slippage: { "0.5": 0.38, "1": 0.5, "2": 0.75, "5": 1.49, "10": 2.71, "50": 13.95 },
      confianza: "alta",
    },
  ],
  alerts: [],
};
