// The base first: what a feature says of its own parts comes after it, and wins.
import "./base.css";
import "../components/button.css";
import "../components/components.css";
import "../components/form.css";
import "../components/table.css";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../lib/api.ts";
import { serverNowMs } from "../lib/connection.ts";
import { PreferencesProvider } from "../lib/preferences.tsx";
import { ACCOUNT_QUERY } from "../lib/session.ts";
import { App } from "./app.tsx";
import { keepErrors } from "./kept-errors.ts";
import { mayRetry, retryDelayMs } from "./retries.ts";

/** A session that ended elsewhere is noticed by the first refusal: the page asks to sign in. */
function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401)
    void client.invalidateQueries({ queryKey: ACCOUNT_QUERY });
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => mayRetry(failures, { error, nowMs: serverNowMs() }),
      retryDelay: (failures, error) => retryDelayMs(failures, { error, nowMs: serverNowMs() }),
      refetchOnWindowFocus: true,
      // Without a network a request fails and is reported; paused, it would wait in silence.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
keepErrors(client.getQueryCache());

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <App />
      </PreferencesProvider>
    </QueryClientProvider>
  </StrictMode>,
);
