// SPDX-License-Identifier: GPL-3.0-only
/*
 * secrets: the directories of HOME that hold keys and credentials, under their own name and, where
 * they are links, under the one of their target.
 */
#include "policy/secrets.h"

#include "base/path.h"

#include <stdlib.h>

const char *const secret_dotdirs[] = {
    ".aws",  ".azure",   ".basilisk-dev",   ".docker",  ".gnupg", ".kimi",        ".kimi-code",
    ".kube", ".mozilla", ".password-store", ".sparrow", ".ssh",   ".thunderbird", NULL,
};

/* Where the secret directory really is; its own name if it is not there. */
static char *real_place(const struct host *host, const char *named)
{
    char *canonical = NULL;

    return fs_resolve(host->fs, named, &canonical, NULL, NULL) < 0 ? xstrdup(named) : canonical;
}

bool secrets_hold_other(const struct host *host, const char *path, const char *freed)
{
    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *named = path_join(host->home, secret_dotdirs[i]);
        _cleanup_free_ char *real = real_place(host, named);

        if (str_eq(secret_dotdirs[i], freed))
            continue;
        if (path_is_within(path, named) || path_is_within(path, real))
            return true;
    }
    return false;
}

bool secrets_hold(const struct host *host, const char *path)
{
    return secrets_hold_other(host, path, NULL);
}

bool secrets_lie_within(const struct host *host, const char *dir)
{
    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *named = path_join(host->home, secret_dotdirs[i]);
        _cleanup_free_ char *real = real_place(host, named);

        if (path_is_within(named, dir) || path_is_within(real, dir))
            return true;
    }
    return false;
}
