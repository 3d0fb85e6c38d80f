import { createHmac, randomBytes, randomInt, randomUUID } from "node:crypto";
import { assertNever } from "#src/platform/assert-never.ts";
import { dayOf, type WallClock } from "#src/platform/clock.ts";
import {
  addChannel,
  CHANNEL_KINDS,
  type Channel,
  type ChannelKind,
  channelsOfUser,
  claimChannelTest,
  noteChannelError,
  removeChannel,
  setChannelCode,
  switchChannel,
  tryChannelCode,
} from "#src/store/channels.ts";
import { type DeadLetter, deadLetters } from "#src/store/deliveries.ts";
import type { Store } from "#src/store/schema.ts";
import { spendCode } from "#src/store/sign-in-requests.ts";
import { spendDailyLimits } from "#src/store/usage.ts";
import type { UserId } from "#src/store/user-id.ts";
import { findUser, findUserByEmail } from "#src/store/users.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { FixedWindows } from "#src/users/fixed-windows.ts";
import { createKeptNames } from "#src/users/kept-usage.ts";
import { mailCapsOf } from "#src/users/mail-caps.ts";
import type { ChannelSender } from "./channel-sender.ts";
import { type PushSender, parseSubscription } from "./push.ts";
import { parseChatId } from "./telegram.ts";
import type { Sent, WebhookSender } from "./webhook-sender.ts";
import { webhookSecret } from "./webhook-signature.ts";

const MOST_CHANNELS = 10;
const CODE_VALID_MINUTES = 30;
const CODE_TRIES = 5;
const TEST_EVERY_MS = 10_000;
/** Each addition calls something outside: so many in ten minutes, kept or not. */
const ADDITIONS = { limit: 20, lengthMs: 600_000 } as const;
const DEAD_LETTERS_SHOWN = 50;

export type ChannelRequest = {
  readonly userId: UserId;
  readonly kind: ChannelKind;
  readonly target: string;
  readonly language: "es" | "en";
};

export type ChannelAnswer =
  | {
      readonly kind: "added";
      readonly channel: Channel;
      /** A webhook's: this once. */
      readonly secret: string | null;
      /** What became of sending the code; null: this address needs none. */
      readonly codeSent: Sent | null;
    }
  | { readonly kind: "invalid-email" }
  | { readonly kind: "invalid-target"; readonly reason: string }
  | { readonly kind: "duplicate" }
  | { readonly kind: "limit-reached"; readonly limit: number }
  | { readonly kind: "too-many" }
  | { readonly kind: "no-user" };

/** The delivery targets of a user, as the endpoints use them. */
export type Channels = {
  readonly list: (userId: UserId) => Promise<{
    readonly channels: readonly Channel[];
    readonly deadLetters: readonly DeadLetter[];
    /** The kinds that can be added here. */
    readonly kinds: readonly ChannelKind[];
    /** The VAPID public key that browsers subscribe with; null: no push messages here. */
    readonly pushKey: string | null;
  }>;
  readonly add: (request: ChannelRequest) => Promise<ChannelAnswer>;
  /** Null: the user has no such channel. */
  readonly verify: (
    userId: UserId,
    id: bigint,
    code: string,
  ) => Promise<"verified" | "wrong" | null>;
  /** Sends a test, or, to a channel that is not verified yet, a new code. */
  readonly test: (userId: UserId, id: bigint) => Promise<Sent | "too-soon" | null>;
  /** @returns whether the user has such a channel */
  readonly setEnabled: (userId: UserId, id: bigint, isEnabled: boolean) => Promise<boolean>;
  /** @returns whether the user had such a channel */
  readonly remove: (userId: UserId, id: bigint) => Promise<boolean>;
};

export type ChannelsDeps = {
  readonly store: Store;
  readonly sender: ChannelSender;
  readonly webhooks: Pick<WebhookSender, "refusal">;
  readonly hasTelegram: boolean;
  readonly push: Pick<PushSender, "publicKey"> | null;
  readonly authSecret: string;
  readonly clock: WallClock;
};

