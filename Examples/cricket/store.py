"""The tables. SQLite is called from the event loop: each statement is an indexed one of a few microseconds, and the
file is written behind by WAL."""

import sqlite3
from dataclasses import dataclass

from cricket.bugs import Bugs

SCHEMA = """
CREATE TABLE IF NOT EXISTS devices (
  device_id TEXT PRIMARY KEY, session TEXT NOT NULL, os TEXT, push_token TEXT, push_registered REAL,
  push_rests_until REAL NOT NULL DEFAULT 0, frequent INTEGER NOT NULL DEFAULT 1);
CREATE INDEX IF NOT EXISTS devices_session ON devices (session);
CREATE INDEX IF NOT EXISTS devices_token ON devices (push_token);
CREATE TABLE IF NOT EXISTS start_tokens (
  device_id TEXT NOT NULL, attributes_type TEXT NOT NULL, token TEXT NOT NULL, registered REAL NOT NULL,
  rests_until REAL NOT NULL DEFAULT 0, PRIMARY KEY (device_id, attributes_type));
CREATE INDEX IF NOT EXISTS start_tokens_token ON start_tokens (token);
CREATE TABLE IF NOT EXISTS follows (
  session TEXT NOT NULL, match_id TEXT NOT NULL, PRIMARY KEY (session, match_id));
CREATE INDEX IF NOT EXISTS follows_match ON follows (match_id);
CREATE TABLE IF NOT EXISTS activities (
  session TEXT NOT NULL, match_id TEXT NOT NULL, device_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'ended', 'dismissed')),
  route TEXT NOT NULL CHECK (route IN ('push', 'local')),
  start_token TEXT, start_timestamp INTEGER NOT NULL DEFAULT 0, fallback INTEGER NOT NULL DEFAULT 0, fallback_at REAL,
  confirmed INTEGER NOT NULL DEFAULT 0, starts INTEGER NOT NULL DEFAULT 0,
  asked INTEGER NOT NULL DEFAULT 0, asked_at REAL, muted INTEGER NOT NULL DEFAULT 0, pressed INTEGER,
  token TEXT, registered REAL, rests_until REAL NOT NULL DEFAULT 0, suspended_at REAL, why TEXT,
  PRIMARY KEY (session, match_id, device_id));
CREATE INDEX IF NOT EXISTS activities_match ON activities (match_id, state);
CREATE INDEX IF NOT EXISTS activities_token ON activities (token);
CREATE TABLE IF NOT EXISTS environments (token TEXT PRIMARY KEY, environment TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS matches (match_id TEXT PRIMARY KEY, last_timestamp INTEGER NOT NULL DEFAULT 0, channel TEXT);
"""


@dataclass(frozen=True)
class Card:
    """The card of a match on one phone of a person, who may have several."""

    session: str
    match_id: str
    device_id: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.session, self.match_id, self.device_id


@dataclass(frozen=True)
class Target:
    """A card that is to be updated."""

    card: Card
    token: str
    frequent: bool
    muted: bool = False
    rests_until: float = 0.0
    """A token that APNs has refused is left alone until then."""


OF_CARD = "session = ? AND match_id = ? AND device_id = ?"


