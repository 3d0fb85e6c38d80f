import { useText } from "../lib/preferences.tsx";
import { useTitle } from "../lib/title.ts";
import { Link } from "./link.tsx";

/** An address without a page. */
export function NotFound() {
  const text = useText();
  useTitle(text.app.notFoundTitle);
  return (
    <div className="stack not-found">
      <p className="not-found-code figure" aria-hidden="true">
        404
      </p>
      <h1>{text.app.notFoundTitle}</h1>
      <p className="soft">{text.app.notFoundBody}</p>
      <div className="row">
        <Link className="button primary" href="/">
          {text.app.home}
        </Link>
        <Link className="button" href="/watchlist">
          {text.app.watchlist}
        </Link>
      </div>
    </div>
  );
}
