#!/bin/sh
# Runs a command where Apple's names lead to this machine, and nothing else can be reached: enter.sh pushpit hunt …
# It needs no root, but user namespaces; they end with the command.
hosts=$(mktemp)
printf '127.0.0.1 localhost api.push.apple.com api.sandbox.push.apple.com api.development.push.apple.com\n' >"$hosts"
# shellcheck disable=SC2016
unshare --map-root-user --net --mount sh -c \
  'ip link set lo up && mount --bind "$0" /etc/hosts && exec "$@"' "$hosts" "$@"
status=$?
rm -f "$hosts"
exit "$status"
