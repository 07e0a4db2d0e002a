// SPDX-License-Identifier: Apache-2.0
// libjpeg as one call. It reports errors through a function that must not return, which requires setjmp; Swift cannot
// call that.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Planes of Y'CbCr of BT.601 in full range with 8 bits a sample: luma, then both chroma planes.
typedef struct {
    const uint8_t *planes[3];
    /// From one row of a plane to the next, in bytes.
    int strides[3];
    int width, height;
    /// Whether a chroma sample covers two by two pixels instead of one. Odd sides are rounded up.
    bool is_halved;
} cjpeg_picture;

/// Writes a JFIF file with the tables of ISO/IEC 10918-1 annex K scaled to `quality` (`jpeg_set_quality`), 1 … 100.
/// Equal pictures give equal bytes. Returns the length of `*bytes`, which the caller must free; 0 if a JPEG cannot have
/// these sides, or memory is short.
size_t cjpeg_encode(const cjpeg_picture *picture, int quality, uint8_t **bytes);
