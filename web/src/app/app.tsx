import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { Boundary } from "../components/boundary.tsx";
import { NotFound } from "../components/not-found.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { TokenPage } from "../features/exitability/token-page.tsx";
import { HomePage } from "../features/home/home-page.tsx";
import { loadPart } from "../lib/load-part.ts";
import { decodeSegment, usePath } from "../lib/router.ts";
import { Shell } from "./shell.tsx";

const SignInPage = loadPart(
  async () => (await import("../features/sign-in/sign-in-page.tsx")).SignInPage,
);
const ApiKeysPage = loadPart(
  async () => (await import("../features/api-keys/api-keys-page.tsx")).ApiKeysPage,
);
const WatchlistPage = loadPart(
  async () => (await import("../features/watchlist/watchlist-page.tsx")).WatchlistPage,
);
const AlertsPage = loadPart(
  async () => (await import("../features/alerts/alerts-page.tsx")).AlertsPage,
);
const AccountPage = loadPart(
  async () => (await import("../features/account/account-page.tsx")).AccountPage,
);
const MethodPage = loadPart(
  async () => (await import("../features/method/method-page.tsx")).MethodPage,
);
const StatusPage = loadPart(
  async () => (await import("../features/status/status-page.tsx")).StatusPage,
);

const PAGES: Readonly<Record<string, () => ReactNode>> = {
  "/": () => <HomePage />,
  "/sign-in": () => <SignInPage />,
  "/api-keys": () => <ApiKeysPage />,
  "/watchlist": () => <WatchlistPage />,
  "/alerts": () => <AlertsPage />,
  "/account": () => <AccountPage />,
  "/method": () => <MethodPage />,
  "/status": () => <StatusPage />,
};

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
  const segment = /^\/token\/([^/]{1,300})$/.exec(path)?.[1];
  const mint = segment === undefined ? null : decodeSegment(segment);
  if (mint !== null) return <TokenPage key={mint} mint={mint} />;
  return (Object.hasOwn(PAGES, path) ? PAGES[path]?.() : undefined) ?? <NotFound />;
}
