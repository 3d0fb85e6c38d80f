// The base first: what a feature says of its own parts comes after it, and wins.
import "./base.css";
import "../components/components.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../lib/api.ts";
import { PreferencesProvider } from "../lib/preferences.tsx";
import { App } from "./app.tsx";

const MOST_RETRIES = 3;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the service refused on purpose it will refuse again.
      retry: (failures, error) =>
        failures < MOST_RETRIES && !(error instanceof ApiError && error.status < 500),
      refetchOnWindowFocus: true,
    },
  },
});

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
