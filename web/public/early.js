// Runs before the first paint: the chosen theme and language, and the request of a token's page, which
// then is under way while the page's code loads; and what repeats a load of code or style that fails.
// Plain, small, and without imports.
(() => {
  // The service refuses a load while it is overloaded or restarts. Without its code the page stays blank, and
  // the browser does not ask again for a stylesheet that failed.
  const RELOADS = "exitability.reloads";
  const RELOAD_AFTER_MS = [2_000, 4_000, 8_000, 16_000, 32_000];
  let styleAfterMs = 2_000;
  const isCode = (target) =>
    target instanceof HTMLScriptElement &&
    target.type === "module" &&
    target.src.startsWith(`${location.origin}/`);
  const isStyle = (target) => target instanceof HTMLLinkElement && target.rel === "stylesheet";
  // Null where the reader blocks site data: without a count nothing is reloaded.
  const countReload = () => {
    try {
      const reloads = Number(sessionStorage.getItem(RELOADS) ?? 0);
      sessionStorage.setItem(RELOADS, String(reloads + 1));
      return reloads;
    } catch {
      return null;
    }
  };
  const reloadLater = () => {
    const waitMs = RELOAD_AFTER_MS[countReload()];
    // Else its code may be missing for good.
    if (waitMs !== undefined) setTimeout(() => location.reload(), waitMs);
  };
  const loadStyleLater = (link) => {
    setTimeout(() => link.replaceWith(link.cloneNode()), styleAfterMs);
    styleAfterMs *= 2;
  };
  addEventListener(
    "error",
    ({ target }) => {
      if (isCode(target)) reloadLater();
      else if (isStyle(target)) loadStyleLater(target);
    },
    true,
  );
  addEventListener(
    "load",
    ({ target }) => {
      if (!isCode(target)) return;
      try {
        sessionStorage.removeItem(RELOADS);
      } catch {
        // Nothing was counted.
      }
    },
    true,
  );
  const kept = (name) => {
    try {
      return localStorage.getItem(`exitability.${name}`);
    } catch {
      return null;
    }
  };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const tongues = [kept("language"), ...navigator.languages].map((tag) =>
    String(tag).slice(0, 2).toLowerCase(),
  );
  const language = tongues.find((tongue) => tongue === "es" || tongue === "en") ?? "es";
  document.documentElement.lang = language;
  const mint = /^\/token\/([1-9A-HJ-NP-Za-km-z]{32,44})$/.exec(location.pathname)?.[1];
  if (mint === undefined) return;
  const search = new URLSearchParams(location.search);
  let sale = {};
  try {
    sale = JSON.parse(kept("sale") ?? "{}");
  } catch {
    // As on the first visit.
  }
  const profile = search.get("profile") ?? sale.profile ?? "retail";
  const isSol = search.has("size") ? (search.get("unit") ?? "sol") === "sol" : sale.unit !== "usd";
  const amount = search.get("size") ?? sale.amount ?? "1";
  const paths = [`/api/token/${mint}`, `/api/token/${mint}/exitability?profile=${profile}`];
  if (isSol && /^\d{1,4}(\.\d{1,9})?$/.test(amount))
    paths.unshift(`/api/token/${mint}/exitability/at?size=${amount}&profile=${profile}`);
  const options = {
    credentials: "same-origin",
    headers: { accept: "application/json", "accept-language": language },
    signal: AbortSignal.timeout(10_000),
  };
  window.early = new Map(paths.map((path) => [path, fetch(path, options)]));
  // Each is read by the page's code, which also handles a failure.
  for (const early of window.early.values()) early.catch(() => undefined);
})();
