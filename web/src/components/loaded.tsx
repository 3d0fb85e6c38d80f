import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";
import { Skeleton } from "./skeleton.tsx";

type Props<Data> = {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  /** The height that is kept until the data arrive. */
  readonly height: string;
  readonly children: (data: Data) => ReactNode;
};

/** What is read from the service: its place until it arrives, or why it can't be had. */
export function Loaded<Data>({ query, height, children }: Props<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <Skeleton height={height} />;
  return <Failure error={error} onRetry={() => void refetch()} />;
}
