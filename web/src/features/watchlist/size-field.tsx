import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { WatchlistItem } from "#client/openapi.ts";
import { Button } from "../../components/button.tsx";
import { Form } from "../../components/form.tsx";
import { explain } from "../../lib/explain.ts";
import { formatNumber, localDigits } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useWatchlistActions } from "../../lib/watchlist.ts";
import { noteOfSize, readSize } from "./read-size.ts";

type Props = {
  readonly item: WatchlistItem;
  readonly name: string;
};

/**
 * A size that is edited in place: Enter saves, Escape leaves, and the focus returns to where it was. It stays
 * open until the list has the figures of the new size.
 */
export function SizeField({ item, name }: Props) {
  const { text, language } = usePreferences();
  const { change } = useWatchlistActions();
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
  async function submit(): Promise<void> {
    if (written.sol === null) return;
    await change.mutateAsync({ id: item.id, size_sol: written.sol });
    // What was typed while the answer was on its way stays.
    setDraft((typed) => (typed === draft ? null : typed));
  }
  function leave(event: KeyboardEvent): void {
    if (event.key === "Escape") setDraft(null);
  }
  return (
    <Form className="size-form" onSubmit={submit} failureOf={(error) => explain(error, text)}>
      {(isPending) => (
        <>
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
            <Button type="submit" isSmall disabled={written.sol === null || isPending}>
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
        </>
      )}
    </Form>
  );
}