export function createChannels(deps: ChannelsDeps): Channels {
  const { store, sender, clock } = deps;
  const windows = new FixedWindows();
  return {
    async list(userId) {
      const channels = await channelsOfUser(store.db, userId);
      const letters = await deadLetters(store.db, { userId, limit: DEAD_LETTERS_SHOWN });
      const pushKey = deps.push?.publicKey ?? null;
      return { channels, deadLetters: letters, kinds: kindsOf(deps), pushKey };
    },
    async add(request) {
      if (!windows.take(request.userId, ADDITIONS, clock.nowMs()).allowed)
        return { kind: "too-many" };
      return add(deps, request);
    },
    verify(userId, id, code) {
      const codeHash = hashCode(deps.authSecret, id, code);
      const attempt = { codeHash, tries: CODE_TRIES, nowMs: clock.nowMs() };
      return tryChannelCode(store.db, { userId, id }, attempt);
    },
    async test(userId, id) {
      const rule = { nowMs: clock.nowMs(), everyMs: TEST_EVERY_MS };
      const channel = await claimChannelTest(store.db, { userId, id }, rule);
      if (channel === null || channel === "too-soon") return channel;
      if (!channel.isVerified) return sendCode(deps, channel);
      const sent = await sender.send(channel, { kind: "test", uid: randomUUID() });
      await noteChannelError(store.db, id, sent.kind === "sent" ? null : sent.error);
      if (sent.kind === "gone") await switchChannel(store.db, { userId, id }, false);
      return sent;
    },
    setEnabled: (userId, id, isEnabled) => switchChannel(store.db, { userId, id }, isEnabled),
    remove: (userId, id) => removeChannel(store.db, { userId, id }),
  };
}

function kindsOf({ hasTelegram, push }: ChannelsDeps): readonly ChannelKind[] {
  return CHANNEL_KINDS.filter(
    (kind) => (kind !== "telegram" || hasTelegram) && (kind !== "push" || push !== null),
  );
}

async function add(deps: ChannelsDeps, request: ChannelRequest): Promise<ChannelAnswer> {
  const { store, authSecret, clock } = deps;
  const { userId, kind, language } = request;
  const checked = await checkTarget(deps, request);
  if (checked.kind !== "target") return checked;
  const { target, isVerified } = checked;
  const nonce = randomUUID();
  const added = await addChannel(
    store,
    { userId, kind, target, language, nonce, isVerified },
    { limit: MOST_CHANNELS, nowMs: clock.nowMs() },
  );
  if (added.kind === "limit-reached") return { ...added, limit: MOST_CHANNELS };
  if (added.kind !== "added") return added;
  const { channel } = added;
  const secret = kind === "webhook" ? webhookSecret(authSecret, nonce) : null;
  const codeSent = isVerified ? null : await sendCode(deps, channel);
  return { kind: "added", channel, secret, codeSent };
}

type Checked =
  | { readonly kind: "target"; readonly target: string; readonly isVerified: boolean }
  | Exclude<ChannelAnswer, { readonly kind: "added" }>;

