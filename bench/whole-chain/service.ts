import type { ChildProcess } from "node:child_process";
import { freePort } from "#test/support/processes/free-port.ts";
import {
  cpuSeconds,
  type Deployment,
  type Place,
  peakResidentBytes,
  residentBytes,
  type Server,
} from "../support/deployment.ts";
import type { ServiceLog } from "./service-log.ts";
import { readMetrics, trackedFigures } from "./service-metrics.ts";

type Role = "all" | "tracker" | "alerts" | "api";

export type ServicePlan = {
  readonly deployment: Deployment;
  readonly place: Place;
  /** A process each for tracker, alerts and API; false: one process for all. */
  readonly isSplit: boolean;
  /** Flags of the Node that follows the chain. */
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: ServiceLog;
};

type Part = { readonly role: Role; readonly metricsPort: number; readonly server: Server };

/** The service under the load, in one process or in three. */
export class Service {
  readonly #plan: ServicePlan;
  /** The first follows the chain, the last answers requests. */
  #parts: readonly [Part, ...Part[]];

  private constructor(plan: ServicePlan, parts: readonly [Part, ...Part[]]) {
    this.#plan = plan;
    this.#parts = parts;
  }

  static async start(plan: ServicePlan): Promise<Service> {
    const start = async (role: Role) => startPart(plan, role, await freePort());
    if (!plan.isSplit) return new Service(plan, [await start("all")]);
    const tracker = await start("tracker");
    return new Service(plan, [tracker, await start("alerts"), await start("api")]);
  }

  /** Where requests are answered. */
  get url(): string {
    return (this.#parts.at(-1) ?? this.#parts[0]).server.url;
  }

  /** The process that follows the chain. */
  get tracker(): ChildProcess {
    return this.#parts[0].server.child;
  }

  /** Metrics of the process that follows the chain. */
  get metricsUrl(): string {
    return metricsUrlOf(this.#parts[0]);
  }

  /** Starts the process that follows the chain again, after it has ended. */
  async startTracker(): Promise<void> {
    const [{ role, metricsPort }, ...others] = this.#parts;
    this.#parts = [await startPart(this.#plan, role, metricsPort), ...others];
  }

  get residentBytes(): number {
    return this.#sum(residentBytes);
  }

  /** The highest of each process, summed. */
  get peakResidentBytes(): number {
    return this.#sum(peakResidentBytes);
  }

  get cpuSeconds(): number {
    return this.#sum((child) => cpuSeconds([child]));
  }

  /** Of each process, by its role. */
  async partFigures() {
    const figures = this.#parts.map(async (part) => {
      const { child } = part.server;
      const { eventLoopP99Ms } = trackedFigures(await readMetrics(metricsUrlOf(part)));
      const residentMb = Math.round(residentBytes(child) / 1e6);
      return [part.role, { residentMb, cpuSeconds: cpuSeconds([child]), eventLoopP99Ms }] as const;
    });
    return Object.fromEntries(await Promise.all(figures));
  }

  #sum(of: (child: ChildProcess) => number): number {
    return this.#parts.reduce((sum, { server }) => sum + of(server.child), 0);
  }
}

async function startPart(
  { deployment, place, nodeFlags, environment, log }: ServicePlan,
  role: Role,
  metricsPort: number,
): Promise<Part> {
  const isTracker = role === "all" || role === "tracker";
  const server = await deployment.start(
    [...(isTracker ? ["--trace-gc", ...nodeFlags] : []), "bin/exitability.mjs", "serve"],
    {
      ...place.environment,
      ...environment,
      ...{ ROLE: role, LOG_LEVEL: "warn", METRICS_PORT: String(metricsPort) },
    },
    (line) => log.add(line),
  );
  return { role, metricsPort, server };
}

function metricsUrlOf({ metricsPort }: Part): string {
  return `http://127.0.0.1:${metricsPort}/metrics`;
}
