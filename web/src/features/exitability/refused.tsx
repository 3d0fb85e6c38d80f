import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { type ApiError, isApiError } from "../../lib/api.ts";
import { explain } from "../../lib/explain.ts";
import { looksLikeMint } from "../../lib/format.ts";
import { WSOL } from "../../lib/mint-name.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { LimitNotice } from "./limit-notice.tsx";

type Props = {
  readonly mint: string;
  readonly error: ApiError;
  readonly onRetry: () => void;
};

/** Why there is no answer, and what can be done about it. */
export function Refused({ mint, error, onRetry }: Props) {
  const { text } = usePreferences();
  if (error.code === "rate_limit_exceeded") return <LimitNotice error={error} />;
  if (isApiError(error, "not_found")) {
    if (!looksLikeMint(mint)) {
      return (
        <Notice look="unknown" title={text.token.notAddressTitle} isLive>
          {text.token.notAddress}
        </Notice>
      );
    }
    if (mint === WSOL) return <Notice look="unknown" title={text.token.isSol} isLive />;
    return (
      <Notice look="unknown" title={text.token.notFoundTitle} isLive>
        {typeof error.body.pool_of === "string" ? (
          <>
            <p>{text.token.isPool}</p>
            <Link href={`/token/${encodeURIComponent(error.body.pool_of)}`}>
              {text.token.measureItsToken}
            </Link>
          </>
        ) : (
          <>
            <p>{text.token.noPool}</p>
            <p>{text.token.notFoundBody}</p>
          </>
        )}
      </Notice>
    );
  }
  if (isApiError(error, "chain_unavailable")) {
    return (
      <Notice look="unknown" title={text.token.unavailableTitle} isLive>
        {explain(error, text)}
      </Notice>
    );
  }
  return <Failure error={error} onRetry={onRetry} />;
}
