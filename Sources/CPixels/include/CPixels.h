// SPDX-License-Identifier: Apache-2.0
// Y'CbCr to pixels for displays, as loops for vector units: Swift compiles for the oldest processor, these for two.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Entries of a transfer table: codes from -0.5 to 1.5 in steps of 1/32768.
enum { CPIXELS_TABLE_COUNT = 65537 };

/// Between two entries of a chroma plane: which four samples make the value at a pixel, and how much of each. The first of
/// the four is at `first` from the sample of the pixel's pair.
typedef struct {
    int first;
    float taps[4];
} cpixels_phase;

/// Planes of Y'CbCr, luma first, with up to 16 bits a sample. Samples of more than 8 bits take 16, in the processor's order.
typedef struct {
    const uint8_t *planes[3];
    /// From one row of a plane to the next, in bytes.
    ptrdiff_t strides[3];
    int width, height;
    bool is_wide;
    /// Whether a chroma sample belongs to two columns, and to two rows.
    bool has_half_columns, has_half_rows;
    /// For the even and the odd column or row. Not read where there is a chroma sample for each.
    cpixels_phase columns[2], rows[2];
    /// R'G'B' from 0 to 1 of sample values: luma × `luma` + `red_cr` × Cr + `offsets[0]`, and so on.
    float luma, red_cr, green_cb, green_cr, blue_cb, offsets[3];
} cpixels_picture;

/// Linear light of R'G'B' codes.
typedef struct {
    /// `CPIXELS_TABLE_COUNT` entries.
    const float *table;
    /// To other primaries, by rows.
    float matrix[9];
} cpixels_light;

/// Floats that converting rows of this width takes.
size_t cpixels_room(int width);

/// Writes rows `first ..< end` as R'G'B' of 8 bits with full opacity, rounded to the nearest code.
///
/// - `room`: `cpixels_room` floats, whose contents do not matter.
/// - `has_avx2`: whether the processor has AVX2, FMA and F16C.
void cpixels_rgba(
    const cpixels_picture *picture, int first, int end, uint8_t *target, ptrdiff_t stride, float *room, bool has_avx2);

/// Writes rows `first ..< end` as linear light: half-precision floats with full opacity, rounded to the nearest.
void cpixels_light_rows(
    const cpixels_picture *picture, const cpixels_light *light, int first, int end, uint8_t *target, ptrdiff_t stride,
    float *room, bool has_avx2);

/// Writes planes of floats as rows of four half-precision floats a pixel: red, green, blue and 1.
void cpixels_halves(
    const float *const planes[3], const ptrdiff_t strides[3], int width, int height, uint8_t *target, ptrdiff_t stride,
    bool has_avx2);
