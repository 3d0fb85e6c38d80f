import type { ExitAt, Exitability, Token } from "#client/openapi.ts";
import { BlockersPanel } from "./blockers-panel.tsx";
import { ClosedPoolsTable } from "./closed-pools-table.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { PastPanel } from "./past-panel.tsx";
import { PoolsTable } from "./pools-table.tsx";
import { SlippageCurve } from "./slippage-curve.tsx";
import { type Sale, sizeInSol } from "./token-search.ts";

export type DetailsProps = {
  readonly mint: string;
  readonly answer: Exitability | undefined;
  readonly facts: Token | undefined;
  readonly sale: Sale;
  readonly exit: ExitAt | undefined;
  readonly isPushed: boolean;
  readonly isPaused: boolean;
};

/** The evidence below the answer. */
export function TokenDetails(props: DetailsProps) {
  const { mint, answer, facts, sale, exit, isPushed, isPaused } = props;
  const sizeSol = exit?.size_sol ?? sizeInSol(sale);
  const isBlocked = answer?.state === "bloqueado_dato";
  const isOther = answer === undefined ? null : answer.amm === "otro";
  return (
    <>
      <BlockersPanel mint={mint} answer={answer} />
      {isBlocked ? null : (
        <SlippageCurve mint={mint} sizeSol={sizeSol} isOther={isOther} isPushed={isPushed} />
      )}
      <HistoryPanel mint={mint} sizeSol={sizeSol} isOther={isOther} />
      {isBlocked ? null : <PastPanel mint={mint} sizeSol={sizeSol} isOther={isOther} />}
      {isPaused ? <ClosedPoolsTable mint={mint} /> : null}
      {isBlocked ? null : <PoolsTable mint={mint} facts={facts} />}
    </>
  );
}
