// SPDX-License-Identifier: Apache-2.0
// Declares the functions of `CPixels.h` once for each kind of processor.
#pragma once
#include "CPixels.h"

/// The number of floats in one row, including those that vectors write beyond its end.
static inline size_t cpixels_row_room(int width) { return (size_t)width + 32; }

#define CPIXELS_KIND(kind)                                                                                              \
    void cpixels_##kind##_rgba(                                                                                         \
        const cpixels_picture *, int first, int end, uint8_t *target, ptrdiff_t stride, float *room);                   \
    void cpixels_##kind##_light(                                                                                        \
        const cpixels_picture *, const cpixels_light *, int first, int end, uint8_t *target, ptrdiff_t stride,          \
        float *room);                                                                                                   \
    void cpixels_##kind##_halves(                                                                                       \
        const float *const planes[3], const ptrdiff_t strides[3], int width, int height, uint8_t *target,               \
        ptrdiff_t stride);

CPIXELS_KIND(any)
CPIXELS_KIND(avx2)
