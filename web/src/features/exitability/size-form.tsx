import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { formatSol, formatUsd, localDigits } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { nearestWithin } from "../../lib/size-range.ts";
import { STANDARD_SIZES } from "../../lib/standard-sizes.ts";
import type { WrittenAmount } from "../../lib/written-amount.ts";
import { type Paced, paced } from "./paced.ts";
import { SLIDER_STEPS, sizeAtStep, stepOfSize, stepTo } from "./slippage-scale.ts";
import {
  convertedAmount,
  isBeyondLimits,
  limitsOf,
  PROFILES,
  type Rates,
  readAmount,
  readTyped,
  type Sale,
  type SizeUnit,
  UNITS,
  worthInSol,
} from "./token-search.ts";

/** While the slider moves, a size is asked for at most this often: each is a query, and plans have 120 a minute. */
const SLIDER_PACE = { delayMs: 250, leastMs: 1_000 } as const;

type Props = {
  readonly sale: Sale;
  readonly rates: Rates;
  readonly onSale: (sale: Sale) => void;
};

/** The question: how much, in which unit, by one route or split. */
export function SizeForm({ sale, rates, onSale }: Props) {
  const { text } = usePreferences();
  const units = UNITS.filter(
    (unit) => unit !== "usd" || rates.solUsd !== null || sale.unit === "usd",
  );
  const [draft, setDraft] = useState<string | null>(null);
  /** Where the slider is while its size is not the sale's yet. */
  const [step, setStep] = useState<number | null>(null);
  const slides = usePaced((size: number) => choose({ ...sale, unit: "sol", amount: String(size) }));
  /** Another size replaces the one that the slider is about to ask for. */
  function change(changed: Sale): void {
    slides.cancel();
    setStep(null);
    onSale(changed);
  }
  /** A size that is chosen replaces what was typed. */
  function choose(chosen: Sale): void {
    setDraft(null);
    change(chosen);
  }
  function slide(to: number): void {
    setStep(to);
    setDraft(null);
    slides.ask(sizeAtStep(to));
  }
  return (
    <div className="size-form-box">
      <div className="size-line">
        <AmountField
          sale={sale}
          rates={rates}
          units={units}
          draft={draft}
          sliding={step === null ? null : String(sizeAtStep(step))}
          onDraft={setDraft}
          onSale={change}
        />
        <Choice
          label={text.exit.way}
          value={sale.profile}
          options={PROFILES.map((value) => ({ value, label: text.exit.ways[value] }))}
          onChange={(profile) => onSale({ ...sale, profile })}
        />
      </div>
      <Chips sale={sale} onSale={choose} />
      <Slider sale={sale} rates={rates} step={step} onStep={slide} />
    </div>
  );
}

type AmountProps = {
  readonly sale: Sale;
  readonly rates: Rates;
  readonly units: readonly SizeUnit[];
  /** What is typed; null: the sale's own amount. */
  readonly draft: string | null;
  /** In SOL; null: the slider does not move. */
  readonly sliding: string | null;
  readonly onDraft: (draft: string | null) => void;
  readonly onSale: (sale: Sale) => void;
};

