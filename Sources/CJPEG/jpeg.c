// SPDX-License-Identifier: Apache-2.0
#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { FIRST_ROOM = 64 << 10, LONGEST_BLOCK = 2 * DCTSIZE };

// A growing buffer.

typedef struct {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t room, count;
} destination;

static void go_on(j_compress_ptr codec, size_t used) {
    destination *to = (destination *)codec->dest;
    to->base.next_output_byte = to->bytes + used;
    to->base.free_in_buffer = to->room - used;
}

static void begin(j_compress_ptr codec) {
    destination *to = (destination *)codec->dest;
    to->bytes = malloc(FIRST_ROOM);
    to->room = to->bytes ? FIRST_ROOM : 0;
    if (!to->bytes) codec->err->error_exit((j_common_ptr)codec);
    go_on(codec, 0);
}

static boolean grow(j_compress_ptr codec) {
    destination *to = (destination *)codec->dest;
    size_t used = to->room;
    uint8_t *larger = realloc(to->bytes, to->room * 2);
    if (!larger) codec->err->error_exit((j_common_ptr)codec);
    to->bytes = larger;
    to->room *= 2;
    go_on(codec, used);
    return TRUE;
}

static void end(j_compress_ptr codec) {
    destination *to = (destination *)codec->dest;
    to->count = to->room - to->base.free_in_buffer;
}

// Errors.

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf back;
} errors;

static void fail(j_common_ptr codec) { longjmp(((errors *)codec->err)->back, 1); }

static void say_nothing(j_common_ptr codec) { (void)codec; }

// Rows.

/// One plane, and room for rows that are longer than its own: libjpeg reads whole blocks.
typedef struct {
    const uint8_t *samples;
    int stride, width, height, padded, block_rows;
    JSAMPARRAY room;
    JSAMPROW rows[LONGEST_BLOCK];
} plane;

static void fill(plane *one, int first) {
    for (int index = 0; index < one->block_rows; index++) {
        int row = first + index < one->height ? first + index : one->height - 1;
        const uint8_t *from = one->samples + (ptrdiff_t)row * one->stride;
        if (one->padded == one->width) {
            // libjpeg does not write to its input rows.
            one->rows[index] = (JSAMPROW)(uintptr_t)from;
            continue;
        }
        memcpy(one->room[index], from, (size_t)one->width);
        memset(one->room[index] + one->width, from[one->width - 1], (size_t)(one->padded - one->width));
        one->rows[index] = one->room[index];
    }
}

static void write_rows(j_compress_ptr codec, const cjpeg_picture *picture) {
    int factor = picture->is_halved ? 2 : 1, side = factor * DCTSIZE;
    int padded = (picture->width + side - 1) / side * side;
    plane planes[3];
    for (int index = 0; index < 3; index++) {
        int step = index == 0 ? 1 : factor;
        planes[index] = (plane){
            .samples = picture->planes[index],
            .stride = picture->strides[index],
            .width = (picture->width + step - 1) / step,
            .height = (picture->height + step - 1) / step,
            .padded = padded / step,
            .block_rows = side / step,
        };
        planes[index].room = codec->mem->alloc_sarray(
            (j_common_ptr)codec, JPOOL_IMAGE, (JDIMENSION)planes[index].padded, (JDIMENSION)planes[index].block_rows);
    }
    JSAMPARRAY data[3] = {planes[0].rows, planes[1].rows, planes[2].rows};
    for (int block = 0; codec->next_scanline < codec->image_height; block++) {
        for (int index = 0; index < 3; index++) fill(&planes[index], block * planes[index].block_rows);
        jpeg_write_raw_data(codec, data, (JDIMENSION)side);
    }
}

static void prepare(j_compress_ptr codec, const cjpeg_picture *picture, int quality) {
    codec->image_width = (JDIMENSION)picture->width;
    codec->image_height = (JDIMENSION)picture->height;
    codec->input_components = 3;
    codec->in_color_space = JCS_YCbCr;
    jpeg_set_defaults(codec);
    jpeg_set_quality(codec, quality, TRUE);
    codec->raw_data_in = TRUE;
    codec->dct_method = JDCT_ISLOW;
    for (int index = 0; index < 3; index++) {
        codec->comp_info[index].h_samp_factor = index == 0 && picture->is_halved ? 2 : 1;
        codec->comp_info[index].v_samp_factor = codec->comp_info[index].h_samp_factor;
    }
}

/// Changes only variables of its caller, because those keep their values across a `longjmp`.
static bool encode(
    j_compress_ptr codec, errors *handler, destination *to, const cjpeg_picture *picture, int quality) {
    if (setjmp(handler->back)) return false;
    jpeg_create_compress(codec);
    codec->dest = &to->base;
    prepare(codec, picture, quality);
    jpeg_start_compress(codec, TRUE);
    write_rows(codec, picture);
    jpeg_finish_compress(codec);
    return true;
}

size_t cjpeg_encode(const cjpeg_picture *picture, int quality, uint8_t **bytes) {
    destination to = {.base = {.init_destination = begin, .empty_output_buffer = grow, .term_destination = end}};
    errors handler;
    struct jpeg_compress_struct codec;
    memset(&codec, 0, sizeof codec);
    codec.err = jpeg_std_error(&handler.base);
    handler.base.error_exit = fail;
    handler.base.output_message = say_nothing;
    bool is_done = encode(&codec, &handler, &to, picture, quality);
    jpeg_destroy_compress(&codec);
    if (!is_done) {
        free(to.bytes);
        return 0;
    }
    *bytes = to.bytes;
    return to.count;
}
