import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { navigate } from "../lib/router.ts";

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string };

/** A link within the dashboard: no document is loaded, unless the reader wants a new tab. */
export function Link({ href, onClick, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(href);
  }
  return <a href={href} onClick={follow} {...rest} />;
}
