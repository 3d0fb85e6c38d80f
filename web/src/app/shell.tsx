import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../components/button.tsx";
import { Link } from "../components/link.tsx";
import { useLiveAlerts } from "../lib/live/use-live.ts";
import { signInPath } from "../lib/next-path.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { useAddress, usePath } from "../lib/router.ts";
import { useAccount } from "../lib/session.ts";
import { useStatus } from "../lib/status.ts";
import { WATCHLIST_QUERY } from "../lib/watchlist.ts";
import { ProblemBanner } from "./problem-banner.tsx";
import "./shell.css";

/** Layout around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { text } = usePreferences();
  const status = useStatus();
  return (
    <>
      <a className="skip" href="#content">
        {text.app.skip}
      </a>
      <header className="top">
        <p className={`chain-strip ${status.data?.chain ?? ""}`}>
          {status.data === undefined ? "\u00a0" : text.app.chains[status.data.chain]}
        </p>
        <div className="top-inner">
          <Link className="brand" href="/" aria-label={text.app.name}>
            <Mark />
            <span className="brand-word">{text.app.name}</span>
          </Link>
          <Navigation />
          <div className="tools">
            <Tools />
          </div>
        </div>
      </header>
      <ProblemBanner />
      <main id="content" className="page" tabIndex={-1}>
        {children}
      </main>
      <footer className="foot">
        <p className="foot-inner">
          {text.app.footer} <a href="/docs">{text.app.docs}</a>
        </p>
      </footer>
    </>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M7 9h9v4h-5v6h5v4H7zM17 14h5V9l7 7-7 7v-5h-5z" fill="var(--accent-ink)" />
    </svg>
  );
}

function Navigation() {
  const { text } = usePreferences();
  const path = usePath();
  const unseen = useUnseenAlerts(path);
  const entries = [
    { href: "/", label: text.app.home },
    { href: "/watchlist", label: text.app.watchlist },
    { href: "/alerts", label: text.app.alerts, count: unseen },
    { href: "/api-keys", label: text.app.apiKeys },
    { href: "/method", label: text.app.method },
    { href: "/status", label: text.app.status },
  ];
  return (
    <nav className="nav" aria-label={text.app.menu}>
      {entries.map(({ href, label, count = 0 }) => (
        <Link key={href} href={href} {...(path === href ? { "aria-current": "page" } : {})}>
          {label}
          {count === 0 ? null : <span className="nav-count figure">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** Alerts that arrived since the alerts' page was last open, in this tab. */
function useUnseenAlerts(path: string): number {
  const account = useAccount();
  const client = useQueryClient();
  const [unseen, setUnseen] = useState(0);
  const isMember = account.data !== undefined && account.data !== null;
  useLiveAlerts(isMember, () => {
    setUnseen((count) => count + 1);
    void client.invalidateQueries({ queryKey: WATCHLIST_QUERY });
  });
  useEffect(() => {
    if (path === "/alerts") setUnseen(0);
  }, [path]);
  // The next user has seen none of them either, but they are not theirs.
  const user = account.data?.user_id ?? null;
  const [seenBy, setSeenBy] = useState(user);
  if (user !== seenBy) {
    setSeenBy(user);
    setUnseen(0);
  }
  return path === "/alerts" ? 0 : unseen;
}

function Tools() {
  const { text, language, setLanguage, theme, setTheme } = usePreferences();
  const other = language === "es" ? "en" : "es";
  const otherTheme = theme === "dark" ? "light" : "dark";
  const themeLabel = otherTheme === "dark" ? text.app.themeDark : text.app.themeLight;
  return (
    <>
      <Button look="quiet" isSmall lang={other} onClick={() => setLanguage(other)}>
        {other === "es" ? "Español" : "English"}
      </Button>
      <Button
        look="quiet"
        isSmall
        aria-label={themeLabel}
        title={themeLabel}
        onClick={() => setTheme(otherTheme)}
      >
        <span aria-hidden="true">{otherTheme === "dark" ? "◐" : "◑"}</span>
      </Button>
      <AccountLink />
    </>
  );
}

function AccountLink() {
  const { text } = usePreferences();
  const path = usePath();
  const address = useAddress();
  const account = useAccount();
  const isSignedIn = account.data !== undefined && account.data !== null;
  const page = isSignedIn ? "/account" : "/sign-in";
  // Signing in leads back here; from the first page, as from none, to the watchlist.
  const href = path === page ? address : isSignedIn || path === "/" ? page : signInPath(address);
  return (
    <Link
      className="button small account-link"
      href={href}
      {...(path === page ? { "aria-current": "page" } : {})}
    >
      {isSignedIn ? text.app.account : text.app.signIn}
    </Link>
  );
}
