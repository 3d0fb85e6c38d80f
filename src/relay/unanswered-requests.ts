import { AppError } from "#src/platform/app-error.ts";
import { type RelayLink, RelayUnavailable } from "./relay-link.ts";
import {
  type AnswerOf,
  type AskedOf,
  messageText,
  type RelayTopics,
  type TrackerReply,
  type TrackerRequest,
  type TrackerRequestKind,
} from "./relay-messages.ts";

/** The longest time that loading a token from a slow node takes. */
const ANSWER_WITHIN_MS = 15_000;
/** A curve is forty sales, each executed where a model is wrong; exits after the holders wait for those of other tokens. */
const LONG_ANSWER_WITHIN_MS = 60_000;
const LONG_ANSWERS: ReadonlySet<TrackerRequestKind> = new Set(["curve", "holdersFirst"]);
const MAX_UNANSWERED = 5_000;

/** A request failed by a bug of the tracker: the chain can be reached, and the tracker's log has the stack. */
export class TrackerBug extends Error {}

export type UnansweredRequestsDeps = {
  readonly link: Pick<RelayLink, "publish">;
  readonly topics: RelayTopics;
  /** Whose topic gets the replies. */
  readonly replica: string;
};

type UnansweredRequest = {
  /** The request as it was sent, to send it again to a new tracker. */
  readonly text: string;
  readonly resolve: (reply: TrackerReply) => void;
  readonly reject: (error: Error) => void;
};

/** Requests to the tracker that wait for their replies. */
export class UnansweredRequests {
  readonly #deps: UnansweredRequestsDeps;
  readonly #waiting = new Map<number, UnansweredRequest>();
  #lastId = 0;

  constructor(deps: UnansweredRequestsDeps) {
    this.#deps = deps;
  }

  /**
   * @param onAnswer called before any later message is received
   * @throws RelayUnavailable; TrackerBug; AppError as the tracker refused it, or overloaded if too many
   *   requests wait
   */
  async send<Kind extends TrackerRequestKind>(
    kind: Kind,
    asked: AskedOf<Kind>,
    onAnswer?: (answer: AnswerOf<Kind>, term: bigint) => void,
  ): Promise<AnswerOf<Kind>> {
    if (this.#waiting.size >= MAX_UNANSWERED) {
      throw new AppError("overloaded", {
        publicMessage: "Too many requests are waiting. Try again.",
      });
    }
    const { link, topics, replica } = this.#deps;
    const id = ++this.#lastId;
    const text = messageText({ kind, replica, id, asked } as unknown as TrackerRequest);
    const answered = Promise.withResolvers<AnswerOf<Kind>>();
    answered.promise.catch(() => undefined);
    const timer = setTimeout(
      () => answered.reject(new RelayUnavailable("the tracker did not reply in time")),
      LONG_ANSWERS.has(kind) ? LONG_ANSWER_WITHIN_MS : ANSWER_WITHIN_MS,
    );
    this.#waiting.set(id, {
      text,
      resolve: ({ answer, term }) => {
        onAnswer?.(answer as AnswerOf<Kind>, term);
        answered.resolve(answer as AnswerOf<Kind>);
      },
      reject: answered.reject,
    });
    try {
      await link.publish(topics.tracker, text);
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  receive(reply: TrackerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    const { refusal } = reply;
    if ("answer" in reply) waiting.resolve(reply);
    else if (refusal !== undefined) waiting.reject(new AppError(refusal.code, refusal));
    else if (reply.isOwnBug === true) waiting.reject(new TrackerBug("the tracker failed"));
    else waiting.reject(new RelayUnavailable("the tracker failed"));
  }

  /** Sends all of them again, perhaps to a new tracker. */
  resend(): void {
    const { link, topics } = this.#deps;
    for (const { text } of this.#waiting.values())
      link.publish(topics.tracker, text).catch(() => undefined);
  }

  /** They fail with RelayUnavailable. */
  rejectAll(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new RelayUnavailable(reason));
    this.#waiting.clear();
  }
}
