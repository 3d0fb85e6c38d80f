import Type from "typebox";
import type { Assessment } from "#src/measure/assessment.ts";

export type ServiceFacts = {
  readonly origin: "demo" | "recorded" | "live";
  /** How far the cluster has agreed on the state that is answered. */
  readonly commitment: "processed" | "confirmed";
  /** The demo market's named tokens that are known here; empty on any other chain. */
  readonly examples: () => readonly {
    readonly mint: string;
    readonly name: string;
    readonly symbol: string;
    readonly story: { readonly en: string; readonly es: string };
  }[];
  readonly venues: readonly {
    readonly id: string;
    readonly family: Assessment["family"];
    readonly kind: string;
  }[];
  readonly version: string;
};

export const ChainWord = Type.Enum(["demo", "recorded", "live"]);
