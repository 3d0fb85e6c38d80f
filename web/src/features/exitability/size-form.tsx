import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { usePreferences } from "../../lib/preferences.tsx";
import { STANDARD_SIZES } from "../../lib/standard-sizes.ts";
import { SLIDER_STEPS, sizeAtStep, stepOfSize } from "./slippage-scale.ts";
import { PROFILES, readAmount, type Sale, type SizeUnit, UNITS } from "./token-search.ts";

/** While the slider moves, a size is asked for at most this often. */
const LEAST_BETWEEN_MS = 250;

type Props = {
  readonly sale: Sale;
  readonly hasDollars: boolean;
  readonly onSale: (sale: Sale) => void;
};

/** The question: how much, in which unit, by one route or split. */
export function SizeForm({ sale, hasDollars, onSale }: Props) {
  const { text } = usePreferences();
  const units = UNITS.filter((unit) => unit !== "usd" || hasDollars || sale.unit === "usd");
  return (
    <div className="size-form-box">
      <div className="size-line">
        <AmountField sale={sale} units={units} onSale={onSale} />
        <Choice
          label={text.exit.way}
          value={sale.profile}
          options={PROFILES.map((value) => ({ value, label: text.exit.ways[value] }))}
          onChange={(profile) => onSale({ ...sale, profile })}
        />
      </div>
      <Chips sale={sale} onSale={onSale} />
      <Slider sale={sale} onSale={onSale} />
    </div>
  );
}

type AmountProps = {
  readonly sale: Sale;
  readonly units: readonly SizeUnit[];
  readonly onSale: (sale: Sale) => void;
};

/** What is typed takes effect while it is an amount; what is not stays in the field, with the reason. */
function AmountField({ sale, units, onSale }: AmountProps) {
  const { text, language } = usePreferences();
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? sale.amount.replace(".", language === "es" ? "," : ".");
  const isWrong = draft !== null && readAmount(draft, sale.unit) === null;
  function type(typed: string): void {
    setDraft(typed);
    const amount = readAmount(typed, sale.unit);
    if (amount !== null) onSale({ ...sale, amount });
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isWrong) setDraft(null);
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
          onBlur={() => isWrong || setDraft(null)}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-error` : undefined}
        />
        <select
          aria-label={text.exit.unit}
          value={sale.unit}
          onChange={(event) => {
            const unit = units.find((each) => each === event.target.value) ?? "sol";
            const amount = readAmount(sale.amount, unit) ?? "1";
            setDraft(null);
            onSale({ ...sale, unit, amount });
          }}
        >
          {units.map((unit) => (
            <option key={unit} value={unit}>
              {text.exit.units[unit]}
            </option>
          ))}
        </select>
      </div>
      {isWrong ? (
        <p id={`${id}-error`} className="field-error" role="alert">
          {text.exit.amountInvalid}
        </p>
      ) : null}
    </form>
  );
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
          {size.replace(".", language === "es" ? "," : ".")}
        </button>
      ))}
    </fieldset>
  );
}

/** Moves freely; the sale follows at most four times a second, and ends at the last position. */
function Slider({ sale, onSale }: SaleProps) {
  const { text, language } = usePreferences();
  const [step, setStep] = useState<number | null>(null);
  const publish = useThrottled((size: number) => {
    setStep(null);
    onSale({ ...sale, unit: "sol", amount: String(size) });
  });
  const held = sale.unit === "sol" ? stepOfSize(Number(sale.amount)) : SLIDER_STEPS / 2;
  const shown = step ?? held;
  return (
    <input
      className="size-slider"
      type="range"
      min={0}
      max={SLIDER_STEPS}
      value={shown}
      aria-label={text.exit.slider}
      aria-valuetext={`${sizeAtStep(shown).toLocaleString(language)} SOL`}
      onChange={(event) => {
        setStep(Number(event.target.value));
        publish(sizeAtStep(Number(event.target.value)));
      }}
    />
  );
}

/** Calls `action` with the newest value, at most once an interval, the last one always. */
function useThrottled(action: (value: number) => void): (value: number) => void {
  const newest = useRef(action);
  newest.current = action;
  const waiting = useRef<{ value: number; timer: ReturnType<typeof setTimeout> } | null>(null);
  useEffect(() => () => clearTimeout(waiting.current?.timer), []);
  return (value) => {
    if (waiting.current !== null) {
      waiting.current.value = value;
      return;
    }
    const timer = setTimeout(() => {
      const last = waiting.current?.value ?? value;
      waiting.current = null;
      newest.current(last);
    }, LEAST_BETWEEN_MS);
    waiting.current = { value, timer };
  };
}
