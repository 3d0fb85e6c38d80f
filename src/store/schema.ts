import type { Kysely } from "kysely";
import type { AccessChangesTables } from "./access-changes.ts";
import type { AccuracyTables } from "./accuracy.ts";
import type { AlertsTables } from "./alerts.ts";
import type { ApiKeysTables } from "./api-keys.ts";
import type { AuthSecretsTables } from "./auth-secrets.ts";
import type { ChannelsTables } from "./channels.ts";
import type { Dialect } from "./connection/dialect.ts";
import type { DeliveriesTables } from "./deliveries.ts";
import type { EventsTables } from "./events.ts";
import type { JudgedSwapsTables } from "./judged-swaps.ts";
import type { KnownPoolsTables } from "./known-pools.ts";
import type { LeadershipTables } from "./leadership.ts";
import type { ProgramDeploymentsTables } from "./program-deployments.ts";
import type { QuotedExecutedTables } from "./quoted-executed.ts";
import type { RolledSamplesTables } from "./rolled-samples.ts";
import type { SamplesTables } from "./samples.ts";
import type { SessionsTables } from "./sessions.ts";
import type { SignInCodesTables } from "./sign-in-codes.ts";
import type { SignInRequestsTables } from "./sign-in-requests.ts";
import type { StoredAnswersTables } from "./stored-answers.ts";
import type { TokensTables } from "./tokens.ts";
import type { UsageTables } from "./usage.ts";
import type { UserAlertsTables } from "./user-alerts.ts";
import type { UsersTables } from "./users.ts";
import type { WaitingHeldTables } from "./waiting-held.ts";
import type { WaitlistTables } from "./waitlist.ts";
import type { WatchlistTables } from "./watchlist.ts";

/** Every table. Each group of tables has one file with its types and queries. */
export type Schema = UsageTables &
  UsersTables &
  SessionsTables &
  AccessChangesTables &
  SignInCodesTables &
  SignInRequestsTables &
  ApiKeysTables &
  WaitlistTables &
  EventsTables &
  TokensTables &
  SamplesTables &
  RolledSamplesTables &
  StoredAnswersTables &
  KnownPoolsTables &
  AlertsTables &
  WatchlistTables &
  UserAlertsTables &
  ChannelsTables &
  DeliveriesTables &
  AccuracyTables &
  QuotedExecutedTables &
  WaitingHeldTables &
  ProgramDeploymentsTables &
  JudgedSwapsTables &
  LeadershipTables &
  AuthSecretsTables;

/** A database and its dialect, for tables whose columns differ between the two. */
export type Store = { readonly db: Kysely<Schema>; readonly dialect: Dialect };
