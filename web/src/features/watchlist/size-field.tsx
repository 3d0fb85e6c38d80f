import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { WatchlistItem } from "#client/openapi.ts";
import { Button } from "../../components/button.tsx";
import { formatNumber, localDigits } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import type { EntryChange } from "../../lib/watchlist.ts";
import { noteOfSize, readSize } from "./read-size.ts";

type Props = {
  readonly item: WatchlistItem;
  readonly name: string;
  readonly onChange: (change: EntryChange) => void;
};

/** A size that is edited in place: Enter saves, Escape leaves, and the focus returns to where it was. */
export function SizeField({ item, name, onChange }: Props) {
  const { text, language } = usePreferences();
  const [draft, setDraft] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEditing = draft !== null;
  const wasEditing = useRef(false);
  useEffect(() => {
    if (isEditing) field.current?.select();
    else if (wasEditing.current) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (draft === null) {
    return (
      <Button
        ref={button}
        isSmall
        look="quiet"
        onClick={() => setDraft(localDigits(String(item.size_sol), language))}
        aria-label={`${formatNumber(item.size_sol, language)}, ${text.watchlist.size}: ${name}`}
      >
        <span className="figure">{formatNumber(item.size_sol, language)}</span>
        <span aria-hidden="true">✎</span>
      </Button>
    );
  }
  const written = readSize(draft, language, text);
  const note = noteOfSize(draft, language, text);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (written.sol === null) return;
    onChange({ id: item.id, size_sol: written.sol });
    setDraft(null);
  }
  function leave(event: KeyboardEvent): void {
    if (event.key === "Escape") setDraft(null);
  }
  return (
    <form className="size-form" onSubmit={submit}>
      <div className="row">
        <input
          ref={field}
          inputMode="decimal"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={leave}
          aria-label={`${text.watchlist.size}: ${name}`}
          aria-invalid={written.sol === null}
        />
        <Button type="submit" isSmall disabled={written.sol === null}>
          {text.common.save}
        </Button>
        <Button isSmall look="quiet" onClick={() => setDraft(null)}>
          {text.common.cancel}
        </Button>
      </div>
      {written.sol === null ? (
        <p className="field-error" role="alert">
          {written.wrong}
        </p>
      ) : note === null ? null : (
        <p className="field-note" role="status">
          {note}
        </p>
      )}
    </form>
  );
}