class Store:
    def __init__(self, path: str = ":memory:", bugs: Bugs = Bugs()):
        self.bugs = bugs
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.executescript(SCHEMA)

    def forget_all(self) -> None:
        for (table,) in self.all("SELECT name FROM sqlite_master WHERE type = 'table'"):
            self.db.execute(f"DELETE FROM {table}")

    def close(self) -> None:
        self.db.close()

    def one(self, sql: str, *values) -> sqlite3.Row | None:
        return self.db.execute(sql, values).fetchone()

    def all(self, sql: str, *values) -> list[sqlite3.Row]:
        return self.db.execute(sql, values).fetchall()

    # Devices

    def device(self, session: str, device_id: str, token: str, os: str | None, now: float) -> None:
        self.db.execute(
            """INSERT INTO devices (device_id, session, os, push_token, push_registered) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET session = excluded.session, os = excluded.os,
            push_token = excluded.push_token, push_registered = excluded.push_registered, push_rests_until = 0""",
            (device_id, session, os, token, now),
        )

    def frequent(self, session: str, device_id: str, enabled: bool) -> None:
        """May come before the device's own report: the row is made then."""
        self.db.execute(
            """INSERT INTO devices (device_id, session, frequent) VALUES (?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET session = excluded.session, frequent = excluded.frequent""",
            (device_id, session, int(enabled)),
        )

    def start_token(self, session: str, device_id: str, attributes_type: str, token: str, now: float) -> None:
        self.db.execute(
            "INSERT INTO devices (device_id, session) VALUES (?, ?)"
            " ON CONFLICT (device_id) DO UPDATE SET session = excluded.session",
            (device_id, session),
        )
        taken = "SET token = excluded.token, registered = excluded.registered, rests_until = 0"
        conflict = "NOTHING" if "keeps-first-start-token" in self.bugs else f"UPDATE {taken}"
        self.db.execute(
            f"""INSERT INTO start_tokens (device_id, attributes_type, token, registered) VALUES (?, ?, ?, ?)
            ON CONFLICT DO {conflict}""",
            (device_id, attributes_type, token, now),
        )

    def start_token_of(self, card: Card, attributes_type: str, now: float) -> str | None:
        row = self.one(
            """SELECT token FROM start_tokens JOIN devices USING (device_id)
            WHERE session = ? AND device_id = ? AND attributes_type = ? AND rests_until <= ?""",
            card.session,
            card.device_id,
            attributes_type,
            now,
        )
        return row[0] if row else None

    def push_token_of(self, card: Card, now: float) -> str | None:
        row = self.one(
            "SELECT push_token FROM devices WHERE session = ? AND device_id = ? AND push_rests_until <= ?",
            card.session,
            card.device_id,
            now,
        )
        return row[0] if row else None

    # Follows

    def follow(self, session: str, match_id: str) -> None:
        self.db.execute("INSERT OR IGNORE INTO follows VALUES (?, ?)", (session, match_id))

    def unfollow(self, session: str, match_id: str) -> None:
        self.db.execute("DELETE FROM follows WHERE session = ? AND match_id = ?", (session, match_id))

    def follows(self, session: str, match_id: str) -> bool:
        return self.one("SELECT 1 FROM follows WHERE session = ? AND match_id = ?", session, match_id) is not None

    def follows_of(self, session: str) -> list[str]:
        return [r[0] for r in self.all("SELECT match_id FROM follows WHERE session = ? ORDER BY match_id", session)]

    def cards_to_start(self, match_id: str) -> list[Card]:
        """The cards on all phones of followers that have had no start yet."""
        rows = self.all(
            """SELECT session, match_id, device_id FROM follows JOIN devices USING (session)
            LEFT JOIN activities a USING (session, match_id, device_id)
            WHERE match_id = ? AND a.state IS NULL ORDER BY session, device_id""",
            match_id,
        )
        return [Card(*row) for row in rows]

    # Activities

    def activity(self, card: Card) -> sqlite3.Row | None:
        return self.one(f"SELECT * FROM activities WHERE {OF_CARD}", *card.key)

    def cards_of(self, session: str, match_id: str) -> list[Card]:
        """The cards on all phones of a person that have had a start."""
        rows = self.all(
            """SELECT session, match_id, device_id FROM activities WHERE session = ? AND match_id = ?
            ORDER BY device_id""",
            session,
            match_id,
        )
        return [Card(*row) for row in rows]

    def begin(self, card: Card, route: str, start_token: str | None = None, timestamp: int = 0) -> None:
        """A start is under way. A token that has overtaken the answer to the start stays."""
        self.db.execute(
            """INSERT INTO activities (session, match_id, device_id, state, route, start_token, start_timestamp, starts)
            VALUES (?, ?, ?, 'pending', ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET state = CASE WHEN state = 'active' THEN state ELSE 'pending' END,
            route = excluded.route, start_token = excluded.start_token, start_timestamp = excluded.start_timestamp,
            fallback = 0, fallback_at = NULL, why = NULL, confirmed = 0, starts = starts + 1""",
            (*card.key, route, start_token, timestamp),
        )

    def confirm(self, card: Card) -> None:
        """APNs has taken the start; whether there is a card, its update token will say."""
        self.db.execute(f"UPDATE activities SET confirmed = 1 WHERE {OF_CARD}", card.key)

    def ask(self, card: Card, now: float) -> None:
        """First the app is asked, then its owner."""
        self.db.execute(f"UPDATE activities SET asked = asked + 1, asked_at = ? WHERE {OF_CARD}", (now, *card.key))

    def without_token(self, match_id: str, until: float) -> list[sqlite3.Row]:
        """Of starts by push at the latest then."""
        return self.all(
            """SELECT session, match_id, device_id, confirmed, starts, asked, asked_at FROM activities
            WHERE match_id = ? AND state = 'pending' AND route = 'push' AND fallback = 0 AND start_timestamp <= ?
            ORDER BY session, device_id""",
            match_id,
            until,
        )

    def press(self, card: Card, press: int) -> None:
        """The person turns the alerts of a card off, or on again, by a button; a press has a number."""
        self.db.execute(f"UPDATE activities SET muted = 1 - muted, pressed = ? WHERE {OF_CARD}", (press, *card.key))

    def follow_again(self, card: Card) -> None:
        """Forgets the end of an earlier card: there will be another."""
        self.db.execute(f"DELETE FROM activities WHERE {OF_CARD} AND state IN ('ended', 'dismissed')", card.key)

    def activate(self, card: Card, token: str, now: float) -> bool:
        """Takes an update token; whether it is another than before."""
        row = self.activity(card)
        if row is not None and row["token"] and "ignores-rotation" in self.bugs:
            return False
        self.db.execute(
            """INSERT INTO activities (session, match_id, device_id, state, route, token, registered)
            VALUES (?, ?, ?, 'active', 'local', ?, ?)
            ON CONFLICT DO UPDATE SET state = 'active', token = excluded.token, registered = excluded.registered,
            rests_until = 0, fallback = 0, fallback_at = NULL, why = NULL""",
            (*card.key, token, now),
        )
        if "one-token-per-user" in self.bugs:
            self.db.execute(
                "UPDATE activities SET token = NULL WHERE session = ? AND match_id = ? AND device_id != ?", card.key
            )
        return row is None or row["token"] != token

    def settle(self, card: Card, state: str, why: str) -> None:
        self.db.execute(f"UPDATE activities SET state = ?, why = ? WHERE {OF_CARD}", (state, why, *card.key))

    def targets(self, match_id: str) -> list[Target]:
        states = ("active", "dismissed") if "keeps-pushing-after-dismissal" in self.bugs else ("active",)
        rows = self.all(
            f"""SELECT a.session, a.match_id, device_id, a.token, a.muted, a.rests_until,
            coalesce(d.frequent, 1) AS frequent
            FROM activities a LEFT JOIN devices d USING (device_id)
            WHERE a.match_id = ? AND a.state IN ({",".join("?" * len(states))}) AND a.token IS NOT NULL
            ORDER BY a.session, device_id""",
            match_id,
            *states,
        )
        return [
            Target(Card(*row[:3]), row["token"], bool(row["frequent"]), bool(row["muted"]), row["rests_until"])
            for row in rows
        ]

    def fell_back(self, card: Card, layer: int, now: float) -> None:
        self.db.execute(f"UPDATE activities SET fallback = ?, fallback_at = ? WHERE {OF_CARD}", (layer, now, *card.key))

    def waiting_since(self, layer: int, until: float) -> list[Card]:
        rows = self.all(
            """SELECT session, match_id, device_id FROM activities
            WHERE state = 'pending' AND fallback = ? AND fallback_at <= ?""",
            layer,
            until,
        )
        return [Card(*row) for row in rows]

    def suspended(self, match_id: str, at: float | None) -> None:
        self.db.execute(
            "UPDATE activities SET suspended_at = ? WHERE match_id = ? AND state IN ('pending', 'active')",
            (at, match_id),
        )

    def has_cards(self, match_id: str) -> bool:
        return (
            self.one("SELECT 1 FROM activities WHERE match_id = ? AND state IN ('pending', 'active') LIMIT 1", match_id)
            is not None
        )

    def finish(self, match_id: str) -> None:
        """The match is over: no card is fed any more, nobody follows."""
        self.db.execute(
            "UPDATE activities SET state = 'ended', why = 'match over' WHERE match_id = ? AND state IN ('pending', "
            "'active')",
            (match_id,),
        )
        self.db.execute("DELETE FROM follows WHERE match_id = ?", (match_id,))

    # Tokens that APNs has refused

    TOKENS = (
        ("activities", "token", "registered", "rests_until"),
        ("start_tokens", "token", "registered", "rests_until"),
        ("devices", "push_token", "push_registered", "push_rests_until"),
    )

    def registered(self, token: str) -> float | None:
        """The last time at which an app reported this token as its own."""
        times = [
            self.one(f"SELECT max({at}) FROM {table} WHERE {column} = ?", token)[0]
            for table, column, at, _ in self.TOKENS
        ]
        return max((t for t in times if t is not None), default=None)

    def belongs(self, token: str, environment: str) -> None:
        """The app says which gateway knows its token: its build has it in its profile."""
        self.db.execute("INSERT OR REPLACE INTO environments VALUES (?, ?)", (token, environment))

    def environment(self, token: str) -> str | None:
        row = self.one("SELECT environment FROM environments WHERE token = ?", token)
        return row[0] if row else None

    def rest(self, token: str, until: float) -> None:
        for table, column, _, rests in self.TOKENS:
            self.db.execute(f"UPDATE {table} SET {rests} = ? WHERE {column} = ?", (until, token))

    def forget(self, token: str) -> None:
        self.db.execute("UPDATE activities SET token = NULL, registered = NULL WHERE token = ?", (token,))
        self.db.execute("DELETE FROM start_tokens WHERE token = ?", (token,))
        self.db.execute("UPDATE devices SET push_token = NULL WHERE push_token = ?", (token,))

    def tokens(self) -> dict[str, set[str]]:
        """All that are known, by kind. An update token counts while its card is fed."""
        return {
            "device": {r[0] for r in self.all("SELECT push_token FROM devices WHERE push_token IS NOT NULL")},
            "pushToStart": {r[0] for r in self.all("SELECT token FROM start_tokens")},
            "update": {
                r[0] for r in self.all("SELECT token FROM activities WHERE state = 'active' AND token IS NOT NULL")
            },
        }

    # Matches

    def next_timestamp(self, match_id: str, now: float) -> int:
        """Seconds since 1970, later than any given for this match before: a phone drops what is not newer, silently."""
        row = self.one(
            """INSERT INTO matches (match_id, last_timestamp) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET last_timestamp = max(last_timestamp + 1, excluded.last_timestamp)
            RETURNING last_timestamp""",
            match_id,
            int(now),
        )
        return row[0]

    def start_timestamp(self, match_id: str, now: float) -> int:
        """For a card that has had none yet: no later than the next that all are told, and the same for all of a
        moment."""
        self.db.execute(
            """INSERT INTO matches (match_id, last_timestamp) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET last_timestamp = max(last_timestamp, excluded.last_timestamp)""",
            (match_id, int(now)),
        )
        return self.last_timestamp(match_id)

    def keep_channel(self, match_id: str, channel: str) -> None:
        self.db.execute(
            "INSERT INTO matches (match_id, channel) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET channel = excluded.channel",
            (match_id, channel),
        )

    def channel(self, match_id: str) -> str | None:
        """The channel on which the cards of the match listen; None if each has its token."""
        row = self.one("SELECT channel FROM matches WHERE match_id = ?", match_id)
        return row[0] if row else None

    def last_timestamp(self, match_id: str) -> int:
        row = self.one("SELECT last_timestamp FROM matches WHERE match_id = ?", match_id)
        return row[0] if row else 0
