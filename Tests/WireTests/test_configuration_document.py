"""docs/configuration.md: its YAML starts a server, and its numbers are the defaults."""

import re

import yaml

import guides

PAGE = guides.read("docs/configuration.md")
SETTINGS = [block.text for block in guides.blocks("docs/configuration.md", "yaml")]


def test_the_configuration_shown_starts_a_server(pushpit, tmp_path, server):
    (text,) = [b for b in SETTINGS if b.startswith("listen:")]
    shown = yaml.safe_load(text)
    assert shown["listen"] == {
        "host": "127.0.0.1",
        "sandbox": 2197,
        "production": 2198,
        "channels": 2195,
        "productionChannels": 2196,
        "admin": 2190,
    }
    config = tmp_path / "pushpit.yaml"
    key = server.ready["keys"][0]["p8"]
    config.write_text(text.replace("AuthKey_ABCDE12345.p8", key))
    started = pushpit("--config", str(config))
    assert "ABCDE12345" in [k["keyId"] for k in started.ready["keys"]]
    assert started.push(started.token("device")).verdict == (200, None)


def test_every_yaml_shown_is_a_configuration(pushpit, server):
    """Each block starts a server as it stands, with only ports and paths changed."""
    assert len(SETTINGS) >= 2
    key = server.ready["keys"][0]["p8"]
    for text in SETTINGS:
        pushpit("--fleet", "3", config=text.replace("AuthKey_ABCDE12345.p8", key)).stop()


def test_the_shares_shown_are_the_defaults(fails):
    """The table of the fleet as it comes, number by number."""
    said = fails("settings", "fleet").stdout
    default = dict(re.findall(r"^  fleet\.(?:mix\.)?(\w+): (\S+)", said, re.M))
    rows = re.findall(r"^\| ([^|]*%[^|]*) \| ((?:`[\w.]+`(?:, )?)+) \|$", PAGE, re.M)
    mix = [
        (re.findall(r"[\d.]+%", text), re.findall(r"`(\w+)`", keys)) for text, keys in rows if "fleet.os" not in keys
    ]
    assert sum(len(keys) for _, keys in mix) >= 9
    for shares, keys in mix:
        assert shares[: len(keys)] == [default[k] for k in keys]
        assert shares[len(keys) :] in ([], ["5%"])  # of the notification prompt: who has not been asked
    (versions,) = [text for text, keys in rows if "fleet.os" in keys]
    parts = [share.split(":") for share in default["os"].split(",")]
    assert [f"{p}%" for _, p in parts] == re.findall(r"\d+%", versions)
