import { ApiError, isApiError } from "../lib/api.ts";
import { useConnection } from "../lib/connection.ts";
import { explain } from "../lib/explain.ts";
import { signInPath } from "../lib/next-path.ts";
import { useText } from "../lib/preferences.tsx";
import { useAddress } from "../lib/router.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";
import { Notice } from "./notice.tsx";

type Props = { readonly error: unknown; readonly onRetry?: (() => void) | undefined };

/** What went wrong, in the service's own words where it had any, and the way on where there is one. */
export function Failure({ error, onRetry }: Props) {
  const text = useText();
  const address = useAddress();
  const isOffline = useConnection() === "offline" && !(error instanceof ApiError);
  return (
    <Notice look="warn" isLive>
      <div className="row spread">
        <span>{isOffline ? text.common.offline : explain(error, text)}</span>
        {isApiError(error, "unauthorized") ? (
          <Link className="button small" href={signInPath(address)}>
            {text.app.signIn}
          </Link>
        ) : null}
        {onRetry === undefined ? null : (
          <Button isSmall onClick={onRetry}>
            {text.common.retry}
          </Button>
        )}
      </div>
    </Notice>
  );
}
