"""The outcome as a picture: the fan-out over time, and the Lock Screen of a phone at three moments. Plain SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cricket.play import Moment, Played

WIDTH, HEIGHT = 1200, 860
LEFT, RIGHT, TOP, BASE = 70, 1130, 150, 420
LEGEND = 116
COLOURS = {"5": "#7aa6c2", "10": "#e4572e", "refused": "#222222"}
NAMES = {"5": "priority 5, routine", "10": "priority 10, with an alert, starts and ends", "refused": "refused by APNs"}
FONT = "font-family='Helvetica, Arial, sans-serif'"


def text(
    x: float, y: float, words: str, size: int = 14, colour: str = "#333", anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' text-anchor='{anchor}' "
        f"font-weight='{weight}' {FONT}>{escape(words)}</text>"
    )


def box(x: float, y: float, width: float, height: float, colour: str, radius: float = 0) -> str:
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}' rx='{radius}' fill='{colour}'/>"


def line(points: list[tuple[float, float]], colour: str, width: float = 2) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='{width}'/>"


def step_of(most: float) -> int:
    """A round distance between grid lines, about four of them."""
    for power in range(12):
        for digit in (1, 2, 5):
            if digit * 10**power * 5 >= most:
                return digit * 10**power
    raise ValueError(f"no grid for {most}")


class Chart:
    def __init__(self, played: Played):
        self.played = played
        self.first = int((played.began - played.match.starts_at) // 60)
        self.last = int((played.ended - played.match.starts_at) // 60) + 1
        totals = [sum(played.minutes[minute, what] for what in COLOURS) for minute in range(self.first, self.last + 1)]
        self.most = max(totals + [1])

    def x(self, minute: float) -> float:
        return LEFT + (minute - self.first) / (self.last - self.first) * (RIGHT - LEFT)

    def instant(self, at: float) -> float:
        return self.x((at - self.played.match.starts_at) / 60)

    def y(self, pushes: float) -> float:
        return BASE - pushes / (self.most * 1.08) * (BASE - TOP)

    def drawn(self) -> list[str]:
        return [*self._shades(), *self._grid(), *self._bars(), *self._running(), *self._marks(), *self._legend()]

    def _shades(self) -> list[str]:
        match = self.played.match
        first = [b.at for b in match.balls if b.innings == 1]
        second = [b.at for b in match.balls if b.innings == 2]
        spans = [(first[-1], second[0], "innings break")] + ([(*match.rain, "rain")] if match.rain else [])
        shades, names = [], []
        for begin, end, name in spans:
            x, width = self.instant(begin), self.instant(end) - self.instant(begin)
            shades.append(box(x, TOP, width, BASE - TOP, "#efefe9"))
            names.append(text(x + width / 2, TOP + 28, name, 12, "#8a8a80", "middle"))
        return shades + names

    def _grid(self) -> list[str]:
        grid, step = [], step_of(self.most)
        for value in range(0, self.most + 1, step):
            grid += [
                line([(LEFT, self.y(value)), (RIGHT, self.y(value))], "#e2e2e2", 1),
                text(LEFT - 8, self.y(value) + 4, f"{value:,}", 12, "#777", "end"),
            ]
        every = 30 if self.last - self.first > 60 else 10
        for minute in range(self.first - self.first % every, self.last + 1, every):
            if minute >= self.first:
                words = (
                    "first ball"
                    if minute == 0
                    else f"{minute // 60}:{minute % 60:02}"
                    if minute > 0
                    else f"{minute} min"
                )
                grid.append(text(self.x(minute), BASE + 18, words, 12, "#777", "middle"))
        return grid

    def _bars(self) -> list[str]:
        bars, width = [], max(1.0, (RIGHT - LEFT) / (self.last - self.first) - 0.6)
        for minute in range(self.first, self.last + 1):
            height = 0
            for what, colour in COLOURS.items():
                count = self.played.minutes[minute, what]
                if count:
                    bars.append(
                        box(
                            self.x(minute),
                            self.y(height + count),
                            width,
                            self.y(height) - self.y(height + count),
                            colour,
                        )
                    )
                    height += count
        return bars

    def _running(self) -> list[str]:
        phones = self.played.phones
        points = [(self.instant(at), BASE - count / phones * (BASE - TOP) / 1.08) for at, count in self.played.running]
        if not points:
            return []
        most = max(count for _, count in self.played.running)
        words = f"phones with a running activity: at most {most} of {phones}"
        return [line(points, "#3a7d44", 2.5), text(RIGHT, LEGEND, words, 12, "#3a7d44", "end")]

    def _marks(self) -> list[str]:
        marks = []
        for number, moment in enumerate(self.played.moments, 1):
            x = self.instant(moment.at)
            marks += [
                line([(x, TOP), (x, BASE)], "#555", 1),
                f"<circle cx='{x:.1f}' cy='{TOP:.1f}' r='10' fill='#555'/>",
                text(x, TOP + 4, str(number), 12, "#fff", "middle", "bold"),
            ]
        return marks

    def _legend(self) -> list[str]:
        legend, x = [text(LEFT, LEGEND, "pushes a minute:", 12, "#777")], LEFT + 118
        for what, colour in COLOURS.items():
            legend += [box(x, LEGEND - 10, 12, 12, colour), text(x + 18, LEGEND, NAMES[what], 12)]
            x += 40 + len(NAMES[what]) * 6.2
        return legend


def behind(moment: Moment) -> str:
    if moment.right == moment.cards:
        return ""
    minutes = round(moment.behind / 60)
    if minutes < 2:
        return f"the others {moment.behind:.0f} s behind"
    return f"the others {minutes} min behind" if minutes < 120 else f"the others {minutes / 60:.1f} h behind"


def phone(x: float, y: float, number: int, moment: Moment, phones: int) -> list[str]:
    parts = [
        box(x, y, 330, 300, "#1d2430", 34),
        box(x + 10, y + 10, 310, 280, "#34435c", 26),
        text(x + 165, y + 46, moment.device or "", 15, "#c9d3e3", "middle"),
    ]
    if moment.sample is None:
        parts.append(text(x + 165, y + 120, "no card on any screen", 15, "#fff", "middle"))
    else:
        content, attributes = moment.sample["contentState"], moment.sample["attributes"]
        state = content.get("matchDisplayState", "?")
        if moment.sample["isStale"]:
            state += " (out of date)"
        leading, trailing = content["compactLeading"], content["compactTrailing"]
        parts += [
            box(x + 24, y + 70, 282, 120, "#f6f4ef", 22),
            text(x + 42, y + 98, attributes["title"], 14, "#555"),
            text(
                x + 288,
                y + 98,
                moment.sample["state"],
                13,
                "#e4572e" if moment.sample["state"] == "active" else "#777",
                "end",
                "bold",
            ),
            text(x + 42, y + 140, f"{leading['teamAbbr']} {leading['score']}", 28, "#111", weight="bold"),
            text(x + 288, y + 138, f"{trailing['overs']} ov", 18, "#333", "end"),
            text(x + 42, y + 172, state, 14, "#333"),
        ]
        if moment.sample["state"] == "active":
            parts.append(text(x + 288, y + 172, f"run rate {trailing['runRate']}", 13, "#777", "end"))
    parts += [
        text(x + 165, y + 222, f"{number}  {moment.name}", 16, "#fff", "middle", "bold"),
        text(x + 165, y + 246, f"{moment.cards} cards on {phones} phones", 14, "#c9d3e3", "middle"),
        text(x + 165, y + 270, f"{moment.right} with the latest score", 14, "#c9d3e3", "middle"),
        text(x + 165, y + 286, behind(moment), 12, "#c9d3e3", "middle"),
    ]
    return parts


def drawn(played: Played) -> str:
    match, total = played.match, sum(played.sent.values())
    dropped = sum(n for (outcome, _), n in played.reactions.items() if outcome == "dropped")
    head = [
        text(LEFT, 50, f"{match.title}: {match.verdict()}", 28, "#111", weight="bold"),
        text(
            LEFT,
            80,
            f"{total:,} pushes to {played.phones} virtual iPhones, {(played.ended - played.began) / 3600:.1f} hours in "
            f"{played.took:.0f} s; {dropped:,} dropped by phones after APNs said 200",
            16,
            "#444",
        ),
    ]
    foot = []
    for n, moment in enumerate(played.moments):
        foot += phone(LEFT + n * 365, 470, n + 1, moment, played.phones)
    verdict = (
        "; ".join(f"{n}: {s}" for n, s in played.findings.items())
        or "No mistake of the backend shows in Pushpit's records."
    )
    foot.append(text(LEFT, 815, verdict[:150], 15, "#b3261e" if played.findings else "#3a7d44"))
    body = "\n".join([box(0, 0, WIDTH, HEIGHT, "#ffffff"), *head, *Chart(played).drawn(), *foot])
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size}>\n{body}\n</svg>\n"
