import { setTimeout as delay } from "node:timers/promises";
import { formatTable } from "#src/cli/output.ts";
import { Deployment, type Place, peakResidentBytes } from "../support/deployment.ts";
import { fuzzHttp } from "./http.ts";

/** Fuzzes a service on SQLite and one on Postgres, each with half of the requests. Fails for a 5xx that is not in the contract. */
export async function fuzzBothDatabases(options: {
  readonly requests: number;
  readonly seed: number;
  readonly isJson: boolean;
}): Promise<void> {
  const { requests, seed, isJson } = options;
  const rows: (readonly (string | number)[])[] = [];
  for (const kind of ["sqlite", "postgres"] as const) {
    const deployment = new Deployment();
    try {
      const place: Place = kind === "sqlite" ? deployment.alone() : await deployment.shared();
      const { child, url } = await deployment.serve(place, {
        TRUST_PROXY: "1",
        LOG_LEVEL: "error",
      });
      await untilReady(url);
      const outcome = await fuzzHttp(
        { url, dataDir: place.dataDir },
        { requests: Math.ceil(requests / 2), seed },
      );
      const peakMb = Math.round(peakResidentBytes(child) / 1e6);
      if (isJson) console.log(JSON.stringify({ database: kind, ...outcome, peakMb }));
      const { statuses, overloaded, proofUnavailable, failures } = outcome;
      const byStatus = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
      rows.push([
        ...[kind, outcome.requests, failures.length, overloaded, proofUnavailable, peakMb],
        byStatus.join(", "),
      ]);
      for (const failure of failures) console.error(failure);
      if (failures.length > 0) process.exitCode = 1;
    } finally {
      await deployment.close();
    }
  }
  const heading = [
    "database",
    "requests",
    "5xx",
    "shed",
    "no proof",
    "peak MB",
    "answers by status",
  ];
  if (!isJson) console.log(formatTable([heading, ...rows]));
}

/** Before that, 503 of /readyz is correct. */
async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await fetch(`${url}/readyz`)).status === 200) return;
    await delay(100);
  }
  throw new Error("the service was not ready after 30 s");
}
