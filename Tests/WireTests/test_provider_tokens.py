"""Provider tokens: what passes, what each wrong field gets, and what a connection remembers of its provider.

Every case uses a connection of its own, because a connection counts the tokens it has seen.
"""

import json
import time

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from program import APP, TEAM
from provider_tokens import ABSENT, ProviderKey, base64url, with_character_changed, with_part

INVALID = (403, "InvalidProviderToken")
MISSING = (403, "MissingProviderToken")
EXPIRED = (403, "ExpiredProviderToken")
TOO_MANY = (429, "TooManyProviderTokenUpdates")
OK = (200, None)

OTHER_TEAM = "OTHERTEAM1"
CONFIG = """\
fleet:
  devices: 40
  apps:
    - bundleId: com.example.app
      teamId: PUSHPIT001
      environment: mixed
      attributesTypes: [MatchAttributes]
      runningActivities: 0
    - bundleId: com.example.second
      teamId: PUSHPIT001
      environment: sandbox
      attributesTypes: []
      runningActivities: 0
    - {{bundleId: com.other.app, teamId: OTHERTEAM1, environment: sandbox, attributesTypes: [], runningActivities: 0}}
keys:
{keys}
"""
KEYS = {
    "TEAMKEY001": {"teamId": TEAM, "environment": "both"},
    "TEAMKEY002": {"teamId": TEAM, "environment": "both"},
    "OTHERKEY01": {"teamId": OTHER_TEAM, "environment": "both"},
    "SANDBOXKEY": {"teamId": TEAM, "environment": "sandbox"},
    "PRODUCTKEY": {"teamId": TEAM, "environment": "production"},
    "TOPICKEY01": {"teamId": TEAM, "environment": "both", "topics": ["com.example.app"], "related": "TOPICKEY02"},
    "TOPICKEY02": {"teamId": TEAM, "environment": "both", "topics": ["com.example.app"], "related": "TOPICKEY01"},
    "TOPICKEY03": {"teamId": TEAM, "environment": "both", "topics": ["com.example.app"]},
}


class Setup:
    """A server that knows eight keys, and those keys."""

    def __init__(self, base, *flags: str, public_only: tuple[str, ...] = ()):
        from program import Pushpit

        base.mkdir(parents=True, exist_ok=True)
        self.keys, rows = {}, []
        for key_id, fields in KEYS.items():
            key = ProviderKey.make(base / f"AuthKey_{key_id}.p8", key_id, fields["teamId"])
            self.keys[key_id] = key
            where = {"p8": str(key.p8)}
            if key_id in public_only:
                pem = base / f"{key_id}.pub.pem"
                pem.write_bytes(key.public_pem)
                where = {"publicKey": str(pem)}
            rows.append("  - " + json.dumps({"keyId": key_id} | fields | where))
        self.server = Pushpit(
            "--token-requests-per-second",
            "0",
            *flags,
            state=base / "state",
            home=base / "home",
            config=CONFIG.format(keys="\n".join(rows)),
        )
        self.token = self.server.token("device")

    def push(self, jwt: str, token=None, **options):
        return self.server.push(token or self.token, jwt=jwt, **options).verdict

    def __getitem__(self, key_id: str) -> ProviderKey:
        return self.keys[key_id]


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    setup = Setup(tmp_path_factory.mktemp("keys"), public_only=("TEAMKEY002",))
    yield setup
    setup.server.stop()


@pytest.fixture(scope="module")
def key(setup) -> ProviderKey:
    return setup["TEAMKEY001"]


# What passes


@pytest.mark.parametrize("form", ["raw", "der"])
def test_both_signature_forms_pass(setup, key, form):
    """S6: raw r‖s of 64 bytes, and DER as Apple's own recipe makes it. Many, because DER's length varies."""
    for _ in range(12):
        assert setup.push(key.token(form=form)) == OK


NOW = int(time.time())


