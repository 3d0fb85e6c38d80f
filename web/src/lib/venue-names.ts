const NAMES: Readonly<Record<string, string>> = {
  "pump-curve": "pump.fun curve",
  pumpswap: "PumpSwap",
  "raydium-amm-v4": "Raydium AMM v4",
  "raydium-cpmm": "Raydium CPMM",
  "raydium-clmm": "Raydium CLMM",
  "raydium-launchlab": "Raydium LaunchLab",
  "meteora-dlmm": "Meteora DLMM",
  "meteora-damm-v1": "Meteora DAMM v1",
  "meteora-damm-v2": "Meteora DAMM v2",
  "meteora-dbc": "Meteora DBC curve",
  "orca-whirlpool": "Orca Whirlpool",
  "orca-whirlpool-immutable": "Orca Whirlpool (immutable)",
  "jupiter-lock": "Jupiter Lock",
  streamflow: "Streamflow",
};

/** A program's name as its users know it; the service's own word where it has none here. */
export function venueName(program: string): string {
  return NAMES[program] ?? program;
}
