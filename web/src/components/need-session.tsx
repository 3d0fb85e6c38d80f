import { signInPath } from "../lib/next-path.ts";
import { useText } from "../lib/preferences.tsx";
import { usePath } from "../lib/router.ts";
import { Link } from "./link.tsx";

/** Shown instead of a page that requires a session. */
export function NeedSession({ sentence }: { readonly sentence: string }) {
  const text = useText();
  return (
    <div className="panel row spread">
      <p>{sentence}</p>
      <Link className="button primary" href={signInPath(usePath())}>
        {text.app.signIn}
      </Link>
    </div>
  );
}
