// SPDX-License-Identifier: GPL-3.0-only
/*
 * request_login: the password that a client must show.
 */
#include "net/request_login.h"

#include "base/base64.h"
#include "net/refusal.h"

#include <string.h>
#include <strings.h>

static bool is_same(const void *said, const void *wanted, size_t len)
{
    const uint8_t *a = said;
    const uint8_t *b = wanted;
    unsigned difference = 0;

    for (size_t i = 0; i < len; i++)
        difference |= (unsigned)(a[i] ^ b[i]);
    return difference == 0;
}

bool request_login_fits_head(const char *password, const struct http_head *head)
{
    static const char scheme[] = "Basic ";
    size_t skip = sizeof(scheme) - 1;
    struct buf both CLEANUP(buf_free);
    struct buf wanted CLEANUP(buf_free);
    struct http_text said;

    if (http_head_find(head, "proxy-authorization", &said) != 1 || said.len < skip ||
        strncasecmp(said.at, scheme, skip) != 0)
        return false;
    for (; skip < said.len && said.at[skip] == ' '; skip++)
        ;
    buf_init(&both, 2 * REQUEST_LOGIN_MAX);
    buf_init(&wanted, 4 * REQUEST_LOGIN_MAX);
    buf_printf(&both, "%s:%s", PROXY_USER, password);
    base64_append(&wanted, both.data, both.len);
    return !both.overflow && !wanted.overflow && said.len - skip == wanted.len &&
           is_same(said.at + skip, wanted.data, wanted.len);
}

size_t request_login_socks_length(const uint8_t *message, size_t len)
{
    size_t user = len > 1 ? message[1] : 0;

    return user + 3 + (len > user + 2 ? message[user + 2] : 0);
}

bool request_login_fits_socks(const char *password, const uint8_t *message)
{
    static const char user[] = PROXY_USER;
    size_t user_len = sizeof(user) - 1;
    size_t len = strlen(password);

    return message[0] == 1 && message[1] == user_len && is_same(message + 2, user, user_len) &&
           message[user_len + 2] == len && is_same(message + user_len + 3, password, len);
}