async function checkTarget(deps: ChannelsDeps, request: ChannelRequest): Promise<Checked> {
  const { store, webhooks, hasTelegram } = deps;
  const { kind, target } = request;
  switch (kind) {
    case "email": {
      const email = parseEmailAddress(target);
      if (email === null) return { kind: "invalid-email" };
      // Signing in with a code from this mailbox has verified it.
      const user = await findUser(store.db, request.userId);
      return { kind: "target", target: email, isVerified: user?.email === email };
    }
    case "webhook": {
      const reason = await webhooks.refusal(target);
      if (reason !== null) return { kind: "invalid-target", reason };
      return { kind: "target", target: new URL(target).href, isVerified: false };
    }
    case "telegram": {
      if (!hasTelegram)
        return { kind: "invalid-target", reason: "This service has no Telegram bot." };
      const chatId = parseChatId(target);
      if (chatId === null)
        return { kind: "invalid-target", reason: "A Telegram target is the number of a chat." };
      return { kind: "target", target: chatId, isVerified: false };
    }
    case "push": {
      if (deps.push === null)
        return { kind: "invalid-target", reason: "This service sends no push messages." };
      const subscription = parseSubscription(target);
      if (subscription === null)
        return { kind: "invalid-target", reason: "This is not a browser's push subscription." };
      const reason = await webhooks.refusal(subscription.endpoint);
      if (reason !== null) return { kind: "invalid-target", reason };
      return { kind: "target", target: JSON.stringify(subscription), isVerified: false };
    }
    default:
      return assertNever(kind);
  }
}

async function sendCode(deps: ChannelsDeps, channel: Channel): Promise<Sent> {
  const { store, sender, authSecret, clock } = deps;
  // One limit per receiver for the channel codes of all accounts.
  const receiver = createKeptNames(authSecret).ofReceiver(receiverOf(channel));
  if (!(await spendCode(store.db, receiver, clock.nowMs())))
    return {
      kind: "failed",
      error: "This receiver was sent a code recently; try again in a minute, or later.",
    };
  if (channel.kind === "email" && !(await isWithinMailCaps(deps, channel)))
    return { kind: "failed", error: "Too many codes were mailed today; try again tomorrow." };
  const code = newCode(channel.kind);
  const codeHash = hashCode(authSecret, channel.id, code);
  const untilMs = clock.nowMs() + CODE_VALID_MINUTES * 60_000;
  await setChannelCode(store.db, channel.id, { codeHash, untilMs });
  const uid = randomUUID();
  const notification = { kind: "code", uid, code, validMinutes: CODE_VALID_MINUTES } as const;
  const sent = await sender.send(channel, notification);
  await noteChannelError(store.db, channel.id, sent.kind === "sent" ? null : sent.error);
  return sent;
}

/** Codes to mailboxes count against the day's limits of sign-in mails: third parties are sent both. */
async function isWithinMailCaps(
  { store, authSecret, clock }: ChannelsDeps,
  { userId, target: email }: Channel,
): Promise<boolean> {
  const names = createKeptNames(authSecret);
  const user = await findUser(store.db, userId);
  const account = names.ofAccount(user ?? { id: userId, email: null });
  const caps = mailCapsOf({
    email,
    mailbox: names.ofMailbox(email),
    asker: account,
    address: account,
    isFromKnownBrowser: false,
    isToNewUser: (await findUserByEmail(store.db, email)) === null,
  });
  return (await spendDailyLimits(store.db, caps, dayOf(clock.nowMs()))) === null;
}

/** Where a push channel's messages are posted; its keys are for the sender alone. */
export function endpointOf(target: string): string {
  return parseSubscription(target)?.endpoint ?? "";
}

/** The key of a receiver's limit, the same for every account. */
function receiverOf({ kind, target }: Pick<Channel, "kind" | "target">): string {
  if (kind === "email") return parseEmailAddress(target) ?? target;
  if (kind === "telegram") return `telegram:${target}`;
  const { origin, pathname } = new URL(kind === "push" ? endpointOf(target) : target);
  return `${kind}:${origin}${pathname}`;
}

/** Six digits to type from a mail; longer where the code is copied or read by a program. */
function newCode(kind: ChannelKind): string {
  if (kind === "webhook" || kind === "push") return randomBytes(16).toString("hex");
  const digits = kind === "email" ? 6 : 12;
  return String(randomInt(10 ** digits)).padStart(digits, "0");
}

function hashCode(authSecret: string, id: bigint, code: string): string {
  return createHmac("sha256", authSecret).update(`channel-code/${id}/${code}`).digest("hex");
}
