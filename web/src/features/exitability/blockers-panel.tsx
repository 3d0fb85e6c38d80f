import type { ReactNode } from "react";
import type { Exitability, StressedExit, Token } from "#client/openapi.ts";
import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatDay, formatPct, formatSharePct, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import type { ExitText } from "../../lib/text/exit-es.ts";
import type { Language } from "../../lib/text/language.ts";
import { venueName } from "../../lib/venue-names.ts";
import { shownLocks } from "./shown-locks.ts";
import {
  type Power,
  type StressedLock,
  type StressedPool,
  useStressed,
  useTokenFacts,
} from "./use-token-data.ts";

type Props = {
  readonly mint: string;
  readonly answer: Exitability | undefined;
};

/** Who may withdraw the liquidity, and what the mint allows its authorities. */
export function BlockersPanel({ mint, answer }: Props) {
  const { text } = usePreferences();
  const stressed = useStressed(mint);
  return (
    <section className="panel stack" aria-labelledby="blockers">
      <header>
        <h2 id="blockers">{text.exit.blockers.title}</h2>
        <p className="soft small">{text.exit.blockers.lead}</p>
      </header>
      <div className="blocker-columns">
        {stressed.data === undefined && stressed.error === null ? (
          <Skeleton height="14rem" />
        ) : (
          <dl className="blockers">
            {stressed.data === undefined ? (
              <Line name={text.exit.blockers.withdraw} look="plain">
                {text.common.unknown}
              </Line>
            ) : (
              <Liquidity stressed={stressed.data} />
            )}
            {answer === undefined ? null : <Confidence answer={answer} />}
          </dl>
        )}
        <Loaded query={useTokenFacts(mint)} height="14rem">
          {(facts) => (
            <dl className="blockers">
              <Powers facts={facts} />
            </dl>
          )}
        </Loaded>
      </div>
    </section>
  );
}

type LineProps = {
  readonly name: string;
  readonly look: "good" | "warn" | "bad" | "plain";
  readonly children: ReactNode;
  readonly more?: ReactNode;
};

function Line({ name, look, children, more }: LineProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Badge look={look}>{children}</Badge>
        {more === undefined || more === null ? null : <div className="small soft">{more}</div>}
      </dd>
    </div>
  );
}

/** A withdrawal that takes a tenth of the depth is worth a warning; one that takes half, more. */
const WARN_SHARE_PCT = 10;
const BAD_SHARE_PCT = 50;

function Liquidity({ stressed }: { readonly stressed: StressedExit }) {
  const { text, language } = usePreferences();
  const { withdrawal, state } = stressed;
  const words = text.exit.blockers;
  const isUnknown = withdrawal === null && state !== "ok";
  // While every pool is closed its depth is not known, and what one owner holds of it is.
  const held = withdrawal === null ? largestHeld(stressed) : null;
  return (
    <>
      <div className="wide">
        <dt>{words.withdraw}</dt>
        <dd>
          {withdrawal === null ? (
            held !== null ? (
              <strong className={`verdict ${shareLook(held.pct)}`}>
                {words.withdrawHeld(formatSharePct(held.pct, language), venueName(held.program))}
              </strong>
            ) : (
              <Badge look={isUnknown ? "plain" : "good"}>
                {isUnknown ? words.withdrawUnknown : words.withdrawNone}
              </Badge>
            )
          ) : (
            <>
              <strong className={`verdict ${shareLook(withdrawal.share_pct)}`}>
                {(withdrawal.owner_kind === "wallet" ? words.withdrawOne : words.withdrawProgram)(
                  formatSharePct(withdrawal.share_pct, language),
                  formatSol(withdrawal.depth_sol, language),
                )}
              </strong>{" "}
              <Address address={withdrawal.owner} isShort />
              <p className="small">
                <AfterWithdrawal stressed={stressed} />
              </p>
            </>
          )}
          {state === "partial" ? <p className="small soft">{words.partial}</p> : null}
        </dd>
      </div>
      {(stressed.pools ?? [])
        .filter(({ burned_pct, locked_pct }) => burned_pct !== null || locked_pct !== null)
        .map((pool) => (
          <div key={pool.address} className="wide">
            <dt>{venueName(pool.program)}</dt>
            <dd className="small figure">
              {words.burned} {formatSharePct(pool.burned_pct ?? 0, language)} · {words.locked}{" "}
              {formatSharePct(pool.locked_pct ?? 0, language)}
              {(pool.time_locked_pct ?? 0) > 0
                ? ` · ${words.lockedUntil} ${formatSharePct(pool.time_locked_pct ?? 0, language)}`
                : ""}
              {(pool.locked_pct ?? 0) > 0 ? (
                <span className="soft"> · {words.lockedHint}</span>
              ) : null}
              <Locks pool={pool} />
            </dd>
          </div>
        ))}
    </>
  );
}

/** The largest share that one owner holds of a pool; null where the answer names a withdrawal, or none is known. */
function largestHeld({ state, pools }: StressedExit) {
  if (state !== "bloqueado_dato") return null;
  const held = (pools ?? []).flatMap(({ program, who, largest_pct }) =>
    who === "known" && largest_pct !== null && largest_pct > 0 ? { program, pct: largest_pct } : [],
  );
  return held.toSorted((a, b) => b.pct - a.pct)[0] ?? null;
}

