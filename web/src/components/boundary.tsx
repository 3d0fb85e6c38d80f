import { Component, type ReactNode } from "react";
import { useText } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";

type Props = { readonly children: ReactNode };

/** What fails inside shows an error there; everything around it goes on working. */
export class Boundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const text = useText();
  return (
    <div className="panel stack" role="alert">
      <h2>{text.app.failedTitle}</h2>
      <p className="soft">{text.app.failedBody}</p>
      <div>
        <Button onClick={() => window.location.reload()}>{text.app.reload}</Button>
      </div>
    </div>
  );
}
