import {
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from "react";
import { Failure } from "./failure.tsx";

type FormProps = {
  readonly className?: string;
  /** Its failure keeps what was typed, and is shown below the fields. */
  readonly onSubmit: () => Promise<unknown>;
  /** Replaces the service's sentence for failures that have a better one here. */
  readonly failureOf?: (error: unknown) => string | null;
  /** The fields and buttons; the submit button is off while an answer is awaited. */
  readonly children: (isPending: boolean) => ReactNode;
};

/** The one way in which the dashboard sends what is typed: once at a time, with its failure beside it. */
export function Form({ className = "stack", onSubmit, failureOf, children }: FormProps) {
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const sentence = error === null ? null : (failureOf?.(error) ?? null);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isPending) return;
    setIsPending(true);
    setError(null);
    onSubmit()
      .catch(setError)
      .finally(() => setIsPending(false));
  }
  return (
    <form className={className} onSubmit={submit} aria-busy={isPending}>
      {children(isPending)}
      {error === null ? null : sentence === null ? (
        <div className="form-failure">
          <Failure error={error} />
        </div>
      ) : (
        <p className="field-error form-failure" role="alert">
          {sentence}
        </p>
      )}
    </form>
  );
}

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: ReactNode;
  /** Why what is typed can't be sent; null while nothing is wrong. */
  readonly wrong?: string | null;
  /** How what is typed was read; shown while nothing is wrong. */
  readonly note?: string | null;
  readonly ref?: Ref<HTMLInputElement>;
};

/** A labelled field; the reason for a refusal is below it and is read out. */
export function Field({ label, wrong = null, note = null, ...input }: FieldProps) {
  const ownId = useId();
  const id = input.id ?? ownId;
  const isNoted = wrong === null && note !== null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={wrong !== null}
        aria-describedby={wrong !== null ? `${id}-wrong` : isNoted ? `${id}-note` : undefined}
      />
      {wrong === null ? null : (
        <p id={`${id}-wrong`} className="field-error" role="alert">
          {wrong}
        </p>
      )}
      {isNoted ? (
        <p id={`${id}-note`} className="field-note" role="status">
          {note}
        </p>
      ) : null}
    </div>
  );
}
