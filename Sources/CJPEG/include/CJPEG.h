// SPDX-License-Identifier: Apache-2.0
// libjpeg as one call: it reports errors by a function that must not return, which takes setjmp.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Planes of Y'CbCr of BT.601 in full range with 8 bits a sample: luma, then both colours.
typedef struct {
    const uint8_t *planes[3];
    /// From one row of a plane to the next, in bytes.
    int strides[3];
    int width, height;
    /// Whether a sample of colour stands for two by two pixels, and not for one. Of an odd side there is one more.
    bool is_halved;
} cjpeg_picture;

/// Writes a JFIF file with the tables of ISO/IEC 10918-1 annex K scaled to `quality` (`jpeg_set_quality`), 1 … 100. Equal
/// pictures give equal bytes. Returns the number of bytes, which are the caller's to free; 0 when the sides are none that a
/// JPEG can have, or memory is short.
size_t cjpeg_encode(const cjpeg_picture *picture, int quality, uint8_t **bytes);
