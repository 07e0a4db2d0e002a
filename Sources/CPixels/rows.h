// SPDX-License-Identifier: Apache-2.0
// The loops for one kind of processor. A source file per kind includes this header and defines `NAME`, which makes the
// functions' names.
#include "CPixels.h"

#include <string.h>

// Vectors may be wider than registers, but no call passes them: functions that take vectors are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

// Eight pixels at a time. Clang maps these types to the vectors of the target.
typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef uint32_t u8 __attribute__((vector_size(32)));
typedef uint32_t u16 __attribute__((vector_size(64)));
typedef uint8_t b8 __attribute__((vector_size(8)));
typedef uint16_t h8 __attribute__((vector_size(16)));

enum { LANES = 8, MARGIN = 8 };

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS f8 spread(float value) { return (f8){value, value, value, value, value, value, value, value}; }

ALWAYS f8 load(const float *from) {
    f8 value;
    memcpy(&value, from, sizeof value);
    return value;
}

ALWAYS void store(float *to, f8 value) { memcpy(to, &value, sizeof value); }

ALWAYS f8 smaller(f8 a, f8 b) { return __builtin_elementwise_min(a, b); }

ALWAYS f8 larger(f8 a, f8 b) { return __builtin_elementwise_max(a, b); }

/// Loads eight samples, from `column` on.
ALWAYS f8 samples(const uint8_t *row, int column, bool is_wide) {
    if (is_wide) {
        h8 codes;
        memcpy(&codes, row + (ptrdiff_t)column * 2, sizeof codes);
        return __builtin_convertvector(__builtin_convertvector(codes, i8), f8);
    }
    b8 codes;
    memcpy(&codes, row + column, sizeof codes);
    return __builtin_convertvector(__builtin_convertvector(codes, i8), f8);
}

ALWAYS float sample(const uint8_t *row, int column, bool is_wide) {
    if (!is_wide) return row[column];
    uint16_t code;
    memcpy(&code, row + (ptrdiff_t)column * 2, sizeof code);
    return code;
}

/// The index of a sample, mirrored at the edges of the plane.
ALWAYS int mirrored(int place, int count) {
    if (place < 0) place = -1 - place;
    if (place >= count) place = 2 * count - 1 - place;
    return place < 0 ? 0 : place >= count ? count - 1 : place;
}

ALWAYS int halved(int count) { return (count + 1) / 2; }

/// Interpolates the chroma for a row of pixels, in the columns of the chroma plane.
ALWAYS void blend_rows(const cpixels_picture *picture, int plane, int row, float *to, bool is_wide) {
    const uint8_t *start = picture->planes[plane];
    ptrdiff_t stride = picture->strides[plane];
    int count = picture->has_half_columns ? halved(picture->width) : picture->width;
    if (!picture->has_half_rows) {
        const uint8_t *from = start + row * stride;
        int column = 0;
        for (; column + LANES <= count; column += LANES) store(to + column, samples(from, column, is_wide));
        for (; column < count; column++) to[column] = sample(from, column, is_wide);
        return;
    }
    int rows = halved(picture->height);
    const cpixels_phase *phase = &picture->rows[row & 1];
    const uint8_t *from[4];
    for (int tap = 0; tap < 4; tap++) from[tap] = start + mirrored(row / 2 + phase->first + tap, rows) * stride;
    const float *taps = phase->taps;
    int column = 0;
    for (; column + LANES <= count; column += LANES) {
        f8 sum = samples(from[0], column, is_wide) * taps[0] + samples(from[1], column, is_wide) * taps[1]
            + samples(from[2], column, is_wide) * taps[2] + samples(from[3], column, is_wide) * taps[3];
        store(to + column, sum);
    }
    for (; column < count; column++) {
        to[column] = sample(from[0], column, is_wide) * taps[0] + sample(from[1], column, is_wide) * taps[1]
            + sample(from[2], column, is_wide) * taps[2] + sample(from[3], column, is_wide) * taps[3];
    }
}

