import { useEffect, useState } from "react";
import { useText } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";

const SAY_SO_MS = 2_000;

export function CopyButton({ value }: { readonly value: string }) {
  const text = useText();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SAY_SO_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  function copy(): void {
    void navigator.clipboard.writeText(value).then(() => setIsCopied(true));
  }
  return (
    <>
      <Button isSmall onClick={copy}>
        {isCopied ? text.common.copied : text.common.copy}
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied ? text.common.copied : ""}
      </span>
    </>
  );
}
