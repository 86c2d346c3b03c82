// SPDX-License-Identifier: GPL-3.0-only
/*
 * request_login: the password that a client must show where others could reach the proxy, too: on
 * macOS it listens on the loopback of the host.
 *
 * The password is made for the run and stands in the variables that name the proxy. Compared without
 * telling by the time how much of it was right. Pure.
 */
#pragma once

#include "net/http_head.h"

/* Of the password; more is a mistake of the caller. */
#define REQUEST_LOGIN_MAX 64

/* True if the head has it as "Proxy-Authorization: Basic ..." (RFC 7617), once. */
bool request_login_fits_head(const char *password, const struct http_head *head);
/* The same for VER ULEN UNAME PLEN PASSWD (RFC 1929), which is whole. */
bool request_login_fits_socks(const char *password, const uint8_t *message);
/* Its length as far as it is known: at least so many bytes it has. */
size_t request_login_socks_length(const uint8_t *message, size_t len);
