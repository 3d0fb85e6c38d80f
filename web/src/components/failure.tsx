import { explain } from "../lib/explain.ts";
import { useText } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

type Props = { readonly error: unknown; readonly onRetry?: () => void };

/** What went wrong, in the service's own words where it had any. */
export function Failure({ error, onRetry }: Props) {
  const text = useText();
  return (
    <Notice look="warn" isLive>
      <div className="row spread">
        <span>{explain(error, text)}</span>
        {onRetry === undefined ? null : (
          <Button isSmall onClick={onRetry}>
            {text.common.retry}
          </Button>
        )}
      </div>
    </Notice>
  );
}
