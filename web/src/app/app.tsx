import { Component, lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Button } from "../components/button.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { HomePage } from "../features/home/home-page.tsx";
import { useText } from "../lib/preferences.tsx";
import { usePath } from "../lib/router.ts";
import { Shell } from "./shell.tsx";

const TokenPage = lazy(() =>
  import("../features/exitability/token-page.tsx").then((page) => ({ default: page.TokenPage })),
);
const SignInPage = lazy(() =>
  import("../features/sign-in/sign-in-page.tsx").then((page) => ({ default: page.SignInPage })),
);
const ApiKeysPage = lazy(() =>
  import("../features/api-keys/api-keys-page.tsx").then((page) => ({ default: page.ApiKeysPage })),
);
const WatchlistPage = lazy(() =>
  import("../features/watchlist/watchlist-page.tsx").then((page) => ({
    default: page.WatchlistPage,
  })),
);
const AlertsPage = lazy(() =>
  import("../features/alerts/alerts-page.tsx").then((page) => ({ default: page.AlertsPage })),
);
const AccountPage = lazy(() =>
  import("../features/account/account-page.tsx").then((page) => ({ default: page.AccountPage })),
);
const MethodPage = lazy(() =>
  import("../features/method/method-page.tsx").then((page) => ({ default: page.MethodPage })),
);
const StatusPage = lazy(() =>
  import("../features/status/status-page.tsx").then((page) => ({ default: page.StatusPage })),
);

export function App() {
  const path = usePath();
  const shown = useRef(path);
  useEffect(() => {
    // A new page is read out from its start; the first one keeps the browser's own focus.
    if (shown.current !== path) document.getElementById("content")?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);
  return (
    <Shell>
      <Boundary key={path}>
        <Suspense fallback={<Skeleton height="60vh" />}>{pageAt(path)}</Suspense>
      </Boundary>
    </Shell>
  );
}

function pageAt(path: string): ReactNode {
  const mint = /^\/token\/([^/]{1,100})$/.exec(path)?.[1];
  if (mint !== undefined) return <TokenPage mint={decodeURIComponent(mint)} />;
  switch (path) {
    case "/":
      return <HomePage />;
    case "/sign-in":
      return <SignInPage />;
    case "/api-keys":
      return <ApiKeysPage />;
    case "/watchlist":
      return <WatchlistPage />;
    case "/alerts":
      return <AlertsPage />;
    case "/account":
      return <AccountPage />;
    case "/method":
      return <MethodPage />;
    case "/status":
      return <StatusPage />;
    default:
      return <Nothing />;
  }
}

function Nothing() {
  const text = useText();
  return (
    <div className="stack">
      <h1>{text.app.notFoundTitle}</h1>
      <p>{text.app.notFoundBody}</p>
    </div>
  );
}

/** A page that fails shows an error; the others go on working. */
class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly hasFailed: boolean }
> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const text = useText();
  return (
    <div className="stack">
      <h1>{text.app.failedTitle}</h1>
      <div>
        <Button onClick={() => window.location.reload()}>{text.app.reload}</Button>
      </div>
    </div>
  );
}
