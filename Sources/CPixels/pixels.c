// SPDX-License-Identifier: Apache-2.0
#include "CPixels.h"
#include "kinds.h"

#if defined(__x86_64__)
#define BEST(what) (has_avx2 ? cpixels_avx2_##what : cpixels_any_##what)
#else
#define BEST(what) ((void)has_avx2, cpixels_any_##what)
#endif

size_t cpixels_room(int width) { return 3 * cpixels_row_room(width); }

void cpixels_rgba(
    const cpixels_picture *picture, int first, int end, uint8_t *target, ptrdiff_t stride, float *room, bool has_avx2) {
    BEST(rgba)(picture, first, end, target, stride, room);
}

void cpixels_light_rows(
    const cpixels_picture *picture, const cpixels_light *light, int first, int end, uint8_t *target, ptrdiff_t stride,
    float *room, bool has_avx2) {
    BEST(light)(picture, light, first, end, target, stride, room);
}

void cpixels_halves(
    const float *const planes[3], const ptrdiff_t strides[3], int width, int height, uint8_t *target, ptrdiff_t stride,
    bool has_avx2) {
    BEST(halves)(planes, strides, width, height, target, stride);
}