@pytest.mark.parametrize(
    "iat",
    [
        lambda: int(time.time()),
        lambda: time.time(),
        lambda: str(int(time.time())),
        lambda: int(time.time()) - 3500,
        lambda: int(time.time()) + 3500,
    ],
    ids=["integer", "float", "numeric string", "58 minutes old", "58 minutes ahead"],
)
def test_iat_may_be_integer_float_or_numeric_string_within_an_hour(setup, key, iat):
    assert setup.push(key.token(claims={"iat": iat()})) == OK


@pytest.mark.parametrize("scheme", ["bearer", "Bearer", "BEARER", "bEaReR"])
def test_the_scheme_word_may_be_spelt_in_any_case(setup, key, scheme):
    """S9: `authorization: bearer <jwt>`, case-insensitive."""
    assert setup.push("", authorization=f"{scheme} {key.token()}") == OK


@pytest.mark.parametrize(
    ("header", "claims"),
    [
        ({"typ": "JWT"}, {}),
        ({}, {"exp": 1}),
        ({}, {"sub": "com.example.app", "aud": "x", "nbf": 0}),
        ({"x": [1, {"y": None}]}, {"kid": "TEAMKEY001"}),
    ],
    ids=["typ", "exp", "others", "nested"],
)
def test_other_fields_are_ignored(setup, key, header, claims):
    assert setup.push(key.token(header=header, claims=claims)) == OK


def test_json_spacing_is_free(setup, key):
    """APNSwift's token has line breaks in its JSON; Apple's recipe has spaces."""
    assert setup.push(key.token(spacing=(" , ", " : "))) == OK
    header = f'{{\n  "alg" : "ES256",\n  "kid" : "{key.key_id}"\n}}'
    claims = f'{{\r\n\t"iss" : "{key.team_id}",\r\n\t"iat" : {int(time.time())}\r\n}}'
    assert setup.push(key.sign_text(header, claims)) == OK


def test_a_key_known_by_its_public_half_alone_is_enough(setup):
    assert setup.push(setup["TEAMKEY002"].token()) == OK


# Nothing there


@pytest.mark.parametrize(
    "authorization", [None, "", "bearer", "bearer "], ids=["absent", "empty", "no token", "only a space"]
)
def test_without_a_token_it_is_missing(setup, authorization):
    """S9: 403 MissingProviderToken without it, never 401."""
    assert setup.push("", authorization=authorization) == MISSING


# One field wrong


WRONG_FIELDS = {
    "alg missing": {"header": {"alg": ABSENT}},
    "alg lower case": {"header": {"alg": "es256"}},
    "alg ES384": {"header": {"alg": "ES384"}},
    "alg RS256": {"header": {"alg": "RS256"}},
    "alg null": {"header": {"alg": None}},
    "kid missing": {"header": {"kid": ABSENT}},
    "kid unknown": {"header": {"kid": "UNKNOWNKEY"}},
    "kid empty": {"header": {"kid": ""}},
    "kid a number": {"header": {"kid": 1234567890}},
    "kid of another key of the team": {"header": {"kid": "TEAMKEY002"}},
    "kid of another team": {"header": {"kid": "OTHERKEY01"}},
    "kid lower case": {"header": {"kid": "teamkey001"}},
    "kid very long": {"header": {"kid": "K" * 1000}},
    "iss missing": {"claims": {"iss": ABSENT}},
    "iss unknown": {"claims": {"iss": "NOSUCHTEAM"}},
    "iss of another team": {"claims": {"iss": OTHER_TEAM}},
    "iss empty": {"claims": {"iss": ""}},
    "iss a number": {"claims": {"iss": 1}},
    "iat missing": {"claims": {"iat": ABSENT}},
    "iat null": {"claims": {"iat": None}},
    "iat words": {"claims": {"iat": "today"}},
    "iat empty": {"claims": {"iat": ""}},
    "iat true": {"claims": {"iat": True}},
    "iat a list": {"claims": {"iat": [NOW]}},
    "iat in milliseconds": {"claims": {"iat": NOW * 1000}},
    "iat in milliseconds as a string": {"claims": {"iat": str(NOW * 1000)}},
    "iat two hours ahead": {"claims": {"iat": NOW + 7200}},
    "iat far beyond any date": {"claims": {"iat": 10**30}},
}


