import { ApiError } from "../lib/api.ts";
import { useConnection } from "../lib/connection.ts";
import { explain } from "../lib/explain.ts";
import { useText } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

type Props = { readonly error: unknown; readonly onRetry?: () => void };

/** What went wrong, in the service's own words where it had any. */
export function Failure({ error, onRetry }: Props) {
  const text = useText();
  const isOffline = useConnection() === "offline" && !(error instanceof ApiError);
  return (
    <Notice look="warn" isLive>
      <div className="row spread">
        <span>{isOffline ? text.common.offline : explain(error, text)}</span>
        {onRetry === undefined ? null : (
          <Button isSmall onClick={onRetry}>
            {text.common.retry}
          </Button>
        )}
      </div>
    </Notice>
  );
}
