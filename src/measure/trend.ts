export type Trend = "improving" | "stable" | "deteriorating";
