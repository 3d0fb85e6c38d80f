import { type ReactNode, useEffect, useRef, useState } from "react";

type Props = {
  /** What is in it, for those who can't see that it goes on. */
  readonly label: string;
  readonly children: ReactNode;
};

/** Scrolls sideways what is too wide, instead of the page; reached by keyboard where it does. */
export function ScrollBox({ label, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setIsWide(element.scrollWidth > element.clientWidth));
    for (const observed of [element, ...element.children]) observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  const reach = isWide ? { tabIndex: 0, role: "group", "aria-label": label } : {};
  return (
    <div ref={box} className="scroll-x" {...reach}>
      {children}
    </div>
  );
}
