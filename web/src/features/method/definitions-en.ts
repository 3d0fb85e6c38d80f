import type { Definition } from "./definition.ts";

export const DEFINITIONS_EN: readonly Definition[] = [
  {
    name: "What is measured",
    body: "Whether a position of some size can be sold now, and what would be lost. All of the token's pools against SOL, a stable dollar or a token that can be sold for SOL count, and its launch curve. What is not quoted in SOL takes further hops into it.",
    formula:
      "pools on the programs of the status page; USDC, USDT and USD1 go on through their deepest SOL pool, another token through its own best route",
  },
  {
    name: "Mid price",
    body: "The price before fees: the middle one of the prices of all routes, where each counts for as much as it pays near the market. With one pool it is that pool's price. Neither a distant bid, however large, nor a sliver of a pool moves it.",
    formula:
      "median of the routes' spot prices, weighted by W (between two values, the higher); W is the SOL that a route pays before its price after fees falls below 0.9 b; b is the price after fees at which the best bids have paid 0.5 SOL, or a tenth of what the deepest route pays until its price halves, if that is less",
  },
  {
    name: "Position",
    body: "A size of S SOL is the units of the token that would be worth S at the mid price.",
    formula: "units = ⌊ S / mid price ⌋, as an exact ratio of integers",
  },
  {
    name: "You lose (slippage)",
    body: "What is lost by selling the whole position: the pools' and the token's own fees included, network fees not. “No exit” means that it can't be sold whole at any price.",
    formula: "100 · (1 − paid / S), rounded up to 4 decimals, never below 0",
  },
  {
    name: "One route or split",
    body: "One route sells all of it by the best route (in the API: retail). Split divides it over all routes for the most SOL, and never gets less than the best single route (in the API: pro).",
    formula: "a split by marginal prices, then paid exactly, route by route",
  },
  {
    name: "Largest usual size (in the API: exit_max_sol)",
    body: "The largest of the usual sizes (0.5, 1, 2, 5, 10 and 50 SOL) that sells at a loss below 10 %. Zero means that none does.",
    formula: "max { usual s : slippage(s) < 10 % }",
  },
  {
    name: "Can be taken out in all (depth)",
    body: "The SOL that sellers could still take out of all pools together, down to price zero.",
    formula: "Σ quote reserves that selling can reach; stables at spot",
  },
  {
    name: "Exit within 10 % (capacity, C10)",
    body: "The largest position that still sells, split over all routes, at a loss of at most 10 %. It means the same for every kind of pool; so history, trend and alerts are computed on it.",
    formula: "max { S ≤ 1000 : slippage(S) ≤ 10 % }, split",
  },
  {
    name: "Score",
    body: "From 0 to 100. Each size counts by its weight; what can't be sold counts as zero. By one route it weighs 0.5 to 5 SOL; split, 1 to 50.",
    formula:
      "100 · Σ w(s) / (1 + (slippage(s) / 10)²); one route 0.5: 0.30, 1: 0.30, 2: 0.25, 5: 0.15; split 1: 0.10, 2: 0.15, 5: 0.25, 10: 0.30, 50: 0.20",
  },
  {
    name: "Phase",
    body: "On its launch curve: the curve sells it. Migrating: the curve is complete and its pool has not opened. Graduated: it went from a curve to a pool. Listed: its pools come from no curve we know.",
    formula: "by the curve's and the pools' accounts on the chain",
  },
  {
    name: "When it can't be known",
    body: "If data on over half of the money are missing, the state is older than 10 minutes, everything is paused or migrating, or the token can't be transferred, there are no numbers: the answer is unknown.",
    formula:
      "pools without a price > 50 % of the quote, age > 10 min, all paused or not open, curve complete without its pool, search incomplete and empty, or a token that can't be transferred",
  },
  {
    name: "Confidence",
    body: "It starts high, and the worst finding lowers it: old data, pools that could not be read, an incomplete search, dangerous authorities, or a model that stopped being exact. The notice says which.",
    formula:
      "medium: age > 30 s, family “other”, > 10 % without a price, less than 5 min of history, pools that disagree by > 3 %, a freeze authority; low: age > 120 s, hooks or a permanent delegate, reserves that can be rewritten, below 99 % exact in the last hour",
  },
  {
    name: "Trend",
    body: "The slope of capacity over the last 30 minutes, only where it is more than noise.",
    formula: "Theil–Sen on log C10; |slope| ≥ 10 %/h and change ≥ 1.96 · √Σ(one-minute changes)²",
  },
  {
    name: "Deterioration alert",
    body: "It turns on when capacity falls 30 % within a minute, when one withdrawal of liquidity cuts it by 20 %, when the withdrawals of a day take half, or when it drifts down more than is normal. It turns off on recovery, or after half an hour without new lows. A migration never counts, and a gap in the data only if over half is gone after it.",
    formula:
      "a jump within 60 s, a withdrawal in one slot, half withdrawn in 24 h, a cumulative sum (CUSUM) on log C10, or below half after a gap; off at 80 % of the level before",
  },
  {
    name: "Watchlist alerts",
    body: "We notify you when the alert of a token you watch turns on, when slippage at your own size passes 10 % or there is no exit any more, and when the answer stays unknown for over a minute. One message per cause, and another only after it has turned off.",
    formula: "on at 10 %, off below 8 %; unknown for 60 s",
  },
  {
    name: "Live accuracy",
    body: "Every swap seen on a followed pool is recomputed on the state before it. The share that matches to the last unit is published for each program on the status page.",
    formula: "100 · exact / replayed, by program and period",
  },
];
