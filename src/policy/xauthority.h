// SPDX-License-Identifier: GPL-3.0-only
/*
 * xauthority: the records of an X11 authority file. Xsecurity(7), Xauth(3); the format:
 * 16-bit family, then address, number, name and data, each a 16-bit length and its bytes, all in
 * network order.
 */
#pragma once

#include "base/buf.h"

/*
 * Appends to out those records of the bytes that open the local display of that number ("0"): of this
 * machine (family 256, FamilyLocal) or of any (65535, FamilyWild), as records for any machine, because
 * clients look for the name of the machine they run on, and of the display number inside. Records of the machine called host come
 * first. 0, or -EBADMSG with nothing appended if the bytes are no whole records.
 */
int xauthority_select(struct buf *out, const uint8_t *bytes, size_t len, const char *host,
                      const char *number, const char *inside);
