import type { ReactNode } from "react";
import type { ExitAt, Exitability } from "#client/openapi.ts";
import { Unknown } from "../../components/unknown.tsx";
import { useConnection } from "../../lib/connection.ts";
import { formatAge, formatNumber, formatPrice, formatSol, formatTime } from "../../lib/format.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { LATE_SECONDS } from "../../lib/status.ts";

/** The largest capacity that is measured. */
const MOST_CAPACITY_SOL = 1_000;

type Props = {
  readonly answer: Exitability | undefined;
  readonly exit: ExitAt | undefined;
  /** When the sale is known to have paid this; null: it is not known what it pays. */
  readonly knownAtMs: number | null;
  readonly isPushed: boolean;
  /** The figures could not be read again. */
  readonly isOld: boolean;
  /** A request failed: what is not there is unknown, and not on its way. */
  readonly hasFailed: boolean;
  /** The sale is not asked for, and so its answer never comes. */
  readonly isUnasked: boolean;
  /** Nothing can be sold now, and that is known. */
  readonly isPaused: boolean;
};

/** How much gets out within 10 %, and what else is known of the token at a glance. */
export function TokenFactsLine(props: Props) {
  const { answer, exit, knownAtMs, isPushed, isOld, hasFailed, isUnasked, isPaused } = props;
  const { text, language } = usePreferences();
  const missing = hasFailed ? <Unknown /> : <Pending />;
  const capacity = isPaused ? 0 : isUnasked ? null : exit?.capacity_sol;
  return (
    <div className="facts-line">
      <dl>
        <Fact name={text.exit.capacityShort} isMain>
          {capacity === undefined ? (
            missing
          ) : capacity === null ? (
            <Unknown />
          ) : (
            <Capacity sol={capacity} />
          )}
        </Fact>
        <Fact name={text.exit.depth}>
          {answer === undefined ? (
            missing
          ) : isPaused ? (
            text.exit.capacityNone
          ) : (
            <Sol value={answer.depth_sol} />
          )}
        </Fact>
        <Fact name={text.exit.price}>
          {answer === undefined ? missing : isPaused ? text.common.none : <Price answer={answer} />}
        </Fact>
        <Fact name={text.exit.score}>
          {answer === undefined ? (
            missing
          ) : answer.score === null ? (
            <Unknown />
          ) : (
            text.exit.scoreOf(formatNumber(answer.score, language, 1))
          )}
        </Fact>
      </dl>
      <div className="trust">
        <Confidence of={answer?.confianza} />
        <Freshness
          atMs={knownAtMs ?? (answer === undefined ? null : Date.parse(answer.updated_at))}
          isPushed={isPushed}
          isOld={isOld}
        />
      </div>
    </div>
  );
}

type FactProps = {
  readonly name: string;
  readonly isMain?: boolean;
  readonly children: ReactNode;
};

function Fact({ name, isMain = false, children }: FactProps) {
  return (
    <div className={isMain ? "main" : ""}>
      <dt>{name}</dt>
      <dd className="figure">{children}</dd>
    </div>
  );
}

function Pending() {
  return <span aria-hidden="true">{"\u00a0"}</span>;
}

function Sol({ value }: { readonly value: number | null }) {
  const { language } = usePreferences();
  return value === null ? <Unknown /> : formatSol(value, language);
}

function Capacity({ sol }: { readonly sol: number }) {
  const { text, language } = usePreferences();
  if (sol === 0) return <span className="verdict bad">{text.exit.capacityNone}</span>;
  if (sol >= MOST_CAPACITY_SOL)
    return text.exit.capacityAll(formatSol(MOST_CAPACITY_SOL, language));
  return formatSol(sol, language);
}

function Price({ answer }: { readonly answer: Exitability }) {
  const { text, language } = usePreferences();
  const { precio_mid: price } = answer;
  // A token without buyers has no price: that is known, and differs from an unknown one.
  if (price === null) return answer.state === "bloqueado_dato" ? <Unknown /> : text.common.none;
  return (
    <>
      <span aria-hidden="true">{formatPrice(price, language)} SOL</span>
      <span className="visually-hidden">{formatNumber(price, language, 4)} SOL</span>
    </>
  );
}

const CONFIDENCE_LOOKS = { alta: "", media: "verdict warn", baja: "verdict bad" } as const;

/** How far the figures can be trusted; leads to the reason, further below. */
function Confidence({ of }: { readonly of: Exitability["confianza"] | undefined }) {
  const { text } = usePreferences();
  return (
    <p className="confidence">
      {of === undefined ? (
        <Pending />
      ) : (
        <a className={CONFIDENCE_LOOKS[of]} href="#confidence">
          {text.token.confidences[of]}
        </a>
      )}
    </p>
  );
}

type FreshnessProps = {
  readonly atMs: number | null;
  readonly isPushed: boolean;
  readonly isOld: boolean;
};

/** Age of the chain state, counted here until newer data arrive. */
function Freshness({ atMs, isPushed, isOld }: FreshnessProps) {
  const { text, language } = usePreferences();
  const nowMs = useNowMs();
  // A stream that was lost is noticed later than the network.
  const connection = useConnection();
  if (atMs === null) return <p className="freshness">{"\u00a0"}</p>;
  const updatedAt = new Date(atMs).toISOString();
  const ageSeconds = (nowMs - atMs) / 1_000;
  const isStale = ageSeconds > LATE_SECONDS;
  const isRead = !isStale && !isOld && connection === "fine";
  const age = formatAge(ageSeconds);
  return (
    <p className={`freshness figure ${isStale ? "stale" : isPushed && isRead ? "live" : ""}`}>
      <span className="dot" aria-hidden="true" />
      <time dateTime={updatedAt} title={formatTime(updatedAt, language)}>
        {isStale ? text.exit.stateOld(age) : text.exit.stateAge(age)}
      </time>
      {isRead ? <span> · {isPushed ? text.exit.live : text.exit.polled}</span> : null}
    </p>
  );
}
