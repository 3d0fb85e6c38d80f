import type { ButtonHTMLAttributes, Ref } from "react";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly look?: "plain" | "primary" | "quiet";
  readonly isSmall?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
};

export function Button({ look = "plain", isSmall = false, type = "button", ...rest }: Props) {
  const classes = ["button", look, isSmall ? "small" : ""].filter(Boolean).join(" ");
  return <button type={type} className={classes} {...rest} />;
}
