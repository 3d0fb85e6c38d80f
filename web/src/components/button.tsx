import type { ButtonHTMLAttributes } from "react";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly look?: "plain" | "primary" | "quiet";
  readonly isSmall?: boolean;
};

export function Button({ look = "plain", isSmall = false, type = "button", ...rest }: Props) {
  const classes = ["button", look, isSmall ? "small" : ""].filter(Boolean).join(" ");
  return <button type={type} className={classes} {...rest} />;
}