@pytest.mark.parametrize("changes", WRONG_FIELDS.values(), ids=WRONG_FIELDS.keys())
def test_each_wrong_field_is_an_invalid_token(setup, key, changes):
    """S6 S7: all four fields and the signature are verified; 403 InvalidProviderToken per wrong field."""
    assert setup.push(key.token(**changes)) == INVALID


@pytest.mark.parametrize(
    "iat",
    [
        lambda: int(time.time()) - 3700,
        lambda: time.time() - 3700,
        lambda: str(int(time.time()) - 3700),
        lambda: 0,
        lambda: int(time.time()) - 86_400,
    ],
    ids=["62 minutes", "float", "string", "1970", "a day"],
)
def test_a_token_older_than_an_hour_is_expired(setup, key, iat):
    """S8 S6: 403 ExpiredProviderToken."""
    assert setup.push(key.token(claims={"iat": iat()})) == EXPIRED


def test_iat_is_judged_by_real_time_whatever_the_worlds_clock_says(pushpit):
    """S8: real clients stamp real time, so eight virtual hours make no token old."""
    server = pushpit("--fleet", "5", "--clock", "manual")
    server.advance("8h")
    assert server.push(server.first_token()).verdict == OK
    assert (
        server.push(server.first_token(), jwt=server.key.token(claims={"iat": int(time.time()) + 8 * 3600})).verdict
        == INVALID
    )


# Forgeries and malformed tokens


def malformed(key: ProviderKey) -> dict[str, str]:
    good = key.token()
    header, claims, signature = good.split(".")
    stranger = ProviderKey.make(key.p8.with_suffix(".stranger"), key.key_id, key.team_id)
    p384 = ProviderKey.make(key.p8.with_suffix(".p384"), key.key_id, key.team_id, ec.SECP384R1())
    return {
        "one part": header,
        "two parts": f"{header}.{claims}",
        "four parts": f"{good}.{signature}",
        "only dots": "..",
        "a word": "nonsense",
        "empty header": f".{claims}.{signature}",
        "empty claims": f"{header}..{signature}",
        "empty signature": f"{header}.{claims}.",
        "truncated by 1": good[:-2],
        "truncated by 20": good[:-20],
        "truncated to the claims": good[: len(header) + 20],
        "signature of zeros": with_part(good, 2, base64url(b"\0" * 64)),
        "signature of 63 bytes": with_part(good, 2, base64url(b"\x01" * 63)),
        "signature of 65 bytes": with_part(good, 2, base64url(b"\x01" * 65)),
        "signature of effs": with_part(good, 2, base64url(b"\xff" * 64)),
        "DER with a tail": key.token(form="der") + base64url(b"\0\0\0"),
        "DER of nothing": with_part(good, 2, base64url(bytes.fromhex("3006020100020100"))),
        "DER of absurd length": with_part(good, 2, base64url(bytes.fromhex("3084ffffffff020100020100"))),
        "signature changed": with_character_changed(good, 2, 40),
        "claims changed": with_character_changed(good, 1, 10),
        "header changed": with_character_changed(good, 0, 10),
        "header padded": with_part(good, 0, header + "="),
        "standard base64": with_part(good, 2, "+/" + signature[2:]),
        "not base64": with_part(good, 1, "!!!" + claims),
        "a space inside": good.replace(".", ". ", 1),
        "alg none": key.unsigned_token(),
        "alg none with a signature": key.token(header={"alg": "none"}),
        "HS256 with the public key": key.hmac_token(),
        "another key of the same name": stranger.token(),
        "ES384": p384.token(header={"alg": "ES384"}, hash_algorithm=hashes.SHA384()),
        "P-384 called ES256": p384.token(),
        "SHA-512 called ES256": key.token(hash_algorithm=hashes.SHA512()),
        "header not JSON": key.sign_text("nonsense", json.dumps({"iss": key.team_id, "iat": int(time.time())})),
        "header an array": key.sign_text('["ES256"]', json.dumps({"iss": key.team_id, "iat": int(time.time())})),
        "claims not JSON": key.sign_text(f'{{"alg":"ES256","kid":"{key.key_id}"}}', "nonsense"),
        "claims a string": key.sign_text(f'{{"alg":"ES256","kid":"{key.key_id}"}}', '"x"'),
        "claims NaN": key.sign_text(f'{{"alg":"ES256","kid":"{key.key_id}"}}', f'{{"iss":"{key.team_id}","iat":NaN}}'),
        "claims infinite": key.sign_text(
            f'{{"alg":"ES256","kid":"{key.key_id}"}}', f'{{"iss":"{key.team_id}","iat":1e999}}'
        ),
        "claims deep": key.sign_text(f'{{"alg":"ES256","kid":"{key.key_id}"}}', "[" * 2000 + "]" * 2000),
        "huge": "A" * 2000 + "." + "A" * 2000 + "." + "A" * 2000,
        "huge claims": key.token(claims={"x": "y" * 4000, "iss": "NOSUCHTEAM"}),
    }


