"""The databases that read exported tables: each runs the queries of docs/analysis.md."""

import csv
import io
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest


def need(tool: str, package: str) -> str:
    """The path of a program. Without it the test is skipped, but not in CI."""
    found = shutil.which(tool)
    if found is None and (places := sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{tool}"))):
        found = str(places[-1])
    if found is None:
        assert "CI" not in os.environ, f"{tool} of Debian's {package} is missing"
        pytest.skip(f"{tool} of Debian's package {package} is not installed")
    return found


def plain(rows) -> list[tuple]:
    """Numbers as text of one form, and NULL and empty text alike: sqlite3 imports an empty cell as text."""
    return [tuple("" if v is None else str(float(v)) if is_number(v) else str(v) for v in row) for row in rows]


def is_number(value) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


class SQLite:
    def __init__(self, folder: Path):
        self.file = folder / "run.db"
        self.tool = need("sqlite3", "sqlite3")

    def query(self, sql: str) -> list[tuple]:
        done = subprocess.run(
            [self.tool, "-csv", "-bail", str(self.file)], input=sql, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        return plain(csv.reader(io.StringIO(done.stdout)))


class DuckDB:
    def __init__(self, folder: Path):
        self.file = folder / "run.duckdb"

    def query(self, sql: str) -> list[tuple]:
        with duckdb.connect(str(self.file), read_only=True) as db:
            return plain(db.execute(sql).fetchall())


class PostgreSQL:
    """A cluster of its own, which listens on a Unix socket only."""

    def __init__(self, folder: Path, environment: dict[str, str]):
        self.folder, self.environment = folder, environment
        self.tool = need("psql", "postgresql-client")

    def query(self, sql: str) -> list[tuple]:
        done = subprocess.run(
            [self.tool, "-X", "-q", "-t", "--csv", "-v", "ON_ERROR_STOP=1"],
            input=sql,
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | self.environment,
        )
        assert done.returncode == 0, done.stderr
        return plain(csv.reader(io.StringIO(done.stdout)))


@contextmanager
def postgresql():
    """PostgreSQL refuses to run as root, so root starts it as the package's own user."""
    initdb, server = need("initdb", "postgresql"), need("pg_ctl", "postgresql")
    # Not below pytest's folder, which only its owner may enter.
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def run(*words: str) -> None:
        done = subprocess.run([*as_user, *words], capture_output=True, text=True, cwd=home, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr

    data = str(home / "data")
    try:
        run(initdb, "-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
        run(server, "-D", data, "-w", "-l", str(home / "log"), "-o", options, "start")
        try:
            yield {"PGHOST": str(home), "PGUSER": "postgres", "PGDATABASE": "postgres"}
        finally:
            run(server, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
