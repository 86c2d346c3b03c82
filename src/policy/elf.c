// SPDX-License-Identifier: GPL-3.0-only
/*
 * elf: finds PT_INTERP in the first bytes of a program.
 *
 * Both classes are read into the same three numbers; every offset is checked against the bytes that
 * are there before it is used, in 64 bits and without additions that could wrap.
 */
#include "policy/elf.h"

#include <elf.h>
#include <limits.h>
#include <string.h>

/* The kernel refuses more than 64 KiB of program headers; real programs have about a dozen. */
#define HEADERS_MAX 1024

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

struct image {
    const uint8_t *bytes;
    size_t len;
};

/* A program header, whatever its class. */
struct segment {
    uint32_t type;
    uint64_t offset;
    uint64_t size;
};

struct headers {
    uint64_t offset;
    size_t count;
    bool is_64;
};

/* Copies size bytes at offset; false if they are not all there. */
static bool read_at(const struct image *image, uint64_t offset, void *out, size_t size)
{
    if (size > image->len || offset > image->len - size)
        return false;
    memcpy(out, image->bytes + offset, size);
    return true;
}

static bool read_headers(const struct image *image, struct headers *headers)
{
    uint8_t ident[EI_NIDENT];
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;

    if (!read_at(image, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
        ident[EI_DATA] != NATIVE_DATA)
        return false;
    if (ident[EI_CLASS] == ELFCLASS64) {
        if (!read_at(image, 0, &wide, sizeof(wide)) || wide.e_phentsize != sizeof(Elf64_Phdr))
            return false;
        *headers = (struct headers){wide.e_phoff, wide.e_phnum, true};
    } else if (ident[EI_CLASS] == ELFCLASS32) {
        if (!read_at(image, 0, &narrow, sizeof(narrow)) || narrow.e_phentsize != sizeof(Elf32_Phdr))
            return false;
        *headers = (struct headers){narrow.e_phoff, narrow.e_phnum, false};
    } else {
        return false;
    }
    return headers->count <= HEADERS_MAX && headers->offset <= image->len;
}

static bool read_segment(const struct image *image, const struct headers *headers, size_t index,
                         struct segment *segment)
{
    Elf64_Phdr wide;
    Elf32_Phdr narrow;

    if (headers->is_64) {
        if (!read_at(image, headers->offset + index * sizeof(wide), &wide, sizeof(wide)))
            return false;
        *segment = (struct segment){wide.p_type, wide.p_offset, wide.p_filesz};
    } else {
        if (!read_at(image, headers->offset + index * sizeof(narrow), &narrow, sizeof(narrow)))
            return false;
        *segment = (struct segment){narrow.p_type, narrow.p_offset, narrow.p_filesz};
    }
    return true;
}

/* The string in a PT_INTERP segment, under the kernel's conditions (fs/binfmt_elf.c). */
static char *read_path(const struct image *image, const struct segment *segment)
{
    char path[PATH_MAX];

    if (segment->size < 2 || segment->size > sizeof(path) ||
        !read_at(image, segment->offset, path, (size_t)segment->size) ||
        path[segment->size - 1] != '\0' || path[0] != '/')
        return NULL;
    return xstrdup(path);
}

char *elf_interpreter(const void *head, size_t len)
{
    struct image image = {head, len};
    struct headers headers;

    if (!read_headers(&image, &headers))
        return NULL;
    for (size_t i = 0; i < headers.count; i++) {
        struct segment segment;

        if (!read_segment(&image, &headers, i, &segment))
            return NULL;
        if (segment.type == PT_INTERP)
            return read_path(&image, &segment);
    }
    return NULL;
}

bool elf_is_decided(const void *head, size_t len)
{
    struct image image = {head, len};
    struct headers headers;
    uint8_t magic[SELFMAG];

    if (!read_at(&image, 0, magic, sizeof(magic)))
        return false;
    if (!read_headers(&image, &headers))
        return memcmp(magic, ELFMAG, SELFMAG) != 0;
    for (size_t i = 0; i < headers.count; i++) {
        struct segment segment;

        if (!read_segment(&image, &headers, i, &segment))
            return false;
        if (segment.type == PT_INTERP)
            return segment.size <= len && segment.offset <= len - segment.size;
    }
    return true;
}