MALFORMED_NAMES = [
    "one part",
    "two parts",
    "four parts",
    "only dots",
    "a word",
    "empty header",
    "empty claims",
    "empty signature",
    "truncated by 1",
    "truncated by 20",
    "truncated to the claims",
    "signature of zeros",
    "signature of 63 bytes",
    "signature of 65 bytes",
    "signature of effs",
    "DER with a tail",
    "DER of nothing",
    "DER of absurd length",
    "signature changed",
    "claims changed",
    "header changed",
    "header padded",
    "standard base64",
    "not base64",
    "a space inside",
    "alg none",
    "alg none with a signature",
    "HS256 with the public key",
    "another key of the same name",
    "ES384",
    "P-384 called ES256",
    "SHA-512 called ES256",
    "header not JSON",
    "header an array",
    "claims not JSON",
    "claims a string",
    "claims NaN",
    "claims infinite",
    "claims deep",
    "huge",
    "huge claims",
]


@pytest.fixture(scope="module")
def malformed_tokens(key) -> dict[str, str]:
    tokens = malformed(key)
    assert list(tokens) == MALFORMED_NAMES
    return tokens


@pytest.mark.parametrize("name", MALFORMED_NAMES)
def test_a_malformed_or_forged_token_is_invalid(setup, malformed_tokens, name):
    """S6: 403 InvalidProviderToken, whatever is wrong."""
    assert setup.push(malformed_tokens[name]) == INVALID


@pytest.mark.parametrize("authorization", ["Basic dXNlcjpwYXNz", "nonsense", "token abc"])
def test_another_scheme_is_not_a_provider_token(setup, authorization):
    status, reason = setup.push("", authorization=authorization)
    assert status == 403
    assert reason in ("MissingProviderToken", "InvalidProviderToken"), "which of the two is not documented"


def test_a_remembered_token_is_remembered_whole(setup, key):
    """A verified token is looked up, not checked again: changing any part must miss the memory."""
    good = key.token()
    for _ in range(3):
        assert setup.push(good) == OK
    for part, offset in ((0, 5), (1, 5), (2, 5), (2, 80)):
        assert setup.push(with_character_changed(good, part, offset)) == INVALID
    assert setup.push(good) == OK


def test_the_memory_of_tokens_is_bounded(setup, key):
    """More distinct good tokens than anyone uses: each works, and none costs kilobytes for ever."""
    before = setup.server.resident_bytes()
    first = key.token()
    for _ in range(600):
        with setup.server.wire() as wire:
            for _ in range(2):
                assert setup.server.push(setup.token, jwt=key.token(), wire=wire).verdict == OK
    assert setup.push(first) == OK
    assert setup.server.resident_bytes() - before < 32 << 20


