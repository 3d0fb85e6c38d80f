import { saleBody } from "#src/api/measuring/exit-proof.ts";
import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import { parseSizeLamports } from "#src/measure/questions/requested-size.ts";
import { AppError } from "#src/platform/app-error.ts";
import { systemClock } from "#src/platform/clock.ts";
import { NO_CODE_IN_DEMO, Proofs, unavailable } from "#src/proof/proofs.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { SaleOutcome, SaleProof } from "#src/proof/prover.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { failureText } from "./failure-text.ts";
import type { Output } from "./output.ts";
import { saleArguments } from "./sale-arguments.ts";

const USAGE = "exitability prove MINT [--size SOL] [--profile retail|pro] [--json]";

/** Executes an exit by the deployed programs; 1 if a sale was not executed, or paid something else. */
export async function prove(args: readonly string[], output: Output): Promise<number> {
  const { mint, size, profile, isJson } = saleArguments(args, USAGE, parseSizeLamports);
  const config = readConfig(process.env);
  const chain = await openChain(config.chain, { clock: systemClock, random: Math.random });
  const proofs = new Proofs({
    chain: { ...chain.source, readAccountSlice: chain.slices.readAccountSlice },
    dataDir: config.dataDir,
    clock: systemClock,
    onFailure: (what, cause) =>
      output.err(`failed to ${what}: ${failureText(cause) ?? String(cause)}`),
  });
  try {
    if (chain.source.origin === "demo") throw unavailable(NO_CODE_IN_DEMO);
    const deps = { source: chain.source, venues: VENUES, clock: systemClock };
    const loaded = await loadMarket(deps, mint);
    if (loaded.kind === "not-found") {
      output.err(`${mint} has no pool or curve on any program we model`);
      return 1;
    }
    const proof = await proofs.prove(loaded, { profile, sizeLamports: size });
    output.out(isJson ? jsonOf(mint, proof) : reportOf(proof));
    return proof.isEqual === true ? 0 : 1;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "proof_unavailable") throw error;
    output.err(`exitability prove: ${error.publicMessage}`);
    return 1;
  } finally {
    await proofs.close();
    await chain.close();
  }
}

function jsonOf(mint: Address, { exit, sales, isEqual }: ExitProof): string {
  return JSON.stringify({
    token_id: mint,
    reason: exit.kind === "unsellable" ? exit.reason : null,
    modelled_lamports: exit.kind === "sold" ? String(exit.paidLamports) : null,
    is_equal: isEqual,
    sales: sales.map(saleBody),
  });
}

function reportOf({ exit, sales, isEqual }: ExitProof): string {
  const head =
    exit.kind === "sold"
      ? `the model pays ${exit.paidLamports} lamports in ${sales.length} sales`
      : `it can't be sold whole: ${exit.reason}`;
  const verdict =
    isEqual === null ? "not every sale was executed" : isEqual ? "all equal" : "DIFFERENT";
  return [head, ...sales.map(saleLine), verdict].join("\n");
}

function saleLine(sale: SaleProof): string {
  const pools = sale.hops?.map(({ pool }) => pool).join(" > ") ?? sale.pool;
  const code = sale.program === null ? "" : `, code ${sale.program.hash.slice(0, 12)}`;
  const slot = sale.program?.deployedSlot ?? null;
  const deployed = slot === null ? "" : ` of slot ${slot}`;
  const executed =
    sale.executed === null ? `not executed: ${sale.unproved}` : outcomeText(sale.executed);
  const sign = sale.isEqual === null ? "?" : sale.isEqual ? "=" : "!";
  return `  ${sign} ${sale.venue} ${pools}: sells ${sale.amountIn}, modelled ${outcomeText(sale.modelled)}, executed ${executed}${code}${deployed}`;
}

function outcomeText(outcome: SaleOutcome): string {
  return outcome.kind === "paid" ? String(outcome.amount) : `refused (${outcome.reason})`;
}
