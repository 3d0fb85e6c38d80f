import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { AlertRecorder } from "#src/alerts/alert-recorder.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { alertsOfUser } from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";
import { closeAfter } from "../ending.ts";
import { warningsTo } from "../failure-loggers.ts";
import { type ScriptedMarkets, scriptedMarkets } from "../markets/scripted-markets.ts";
import { poolAddress } from "../pools/pools.ts";
import { NO_NOTICES } from "./alert-notices.ts";

export const MINT = poolAddress(500);
export const OTHER = poolAddress(501);

export type RecorderScene = ScriptedMarkets & {
  readonly store: Store;
  readonly recorder: AlertRecorder;
  readonly advance: (ms: number) => void;
  readonly clock: WallClock;
  /** Kinds of the user's alerts, the oldest first. */
  readonly kindsOf: (userId: UserId) => Promise<readonly string[]>;
  /** As after a crash: nothing of the old one is left but what is on disk. */
  readonly restart: () => Promise<AlertRecorder>;
};

/** What a recorder without failures must not log. */
export const failOn = (context: unknown) => assert.fail(JSON.stringify(context));

type Setting = { readonly newUid?: () => string; readonly warn?: (context: unknown) => void };

export async function recorderScene(
  t: TestContext,
  store: Store,
  setting: Setting = {},
): Promise<RecorderScene> {
  let nowMs = 1_800_000_000_000;
  let uid = 0;
  const scripted = scriptedMarkets({ nowMs: () => nowMs });
  const make = async () => {
    const recorder = new AlertRecorder({
      store,
      markets: scripted.markets,
      clock: { nowMs: () => nowMs },
      newUid: setting.newUid ?? (() => `msg_${uid++}`),
      ...NO_NOTICES,
      log: warningsTo(setting.warn ?? failOn),
    });
    await recorder.start();
    closeAfter(t, () => recorder.close());
    return recorder;
  };
  let recorder = await make();
  return {
    ...scripted,
    store,
    get recorder() {
      return recorder;
    },
    clock: { nowMs: () => nowMs },
    advance: (ms) => {
      nowMs += ms;
    },
    async kindsOf(userId) {
      await recorder.idle();
      const alerts = await alertsOfUser(store.db, { userId, beforeId: null, limit: 100 });
      return alerts.map(({ kind }) => kind).reverse();
    },
    async restart() {
      await recorder.close();
      recorder = await make();
      return recorder;
    },
  };
}
