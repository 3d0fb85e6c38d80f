import { Fragment, type ReactNode } from "react";
import type { Account } from "#client/openapi.ts";
import { signInPath } from "../lib/next-path.ts";
import { useText } from "../lib/preferences.tsx";
import { useAddress } from "../lib/router.ts";
import { useAccount } from "../lib/session.ts";
import { Failure } from "./failure.tsx";
import { Link } from "./link.tsx";
import { Skeleton } from "./skeleton.tsx";

type Props = {
  /** Why a visitor has to sign in. */
  readonly sentence: string;
  /** The height that is kept until it is known who reads. */
  readonly height: string;
  readonly children: (account: Account) => ReactNode;
};

/** A part that requires a session: for a visitor, the way to one in its place. */
export function ForMember({ sentence, height, children }: Props) {
  const { data: account, error, refetch } = useAccount();
  if (account === undefined) {
    if (error === null) return <Skeleton height={height} />;
    return <Failure error={error} onRetry={() => void refetch()} />;
  }
  if (account === null) return <NeedSession sentence={sentence} />;
  // Nothing of another user stays, such as a key that was just issued.
  return <Fragment key={account.user_id}>{children(account)}</Fragment>;
}

function NeedSession({ sentence }: { readonly sentence: string }) {
  const text = useText();
  return (
    <div className="panel row spread">
      <p>{sentence}</p>
      <Link className="button primary" href={signInPath(useAddress())}>
        {text.app.signIn}
      </Link>
    </div>
  );
}