/** What is typed takes effect while it is an amount; what is not stays in the field, with the reason. */
function AmountField(props: AmountProps) {
  const { sale, rates, units, draft, sliding, onDraft, onSale } = props;
  const { text, language } = usePreferences();
  const id = useId();
  const amount = sale.unit === "sol" ? (sliding ?? sale.amount) : sale.amount;
  const shown = draft ?? localDigits(amount, language);
  const { solUsd } = rates;
  const read = (typed: string) => readTyped(typed, { unit: sale.unit, solUsd, language });
  const typed = draft === null ? null : read(draft);
  const isWrong = typed === null ? isBeyondLimits(sale, solUsd) : typed.kind !== "amount";
  const hasNote = typed !== null && (typed.kind !== "amount" || typed.isByLanguage);
  function type(draftNow: string): void {
    onDraft(draftNow);
    const written = read(draftNow);
    if (written.kind === "amount") onSale({ ...sale, amount: written.digits });
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isWrong) onDraft(null);
  }
  /** The position stays; one that is beyond the new unit's limits stays in the field, with the reason. */
  function changeUnit(unit: SizeUnit): void {
    const converted = convertedAmount(sale, unit, rates) ?? "1";
    const amount = readAmount(converted, unit, solUsd);
    onDraft(amount === null ? localDigits(converted, language) : null);
    const limits = limitsOf(unit, solUsd);
    const nearest = limits === null ? "1" : String(nearestWithin(Number(converted), limits));
    onSale({ ...sale, unit, amount: amount ?? nearest });
  }
  return (
    <form className="amount" onSubmit={submit} noValidate>
      <label htmlFor={id}>{text.exit.sell}</label>
      <div className="amount-field">
        <input
          id={id}
          className="figure"
          inputMode="decimal"
          enterKeyHint="done"
          autoComplete="off"
          value={shown}
          onChange={(event) => type(event.target.value)}
          onBlur={() => isWrong || onDraft(null)}
          aria-invalid={isWrong}
          aria-describedby={hasNote ? `${id}-note` : undefined}
        />
        <select
          aria-label={text.exit.unit}
          value={sale.unit}
          onChange={(event) =>
            changeUnit(units.find((each) => each === event.target.value) ?? "sol")
          }
        >
          {units.map((unit) => (
            <option key={unit} value={unit}>
              {text.exit.units[unit]}
            </option>
          ))}
        </select>
      </div>
      {hasNote ? (
        <p
          id={`${id}-note`}
          className={isWrong ? "field-error" : "field-note"}
          role={isWrong ? "alert" : "status"}
        >
          <ReadingNote typed={typed} unit={sale.unit} solUsd={solUsd} />
        </p>
      ) : null}
    </form>
  );
}

type ReadingProps = LimitsProps & { readonly typed: WrittenAmount };

/** Why the typed amount is refused, or how it was read. An amount in the page's address is refused in place of the answer. */
function ReadingNote({ typed, unit, solUsd }: ReadingProps) {
  const { text, language } = usePreferences();
  switch (typed.kind) {
    case "amount":
      return text.exit.amountRead(localDigits(typed.digits, language));
    case "ambiguous": {
      const [thousands, decimals] = typed.readings;
      return text.exit.amountAmbiguous(
        localDigits(thousands, language),
        localDigits(decimals, language),
      );
    }
    case "invalid":
      return <Limits unit={unit} solUsd={solUsd} />;
  }
}

type LimitsProps = { readonly unit: SizeUnit; readonly solUsd: number | null };

/** What may be asked for, in the unit of the field. */
export function Limits({ unit, solUsd }: LimitsProps) {
  const { text, language } = usePreferences();
  const limits = limitsOf(unit, solUsd);
  if (unit !== "usd" || limits === null) return text.exit.amountInvalid[unit];
  const { minimum, maximum } = limits;
  return text.exit.amountInvalidUsd(formatUsd(minimum, language), formatUsd(maximum, language));
}

type SaleProps = { readonly sale: Sale; readonly onSale: (sale: Sale) => void };

function Chips({ sale, onSale }: SaleProps) {
  const { text, language } = usePreferences();
  return (
    <fieldset className="chips" aria-label={text.exit.chips}>
      {STANDARD_SIZES.map((size) => (
        <button
          key={size}
          type="button"
          aria-pressed={sale.unit === "sol" && Number(sale.amount) === Number(size)}
          onClick={() => onSale({ ...sale, unit: "sol", amount: size })}
        >
          {localDigits(size, language)}
        </button>
      ))}
    </fieldset>
  );
}

type SliderProps = {
  readonly sale: Sale;
  readonly rates: Rates;
  readonly step: number | null;
  readonly onStep: (step: number) => void;
};

/** Moves freely; the sale follows at its own pace, and ends at the last position. */
function Slider({ sale, rates, step, onStep }: SliderProps) {
  const { text, language } = usePreferences();
  const worth = worthInSol(sale, rates);
  const held = worth === null ? SLIDER_STEPS / 2 : stepOfSize(worth);
  const shown = step ?? held;
  return (
    <input
      className="size-slider"
      type="range"
      min={0}
      max={SLIDER_STEPS}
      value={shown}
      aria-label={text.exit.slider}
      aria-valuetext={formatSol(
        step === null && worth !== null ? worth : sizeAtStep(shown),
        language,
      )}
      onChange={(event) => onStep(stepTo(Number(event.target.value), shown))}
    />
  );
}

/** Calls the newest `action` at the slider's pace. */
function usePaced(action: (size: number) => void): Paced<number> {
  const newest = useRef(action);
  newest.current = action;
  const slides = useMemo(() => paced((size: number) => newest.current(size), SLIDER_PACE), []);
  useEffect(() => () => slides.cancel(), [slides]);
  return slides;
}