# Teams, topics, environments, connections


def test_a_key_serves_its_own_teams_apps_only(setup, key):
    """S7: key → team → allowed bundle ids; a mismatch is a topic error."""
    theirs = setup.server.token("device", "com.other.app")
    assert setup.push(setup["OTHERKEY01"].token(), token=theirs) == OK
    assert setup.push(key.token(), token=theirs) == (400, "TopicDisallowed")
    assert setup.push(setup["OTHERKEY01"].token()) == (400, "TopicDisallowed")


def test_a_topic_scoped_key_serves_its_topics_only(setup):
    """S7: with all their suffixes."""
    second = setup.server.token("device", "com.example.second")
    key = setup["TOPICKEY01"]
    assert setup.push(key.token()) == OK
    assert setup.push(key.token(), token=setup.server.token("voip")) == OK
    assert setup.push(key.token(), token=second) == (400, "TopicDisallowed")
    assert setup.push(setup["TEAMKEY001"].token(), token=second) == OK


def test_a_key_of_the_other_environment_is_refused_by_the_wires_own_name(setup):
    """S3 S7: BadEnvironmentKeyInToken, and before the device token is looked at (E8)."""
    wrong = (403, "BadEnvironmentKeyInToken")
    production = setup.server.token("device", APP, "production")
    assert setup.push(setup["SANDBOXKEY"].token()) == OK
    assert setup.push(setup["PRODUCTKEY"].token()) == wrong
    assert setup.push(setup["PRODUCTKEY"].token(), token=production, environment="production") == OK
    assert setup.push(setup["SANDBOXKEY"].token(), token=production, environment="production") == wrong
    assert setup.push(setup["PRODUCTKEY"].token(), token="00") == wrong


def test_another_team_on_a_connection_is_invalid(setup, key):
    """S7: the first push binds the connection to its team."""
    theirs = setup.server.token("device", "com.other.app")
    with setup.server.wire() as wire:
        assert setup.push(key.token(), wire=wire) == OK
        assert setup.push(setup["OTHERKEY01"].token(), token=theirs, wire=wire) == INVALID
        with setup.server.wire() as other:
            assert setup.push(setup["OTHERKEY01"].token(), token=theirs, wire=other) == OK


def test_an_unrelated_key_of_the_same_team_on_a_connection_is_refused(setup, key):
    with setup.server.wire() as wire:
        first = key.token()
        assert setup.push(first, wire=wire) == OK
        assert setup.push(setup["TEAMKEY002"].token(), wire=wire) == (403, "UnrelatedKeyIdInToken")
        assert setup.push(first, wire=wire) == OK


def test_related_keys_may_alternate_on_a_connection(setup):
    one, two = setup["TOPICKEY01"].token(), setup["TOPICKEY02"].token()
    with setup.server.wire() as wire:
        for jwt in (one, two, one, two):
            assert setup.push(jwt, wire=wire) == OK


def test_a_topic_key_without_relation_is_refused_beside_another(setup):
    with setup.server.wire() as wire:
        assert setup.push(setup["TOPICKEY01"].token(), wire=wire) == OK
        assert setup.push(setup["TOPICKEY03"].token(), wire=wire) == (403, "UnrelatedKeyIdInToken")


# Token updates


def test_the_third_token_within_20_minutes_on_a_connection_is_too_many(setup, key):
    """S8: one renewal is allowed; the token after it is 429 for every request, earlier ones go on."""
    first, second, third = key.token(), key.token(), key.token()
    with setup.server.wire() as wire:
        assert [setup.push(t, wire=wire) for t in (first, second, third, third, second, first)] == [
            OK,
            OK,
            TOO_MANY,
            TOO_MANY,
            OK,
            OK,
        ]
    assert setup.push(third) == OK, "a new connection has no memory of it"


