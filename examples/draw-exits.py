"""
Draws what selling a token loses by size, and how its exit capacity changed: cost-curve.png, drain.png.

    python examples/draw-exits.py MINT [HOURS]

`exitability_client` is generated from the service's own description: docs/python.md.
"""

import os
import sys
from datetime import UTC, datetime, timedelta

import matplotlib

matplotlib.use("agg")
from exitability_client import AuthenticatedClient, Client
from exitability_client.api.exitability import get_curve
from exitability_client.api.token import get_history
from exitability_client.models import Curve, History
from matplotlib import pyplot


def main(mint: str, hours: float) -> None:
    with open_client() as client:
        curve = answer(get_curve.sync_detailed(mint, client=client), Curve)
        start = datetime.now(UTC) - timedelta(hours=hours)
        history = answer(get_history.sync_detailed(mint, client=client, from_=start), History)
    print(draw_cost_curve(curve))
    print(draw_drain(history))


def open_client() -> AuthenticatedClient | Client:
    """A client with the key in EXITABILITY_API_KEY; without one, an anonymous caller."""
    url = os.environ.get("EXITABILITY_URL", "http://127.0.0.1:8080")
    headers = {"accept-language": "en"}
    key = os.environ.get("EXITABILITY_API_KEY")
    if key is None:
        return Client(url, headers=headers)
    return AuthenticatedClient(url, key, headers=headers, prefix="", auth_header_name="x-api-key")


def answer(response, expected):
    """The body of a 200; every other status ends the program with the service's own words."""
    if isinstance(response.parsed, expected):
        return response.parsed
    sys.exit(f"{response.status_code.value}: {getattr(response.parsed, 'message', 'no answer')}")


def draw_cost_curve(curve: Curve) -> str:
    figure, axes = pyplot.subplots(layout="constrained")
    sizes = [point.size_sol for point in curve.points]
    axes.plot(sizes, [gap(point.retail_pct) for point in curve.points], label="retail")
    axes.plot(sizes, [gap(point.pro_pct) for point in curve.points], label="pro")
    axes.axhline(10, color="red", linewidth=0.8)
    axes.set(xscale="log", xlabel="size, SOL", ylabel="loss, %", title=curve.token_id)
    axes.legend()
    return save(figure, "cost-curve.png")


def draw_drain(history: History) -> str:
    figure, axes = pyplot.subplots(layout="constrained")
    times = [point.t for point in history.points]
    axes.plot(times, [gap(point.c10_sol) for point in history.points])
    for alert in history.alerts:
        axes.axvline(alert.started_at, color="red", linewidth=0.8)
    axes.set(ylim=(0, None), ylabel="exit capacity C10, SOL", title=history.token_id)
    figure.autofmt_xdate()
    return save(figure, "drain.png")


def gap(value: float | None) -> float:
    """None, a size that cannot be sold whole or a figure that is unknown, leaves a gap in the line."""
    return float("nan") if value is None else value


def save(figure, name: str) -> str:
    figure.savefig(name, dpi=120)
    return name


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python examples/draw-exits.py MINT [HOURS]")
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1)
