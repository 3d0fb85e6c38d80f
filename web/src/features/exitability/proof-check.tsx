import type { ExitProof } from "#client/openapi.ts";
import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { Notice } from "../../components/notice.tsx";
import { isApiError } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { WSOL } from "../../lib/mint-name.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useStatus } from "../../lib/status.ts";
import { venueName } from "../../lib/venue-names.ts";
import type { Sale } from "./token-search.ts";
import { type ProvedSale, useExitProof } from "./use-exit-proof.ts";

type Props = { readonly mint: string; readonly sale: Sale; readonly solUsd: number | null };

/** Lets the reader have the shown sale executed by the deployed programs. */
export function ProofCheck({ mint, sale, solUsd }: Props) {
  const { text } = usePreferences();
  const { mutate, isPending, data, error } = useExitProof(mint, sale, solUsd);
  const words = text.exit.proof;
  return (
    <div className="proof-check stack">
      <p>
        <Button isSmall disabled={isPending} onClick={() => mutate()}>
          {data === undefined ? words.check : words.again}
        </Button>
      </p>
      <div role="status">
        {isPending ? (
          <p className="soft">{words.checking}</p>
        ) : error !== null ? (
          <Refusal error={error} onRetry={() => mutate()} />
        ) : data === undefined ? null : (
          <Verdict proof={data} />
        )}
      </div>
    </div>
  );
}

/** Where nothing can be executed: the demo market has no programs at all. */
function Refusal({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { text } = usePreferences();
  const isDemo = useStatus().data?.chain === "demo";
  if (!isApiError(error, "proof_unavailable")) return <Failure error={error} onRetry={onRetry} />;
  const words = text.exit.proof;
  return <Notice look="unknown">{isDemo ? words.unavailableInDemo : words.unavailable}</Notice>;
}

/** The verdict holds for its slot: the figures of the page go on. */
function Verdict({ proof }: { readonly proof: ExitProof }) {
  const { text, language } = usePreferences();
  const words = text.exit.proof;
  if (proof.sales.length === 0) return <Notice look="unknown">{words.nothing}</Notice>;
  const slot = formatNumber(proof.slot, language);
  const verdict = { true: words.equal(slot), false: words.different, null: words.partly };
  return (
    <section className="stack" aria-label={words.title}>
      <p className={proof.is_equal === false ? "verdict bad" : ""}>
        <strong>{verdict[`${proof.is_equal}`]}</strong>
      </p>
      <ol className="proof-sales">
        {proof.sales.map((sale) => (
          <ProofOfSale key={`${sale.pools.join()} ${sale.amount_in}`} sale={sale} />
        ))}
      </ol>
    </section>
  );
}

function ProofOfSale({ sale }: { readonly sale: ProvedSale }) {
  const { text, language } = usePreferences();
  const words = text.exit.proof;
  const unit = sale.output_mint === WSOL ? "lamports" : words.units;
  const sign = sale.is_equal === null ? "unknown" : sale.is_equal ? "equal" : "different";
  const amountOf = (outcome: ProvedSale["modelled"]) =>
    outcome.amount_out === null
      ? `${words.refused}: ${outcome.refusal}`
      : `${BigInt(outcome.amount_out).toLocaleString(language)} ${unit}`;
  return (
    <li>
      <p className="row spread">
        <span>
          {venueName(sale.program)}{" "}
          {sale.pools.map((pool) => (
            <Address key={pool} address={pool} isShort />
          ))}
        </span>
        <Badge look={sign === "equal" ? "plain" : "warn"}>{words.signs[sign]}</Badge>
      </p>
      <dl>
        <dt>{words.modelled}</dt>
        <dd className="figure">{amountOf(sale.modelled)}</dd>
        <dt>{words.executed}</dt>
        <dd className="figure">
          {sale.executed === null
            ? `${words.notExecuted}: ${sale.unproved}`
            : amountOf(sale.executed)}
        </dd>
        {sale.program_id === null ? null : (
          <>
            <dt>{words.program}</dt>
            <dd>
              <Address address={sale.program_id} isShort />
            </dd>
            <dt>{words.code}</dt>
            <dd>
              <code title={sale.program_hash ?? ""}>{sale.program_hash?.slice(0, 16)}</code>
            </dd>
            <dt>{words.deployed}</dt>
            <dd className="figure">{sale.deployed_slot ?? words.slotUnknown}</dd>
          </>
        )}
      </dl>
    </li>
  );
}
