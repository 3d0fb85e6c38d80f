import { useText } from "../lib/preferences.tsx";
import { Link } from "./link.tsx";

/** Stands where a page is only for those who are signed in. */
export function NeedSession({ sentence }: { readonly sentence: string }) {
  const text = useText();
  return (
    <div className="panel row spread">
      <p>{sentence}</p>
      <Link className="button primary" href="/sign-in">
        {text.app.signIn}
      </Link>
    </div>
  );
}