ALWAYS f8 weighted(const float *from, const float *taps) {
    return load(from) * taps[0] + load(from + 1) * taps[1] + load(from + 2) * taps[2] + load(from + 3) * taps[3];
}

/// Interpolates two columns from each chroma column. Writes mirrored samples into the margins before and after `from`.
ALWAYS void double_columns(const cpixels_picture *picture, float *from, float *to) {
    int count = halved(picture->width);
    for (int place = 1; place <= 3; place++) {
        from[-place] = from[mirrored(-place, count)];
        from[count - 1 + place] = from[mirrored(count - 1 + place, count)];
    }
    const cpixels_phase *even = &picture->columns[0], *odd = &picture->columns[1];
    for (int column = 0; column < count; column += LANES) {
        f8 a = weighted(from + column + even->first, even->taps), b = weighted(from + column + odd->first, odd->taps);
        store(to + 2 * column, __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
        store(to + 2 * column + LANES, __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
    }
}

typedef struct {
    f8 red, green, blue;
} colors;

ALWAYS colors codes(const cpixels_picture *picture, f8 luma, f8 cb, f8 cr) {
    f8 base = luma * picture->luma;
    return (colors){
        base + cr * picture->red_cr + picture->offsets[0],
        base + cb * picture->green_cb + cr * picture->green_cr + picture->offsets[1],
        base + cb * picture->blue_cb + picture->offsets[2],
    };
}

ALWAYS u16 interleaved(u8 a, u8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}

ALWAYS u8 byte_code(f8 value) {
    return __builtin_convertvector(
        __builtin_convertvector(smaller(larger(value * 255.0f + 0.5f, spread(0)), spread(255)), i8), u8);
}

ALWAYS u8 rgba_codes(colors from) {
    return byte_code(from.red) | byte_code(from.green) << 8 | byte_code(from.blue) << 16 | 0xFF000000u;
}

/// The bits of half-precision floats, rounded to the nearest, ties to even. Values beyond their range become infinite.
ALWAYS u8 half_bits(f8 value) {
#ifdef HAS_F16C
    return __builtin_convertvector((h8)__builtin_ia32_vcvtps2ph256(value, 0), u8);
#else
    // Values too small for a normal half are rounded by adding 0.5, whose last bit has the value of the last bit of a
    // subnormal half. For other values, the bits are rounded.
    u8 bits = (u8)value, sign = bits & 0x80000000u;
    u8 size = bits ^ sign;
    u8 small = (u8)((f8)size + spread(0.5f)) - 0x3F000000u;
    u8 normal = (size - 0x38000000u + 0xFFFu + ((size >> 13) & 1)) >> 13;
    normal = __builtin_elementwise_min(normal, (u8){} + 0x7C00u);
    u8 is_small = (u8)(size < 0x38800000u);
    return (is_small & small) | (~is_small & normal) | sign >> 16;
#endif
}

/// Stores eight pixels of four halves.
ALWAYS void store_halves(uint8_t *to, f8 red, f8 green, f8 blue) {
    u8 first = half_bits(red) | half_bits(green) << 16;
    u8 second = half_bits(blue) | 0x3C000000u;
    u16 pixels = interleaved(first, second);
    memcpy(to, &pixels, sizeof pixels);
}

ALWAYS f8 looked_up(const float *table, f8 code) {
    f8 place = smaller(larger(code * 32768.0f + 16384.5f, spread(0)), spread(65536));
    i8 index = __builtin_convertvector(place, i8);
    return (f8){table[index[0]], table[index[1]], table[index[2]], table[index[3]],
        table[index[4]], table[index[5]], table[index[6]], table[index[7]]};
}

ALWAYS void store_light(uint8_t *to, colors from, const cpixels_light *light) {
    f8 red = looked_up(light->table, from.red), green = looked_up(light->table, from.green);
    f8 blue = looked_up(light->table, from.blue);
    const float *m = light->matrix;
    store_halves(
        to, red * m[0] + green * m[1] + blue * m[2], red * m[3] + green * m[4] + blue * m[5],
        red * m[6] + green * m[7] + blue * m[8]);
}

/// Stores eight pixels: as bytes without `light`, as halves with `light`.
ALWAYS void store_pixels(
    uint8_t *to, const cpixels_picture *picture, f8 luma, f8 cb, f8 cr, const cpixels_light *light) {
    colors found = codes(picture, luma, cb, cr);
    if (light) {
        store_light(to, found, light);
    } else {
        u8 pixels = rgba_codes(found);
        memcpy(to, &pixels, sizeof pixels);
    }
}

ALWAYS void convert(
    const cpixels_picture *picture, const cpixels_light *light, int first, int end, uint8_t *target, ptrdiff_t stride,
    float *room, bool is_wide) {
    int width = picture->width, pixel_bytes = light ? 8 : 4;
    float *blended = room + MARGIN, *chroma[2] = {room + cpixels_row_room(width), room + 2 * cpixels_row_room(width)};
    for (int row = first; row < end; row++) {
        for (int plane = 0; plane < 2; plane++) {
            float *from = picture->has_half_columns ? blended : chroma[plane];
            blend_rows(picture, plane + 1, row, from, is_wide);
            if (picture->has_half_columns) double_columns(picture, from, chroma[plane]);
        }
        const uint8_t *luma = picture->planes[0] + row * picture->strides[0];
        uint8_t *to = target + row * stride;
        int column = 0;
        for (; column + LANES <= width; column += LANES) {
            store_pixels(
                to + (ptrdiff_t)column * pixel_bytes, picture, samples(luma, column, is_wide), load(chroma[0] + column),
                load(chroma[1] + column), light);
        }
        if (column == width) continue;
        f8 last = spread(0);
        for (int place = column; place < width; place++) last[place - column] = sample(luma, place, is_wide);
        uint8_t rest[LANES * 8];
        store_pixels(rest, picture, last, load(chroma[0] + column), load(chroma[1] + column), light);
        memcpy(to + (ptrdiff_t)column * pixel_bytes, rest, (size_t)(width - column) * (size_t)pixel_bytes);
    }
}

void NAME(halves)(
    const float *const planes[3], const ptrdiff_t strides[3], int width, int height, uint8_t *target, ptrdiff_t stride) {
    for (int row = 0; row < height; row++) {
        const float *from[3];
        for (int plane = 0; plane < 3; plane++) {
            from[plane] = (const float *)(const void *)((const uint8_t *)planes[plane] + row * strides[plane]);
        }
        uint8_t *to = target + row * stride;
        int column = 0;
        for (; column + LANES <= width; column += LANES) {
            store_halves(to + column * 8, load(from[0] + column), load(from[1] + column), load(from[2] + column));
        }
        if (column == width) continue;
        f8 last[3] = {spread(0), spread(0), spread(0)};
        for (int plane = 0; plane < 3; plane++) {
            for (int place = column; place < width; place++) last[plane][place - column] = from[plane][place];
        }
        uint8_t rest[LANES * 8];
        store_halves(rest, last[0], last[1], last[2]);
        memcpy(to + column * 8, rest, (size_t)(width - column) * 8);
    }
}

void NAME(rgba)(
    const cpixels_picture *picture, int first, int end, uint8_t *target, ptrdiff_t stride, float *room) {
    if (picture->is_wide) convert(picture, NULL, first, end, target, stride, room, true);
    else convert(picture, NULL, first, end, target, stride, room, false);
}

void NAME(light)(
    const cpixels_picture *picture, const cpixels_light *light, int first, int end, uint8_t *target, ptrdiff_t stride,
    float *room) {
    if (picture->is_wide) convert(picture, light, first, end, target, stride, room, true);
    else convert(picture, light, first, end, target, stride, room, false);
}