def test_updates_are_counted_by_arrival_not_by_iat(setup, key):
    """S8: tokens stamped half an hour apart that arrive together are still three at once."""
    now = int(time.time())
    tokens = [key.token(claims={"iat": now - age}) for age in (3500, 1800, 0)]
    with setup.server.wire() as wire:
        assert [setup.push(t, wire=wire) for t in tokens] == [OK, OK, TOO_MANY]


def test_invalid_tokens_count_as_updates(setup, key):
    """E7: changed repeatedly, an invalid token is first 403, then 429: the counter runs before the signature."""
    stranger = ProviderKey.make(key.p8.with_suffix(".e7"), key.key_id, key.team_id)
    with setup.server.wire() as wire:
        assert [setup.push(stranger.token(), wire=wire) for _ in range(3)] == [INVALID, INVALID, TOO_MANY]


def test_the_same_token_a_thousand_times_is_one_token(setup, key):
    jwt = key.token()
    with setup.server.wire() as wire:
        assert {setup.push(jwt, wire=wire) for _ in range(1000)} == {OK}


def test_updates_can_be_counted_per_key_over_all_connections(tmp_path):
    """S8: as some developers measured it; a new JWT per push then fails on the third connection."""
    setup = Setup(tmp_path, "--token-update-scope", "key")
    try:
        key = setup["TEAMKEY001"]
        assert [setup.push(key.token()) for _ in range(3)] == [OK, OK, TOO_MANY]
        assert setup.push(setup["TEAMKEY002"].token()) == OK, "another key has a count of its own"
    finally:
        setup.server.stop()


def test_the_number_of_updates_allowed_is_a_setting(tmp_path):
    setup = Setup(tmp_path, "--set", "rules.tokenUpdatesAllowed=3")
    try:
        key = setup["TEAMKEY001"]
        with setup.server.wire() as wire:
            assert [setup.push(key.token(), wire=wire) for _ in range(5)] == [OK] * 4 + [TOO_MANY]
    finally:
        setup.server.stop()


def test_the_window_of_updates_is_a_setting(tmp_path):
    """With a window of a millisecond no two tokens a round trip and a key signature apart are in it: the first
    leaves before the third arrives. Only the outcome is asserted, so a slow machine passes too."""
    setup = Setup(tmp_path, "--set", "rules.tokenUpdateWindow=1ms")
    try:
        key = setup["TEAMKEY001"]
        with setup.server.wire() as wire:
            for _ in range(10):
                # What is awaited is the clock itself; PINGs in a loop would be taken for a flood on a fast machine.
                time.sleep(0.02)
                assert setup.push(key.token(), wire=wire) == OK
    finally:
        setup.server.stop()


# Strictness


def test_strict_jwt_refuses_der_and_iat_that_is_not_an_integer(tmp_path):
    """S6: for those who hold their client to the letter of the specification."""
    setup = Setup(tmp_path, "--strict-jwt")
    try:
        key = setup["TEAMKEY001"]
        assert setup.push(key.token()) == OK
        assert setup.push(key.token(form="der")) == INVALID
        assert setup.push(key.token(claims={"iat": time.time()})) == INVALID
        assert setup.push(key.token(claims={"iat": str(int(time.time()))})) == INVALID
        assert setup.push("", authorization=f"Bearer {key.token()}") == OK
    finally:
        setup.server.stop()


# Why


def test_a_refusal_says_which_rule_it_was(setup, key):
    """S20: a 403 can be asked why."""
    answer = setup.server.push(setup.token, jwt=key.token(claims={"iat": int(time.time()) - 4000}))
    entry = setup.server.recorded(answer)
    assert entry["reason"] == "ExpiredProviderToken"
    assert entry["provider"] is None or entry["provider"] == {"keyId": key.key_id, "teamId": key.team_id}
    assert entry["why"]["evidence"] == "documented"
    assert entry["why"]["sentence"] and entry["why"]["source"]


def test_an_accepted_push_names_its_provider(setup, key):
    answer = setup.server.push(setup.token, jwt=key.token())
    assert setup.server.recorded(answer)["provider"] == {"keyId": key.key_id, "teamId": key.team_id}