function Locks({ pool }: { readonly pool: StressedPool }) {
  const { text } = usePreferences();
  const { shown, more } = shownLocks(pool);
  return (
    <>
      {shown.map((lock, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two locks can be equal, and none has state.
        <LockLine key={place} lock={lock} />
      ))}
      {more === 0 ? null : <div className="soft">{text.exit.blockers.locksMore(more)}</div>}
    </>
  );
}

function LockLine({ lock }: { readonly lock: StressedLock }) {
  const { text, language } = usePreferences();
  return (
    <div>
      {lockSentence(lock, text.exit.blockers, language)}{" "}
      <span className="soft">· {venueName(lock.locker)}</span>
    </div>
  );
}

function lockSentence(
  { share_pct, opens_next, opens_fully, reason }: StressedLock,
  words: ExitText["blockers"],
  language: Language,
): string {
  const pct = formatSharePct(share_pct, language);
  if (opens_next === null || opens_fully === null)
    return reason === "revocable" ? words.lockRevocable(pct) : words.lockUnknown(pct);
  const [first, last] = [opens_next, opens_fully].map(({ at }) => formatDay(at, language));
  if (first === undefined || last === undefined) return words.lockUnknown(pct);
  return first === last ? words.lockUntil(pct, last) : words.lockBetween(pct, first, last);
}

function shareLook(sharePct: number): "warn" | "bad" | "plain" {
  if (sharePct >= BAD_SHARE_PCT) return "bad";
  return sharePct >= WARN_SHARE_PCT ? "warn" : "plain";
}

const STRESS_SIZE = "5";

function AfterWithdrawal({ stressed }: { readonly stressed: StressedExit }) {
  const { text, language } = usePreferences();
  if (stressed.stressed === null) return text.exit.blockers.afterUnknown;
  const slippage = stressed.stressed.slippage[STRESS_SIZE] ?? null;
  const size = formatSol(Number(STRESS_SIZE), language);
  return slippage === null
    ? text.exit.blockers.afterNone(size)
    : text.exit.blockers.after(size, formatPct(slippage, language, 1));
}

function Powers({ facts }: { readonly facts: Token }) {
  const { text, language } = usePreferences();
  const words = text.exit.blockers;
  const fee = facts.transfer_fee;
  return (
    <>
      <PowerLine name={words.freeze} power={facts.freeze_authority} />
      <PowerLine name={words.mint} power={facts.mint_authority} />
      <PowerLine name={words.delegate} power={facts.permanent_delegate} />
      <PowerLine name={words.pause} power={pausePower(facts)} />
      <PowerLine
        name={words.hook}
        power={
          facts.transfer_hook.status === "none"
            ? facts.transfer_hook.authority
            : facts.transfer_hook
        }
      />
      <Line
        name={words.tax}
        look={
          fee.status === "unknown"
            ? "plain"
            : (fee.fee_pct ?? 0) > 0
              ? "bad"
              : fee.status === "set"
                ? "warn"
                : "good"
        }
        more={
          fee.announced.status === "set" && fee.announced.fee_pct !== null
            ? words.taxRaised(formatPct(fee.announced.fee_pct, language))
            : fee.authority.status === "set"
              ? words.taxMutable
              : null
        }
      >
        {fee.status === "unknown" || fee.fee_pct === null
          ? text.common.unknown
          : fee.fee_pct === 0
            ? text.common.none
            : formatPct(fee.fee_pct, language)}
      </Line>
    </>
  );
}

/** Transfers that can be paused, by the one who may. */
function pausePower({ pausable }: Token): Power {
  return pausable.status === "none" ? { status: "none", address: null } : pausable.authority;
}

function PowerLine({ name, power }: { readonly name: string; readonly power: Power }) {
  const { text } = usePreferences();
  if (power.status === "unknown")
    return (
      <Line name={name} look="plain">
        {text.common.unknown}
      </Line>
    );
  return (
    <Line
      name={name}
      look={power.status === "set" ? "bad" : "good"}
      more={power.address === null ? null : <Address address={power.address} isShort />}
    >
      {power.status === "set" ? text.exit.blockers.can : text.exit.blockers.cannot}
    </Line>
  );
}

/** High confidence is shown as good only while no alert is on. */
function Confidence({ answer }: { readonly answer: Exitability }) {
  const { text } = usePreferences();
  const isGood = answer.confianza === "alta" && !answer.alerta_deterioro;
  const look = isGood
    ? "good"
    : answer.confianza === "baja"
      ? "bad"
      : answer.confianza === "media"
        ? "warn"
        : "plain";
  return (
    <div className="wide" id="confidence">
      <dt>{text.exit.blockers.confidence}</dt>
      <dd>
        <Badge look={look}>{text.token.confidences[answer.confianza]}</Badge>
        {answer.aviso === null ? null : <p className="small soft">{answer.aviso}</p>}
      </dd>
    </div>
  );
}
