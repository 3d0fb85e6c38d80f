import { explorerUrl, shortAddress } from "../lib/format.ts";
import { useText } from "../lib/preferences.tsx";

type Props = { readonly address: string; readonly isShort?: boolean };

/** An address that opens in an explorer, in a tab of its own. */
export function Address({ address, isShort = false }: Props) {
  const text = useText();
  return (
    <a
      className={isShort ? "address short" : "address"}
      href={explorerUrl(address)}
      target="_blank"
      rel="noreferrer noopener"
    >
      <span aria-hidden={isShort}>{isShort ? shortAddress(address) : address}</span>
      <span className="visually-hidden">
        {isShort ? `${address}, ` : ", "}
        {text.common.opensExplorer}
      </span>
    </a>
  );
}
