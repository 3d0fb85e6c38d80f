import { useEffect, useState } from "react";
import { useText } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";

const SAY_SO_MS = 2_000;

type Props = {
  readonly value: string;
  readonly label?: string;
  /** A sign instead of a word; the word is its name. */
  readonly isIcon?: boolean;
};

export function CopyButton({ value, label, isIcon = false }: Props) {
  const text = useText();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SAY_SO_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  function copy(): void {
    void copyText(value).then(setIsCopied);
  }
  const word = isCopied ? text.common.copied : text.common.copy;
  return (
    <>
      <Button
        isSmall
        look={isIcon ? "quiet" : "plain"}
        {...(isIcon ? { "aria-label": label ?? text.common.copy, title: label } : {})}
        onClick={copy}
      >
        {isIcon ? <Sign isCopied={isCopied} /> : word}
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied ? text.common.copied : ""}
      </span>
    </>
  );
}

/** Whether the text was copied: into the clipboard, or where there is none, as on plain http, by selecting it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return isCopied;
  }
}

function Sign({ isCopied }: { readonly isCopied: boolean }) {
  return (
    <svg className="copy-sign" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={isCopied ? "M3 8.5l3.5 3.5L13 5" : "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z"} />
    </svg>
  );
}
