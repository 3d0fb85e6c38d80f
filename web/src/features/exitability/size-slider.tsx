import { useDeferredValue, useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatPct, formatSol, shortAddress } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { SLIDER_STEPS, sizeAtStep, stepOfSize } from "./slippage-scale.ts";
import type { Profile } from "./use-exitability.ts";
import { type ExitAt, useExitAt } from "./use-token-data.ts";

type Props = {
  readonly mint: string;
  readonly profile: Profile;
  readonly onProfile: (profile: Profile) => void;
};

/** What any size would pay, exactly, for the profile chosen. */
export function SizeSlider({ mint, profile, onProfile }: Props) {
  const { text, language } = usePreferences();
  const [step, setStep] = useState(() => stepOfSize(1));
  const size = sizeAtStep(step);
  const asked = useDeferredValue(String(size));
  const exit = useExitAt(mint, asked, profile, true);
  return (
    <section className="panel stack" aria-labelledby="any-size">
      <div className="row spread">
        <h2 id="any-size">{text.token.sizeTitle}</h2>
        <Choice
          label={text.token.profile}
          value={profile}
          options={[
            { value: "retail", label: text.token.retailShort },
            { value: "pro", label: text.token.proShort },
          ]}
          onChange={onProfile}
        />
      </div>
      <div className="size-columns">
        <div className="stack">
          <div className="field">
            <label htmlFor="size" className="row spread">
              {text.token.sizeLabel}
              <output htmlFor="size" className="slider-size figure">
                {formatSol(size, language)}
              </output>
            </label>
            <input
              id="size"
              type="range"
              min={0}
              max={SLIDER_STEPS}
              value={step}
              onChange={(event) => setStep(Number(event.target.value))}
              aria-valuetext={formatSol(size, language)}
            />
          </div>
          <p className="soft small">{profile === "retail" ? text.token.retail : text.token.pro}</p>
        </div>
        <div className="exit-at">
          {exit.data !== undefined ? (
            <Outcome exit={exit.data} />
          ) : exit.error !== null ? (
            <Failure error={exit.error} onRetry={() => void exit.refetch()} />
          ) : (
            <Skeleton height="9rem" />
          )}
        </div>
      </div>
    </section>
  );
}

function Outcome({ exit }: { readonly exit: ExitAt }) {
  const { text, language } = usePreferences();
  if (exit.state !== "ok" || exit.net_sol === null || exit.slippage_pct === null) {
    return (
      <p>
        <strong>
          {exit.state === "bloqueado_dato" ? text.token.blockedTitle : text.token.notSold}
        </strong>{" "}
        {exit.reason === null ? "" : text.token.notSoldReasons[exit.reason]}
      </p>
    );
  }
  return (
    <>
      <dl className="outcome">
        <div>
          <dt>{text.token.youGet}</dt>
          <dd className="figure outcome-main">{formatSol(exit.net_sol, language)}</dd>
        </div>
        <div>
          <dt>{text.token.youLose}</dt>
          <dd className="figure">{formatPct(exit.slippage_pct, language, 4)}</dd>
        </div>
        <div>
          <dt>{text.token.impact}</dt>
          <dd className="figure">
            {exit.price_impact_pct === null
              ? text.common.unknown
              : formatPct(exit.price_impact_pct, language)}
          </dd>
        </div>
      </dl>
      <h3 className="small soft">{text.token.routes}</h3>
      <ul className="routes small">
        {exit.routes.map((route) => (
          <li key={route.legs.map(({ pool }) => pool).join("+")}>
            <span className="figure">{formatPct(route.share_pct, language, 1)}</span>{" "}
            {route.legs.map(({ program, pool }) => `${program} ${shortAddress(pool)}`).join(" → ")}
          </li>
        ))}
      </ul>
    </>
  );
}
