#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-only
# Instead of curl: notes how it was called, answers what https_proxy says, and stays as long as
# no_proxy says. (The variables for proxies are what the program hands on.)
[ -z "$ALL_PROXY" ] || { printf '%s\n' "$@"; env; pwd; ls /proc/self/fd; } >"$ALL_PROXY"
printf '%s' "${https_proxy:-}"
[ -z "$no_proxy" ] || exec /bin/sleep "$no_proxy"
