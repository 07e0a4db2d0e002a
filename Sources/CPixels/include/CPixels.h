// SPDX-License-Identifier: Apache-2.0
// Converts Y'CbCr to pixels for displays, in loops for vector units. Swift code is compiled for the oldest supported
// processor, these loops also for AVX2.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Entries of a transfer table: codes from -0.5 to 1.5 in steps of 1/32768.
enum { CPIXELS_TABLE_COUNT = 65537 };

/// An interpolation between chroma samples: the weights (`taps`) of the four samples that make the value at a pixel.
/// The first of them is `first` samples from the chroma sample that the pixel shares with its neighbour.
typedef struct {
    int first;
    float taps[4];
} cpixels_phase;

/// Planes of Y'CbCr, luma first, with up to 16 bits per sample. With more than 8 bits (`is_wide`), samples have 16 bits
/// in the processor's byte order.
typedef struct {
    const uint8_t *planes[3];
    /// From one row of a plane to the next, in bytes.
    ptrdiff_t strides[3];
    int width, height;
    bool is_wide;
    /// Whether a chroma sample belongs to two columns, and to two rows.
    bool has_half_columns, has_half_rows;
    /// The phases of even and of odd columns or rows. Not read in a direction without subsampling.
    cpixels_phase columns[2], rows[2];
    /// The coefficients from sample values to R'G'B' from 0 to 1: red is luma × `luma` + `red_cr` × Cr + `offsets[0]`,
    /// and so on.
    float luma, red_cr, green_cb, green_cr, blue_cb, offsets[3];
} cpixels_picture;

/// The conversion of R'G'B' codes to linear light.
typedef struct {
    /// `CPIXELS_TABLE_COUNT` entries.
    const float *table;
    /// The matrix to the target primaries, row-major.
    float matrix[9];
} cpixels_light;

/// The number of floats of scratch memory for rows of this width.
size_t cpixels_room(int width);

/// Writes rows `first ..< end` as 8-bit RGBA (R'G'B'), fully opaque, rounded to the nearest code.
///
/// - `room`: scratch memory of `cpixels_room` floats.
/// - `has_avx2`: whether the processor has AVX2, FMA and F16C.
void cpixels_rgba(
    const cpixels_picture *picture, int first, int end, uint8_t *target, ptrdiff_t stride, float *room, bool has_avx2);

/// Writes rows `first ..< end` as half-precision RGBA in linear light, fully opaque, rounded to the nearest value.
void cpixels_light_rows(
    const cpixels_picture *picture, const cpixels_light *light, int first, int end, uint8_t *target, ptrdiff_t stride,
    float *room, bool has_avx2);

/// Writes planes of floats (red, green, blue) as half-precision RGBA with an alpha of 1.
void cpixels_halves(
    const float *const planes[3], const ptrdiff_t strides[3], int width, int height, uint8_t *target, ptrdiff_t stride,
    bool has_avx2);
