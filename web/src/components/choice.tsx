type Option<Value extends string> = { readonly value: Value; readonly label: string };

type Props<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly Option<Value>[];
  readonly onChange: (value: Value) => void;
};

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <fieldset className="choice" style={{ margin: 0 }} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
