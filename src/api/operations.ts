import { addChannel } from "./alerts/add-channel.ts";
import { listAlerts } from "./alerts/list-alerts.ts";
import { listChannels } from "./alerts/list-channels.ts";
import { listCurrentAlerts } from "./alerts/list-current-alerts.ts";
import { removeChannel } from "./alerts/remove-channel.ts";
import { streamAlerts } from "./alerts/stream-alerts.ts";
import { switchChannel } from "./alerts/switch-channel.ts";
import { testChannel } from "./alerts/test-channel.ts";
import { verifyChannel } from "./alerts/verify-channel.ts";
import { mcp } from "./mcp/mcp.ts";
import { getCurve } from "./measuring/curve.ts";
import { getExitAt } from "./measuring/exit-at.ts";
import { getExitProof } from "./measuring/exit-proof.ts";
import { getExitability } from "./measuring/exitability.ts";
import { getHistory } from "./measuring/history.ts";
import { getHoldersFirst } from "./measuring/holders-first.ts";
import { getPastDay } from "./measuring/past-day.ts";
import { getPools } from "./measuring/pools.ts";
import { getStressedExit } from "./measuring/stressed.ts";
import { getToken } from "./measuring/token.ts";
import type { DocumentedOperation, Operation } from "./operation.ts";
import { getAccuracy } from "./service/get-accuracy.ts";
import { getAccuracySwaps } from "./service/get-accuracy-swaps.ts";
import { getExamples } from "./service/get-examples.ts";
import { getStatus } from "./service/get-status.ts";
import { getHealth, getReadiness } from "./service/health.ts";
import {
  getDocs,
  getLlmsText,
  getOpenapi,
  getServerCard,
  getServerCardByName,
  getServerJson,
} from "./service/reference-operations.ts";
import { getExitabilityBatch } from "./streams/batch.ts";
import { streamMany } from "./streams/stream-many.ts";
import { streamExitability } from "./streams/stream-token.ts";
import { createKey } from "./users/create-key.ts";
import { deleteAccount } from "./users/delete-account.ts";
import { endOtherSessions } from "./users/end-other-sessions.ts";
import { endSession } from "./users/end-session.ts";
import { exportAccount } from "./users/export-account.ts";
import { getAccount } from "./users/get-account.ts";
import { joinWaitlist } from "./users/join-waitlist.ts";
import { listKeys } from "./users/list-keys.ts";
import { listSessions } from "./users/list-sessions.ts";
import { recordEvent } from "./users/record-event.ts";
import { register } from "./users/register.ts";
import { requestCode } from "./users/request-code.ts";
import { revokeKey } from "./users/revoke-key.ts";
import { rotateKey } from "./users/rotate-key.ts";
import { signIn } from "./users/sign-in.ts";
import { signOut } from "./users/sign-out.ts";
import { addToWatchlist } from "./watchlist/add-to-watchlist.ts";
import { changeWatchlist } from "./watchlist/change-watchlist.ts";
import { listWatchlist } from "./watchlist/list-watchlist.ts";
import { removeFromWatchlist } from "./watchlist/remove-from-watchlist.ts";

/** The endpoints whose routes follow from their definitions. */
export const ROUTED_OPERATIONS: readonly Operation[] = [
  getExitability,
  getExitAt,
  getExitProof,
  getCurve,
  getToken,
  getStressedExit,
  getHoldersFirst,
  getPastDay,
  getPools,
  getHistory,
  getExitabilityBatch,
  streamExitability,
  streamMany,
  mcp,
  register,
  joinWaitlist,
  recordEvent,
  requestCode,
  signIn,
  signOut,
  getAccount,
  exportAccount,
  deleteAccount,
  listSessions,
  endOtherSessions,
  endSession,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
  listWatchlist,
  addToWatchlist,
  changeWatchlist,
  removeFromWatchlist,
  listAlerts,
  streamAlerts,
  listChannels,
  addChannel,
  switchChannel,
  removeChannel,
  verifyChannel,
  testChannel,
  getExamples,
  listCurrentAlerts,
  getStatus,
  getAccuracy,
  getAccuracySwaps,
  getHealth,
  getReadiness,
];

/** Every method on every path of the service, except the dashboard's own pages. */
export const OPERATIONS: readonly DocumentedOperation[] = [
  ...ROUTED_OPERATIONS,
  getOpenapi,
  getDocs,
  getLlmsText,
  getServerJson,
  getServerCard,
  getServerCardByName,
];
