import {
  createJudging,
  createMessaging,
  type Judging,
  type JudgingDeps,
  type Messaging,
  type MessagingDeps,
} from "#src/alerts/alerting.ts";

/** All of alerting in one thread; the service judges and sends in parts. */
export type Alerting = Omit<Messaging & Judging, "start" | "close" | "notices"> & {
  /** Begins to judge, to send and to grade. */
  readonly start: () => Promise<void>;
  /** Stops judging, finishes what is being sent. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

type AlertingDeps = MessagingDeps & { readonly markets: JudgingDeps["markets"] };

/** @throws Error if `webhookAllow` holds anything but address ranges */
export function createAlerting(deps: AlertingDeps): Alerting {
  const { notices, ...messaging } = createMessaging(deps);
  const judging = createJudging({ ...deps, notices });
  return {
    ...{ ...messaging, ...judging },
    async start() {
      await messaging.start();
      await judging.start();
    },
    async close() {
      await judging.close();
      await messaging.close();
    },
  };
}
