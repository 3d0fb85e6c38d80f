import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { Button } from "../../components/button.tsx";
import { usePreferences } from "../../lib/preferences.tsx";

/** How long a removal can be undone. */
const UNDO_MS = 6_000;

type Props = {
  readonly name: string;
  readonly isLeaving: boolean;
  readonly onLeaving: (isLeaving: boolean) => void;
  readonly onRemove: () => void;
};

/** Removes after a time in which it can be undone; the focus stays on the same button. */
export function RemoveButton({ name, isLeaving, onLeaving, onRemove }: Props) {
  const { text } = usePreferences();
  const isUndone = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  // A focus that would go with the entry stays in the list.
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current) document.getElementById("watched")?.focus();
    },
    [],
  );
  const remove = useEffectEvent(onRemove);
  useEffect(() => {
    if (!isLeaving) return;
    let isPending = true;
    isUndone.current = false;
    const finish = () => {
      if (isPending) remove();
      isPending = false;
    };
    const timer = setTimeout(finish, UNDO_MS);
    window.addEventListener("pagehide", finish);
    return () => {
      clearTimeout(timer);
      // Leaving the page does not undo it.
      if (!isUndone.current) finish();
      window.removeEventListener("pagehide", finish);
    };
  }, [isLeaving]);
  const word = isLeaving ? text.watchlist.undo : text.common.remove;
  return (
    <>
      <Button
        ref={button}
        isSmall
        look={isLeaving ? "plain" : "quiet"}
        onClick={() => {
          isUndone.current = isLeaving;
          onLeaving(!isLeaving);
        }}
        aria-label={`${word}: ${name}`}
      >
        {word}
      </Button>
      <span role="status" className="visually-hidden">
        {isLeaving ? text.watchlist.removed : ""}
      </span>
    </>
  );
}
