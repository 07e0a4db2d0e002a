// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/hdr_dynamic_metadata.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/murmur3.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>
#include <libavutil/sha.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Function-like macros do not import into Swift; each gets one constant or one inline function.
static const int CFFmpegErrorEOF = AVERROR_EOF;
static const int CFFmpegErrorAgain = AVERROR(EAGAIN);
static const int CFFmpegErrorExit = AVERROR_EXIT;
static const int CFFmpegErrorInvalidData = AVERROR_INVALIDDATA;
static const int CFFmpegErrorDecoderNotFound = AVERROR_DECODER_NOT_FOUND;
static const int CFFmpegErrorEncoderNotFound = AVERROR_ENCODER_NOT_FOUND;
static const int CFFmpegErrorStreamNotFound = AVERROR_STREAM_NOT_FOUND;
static const int64_t CFFmpegNoTimestamp = AV_NOPTS_VALUE;
static inline int cffmpeg_averror(int posix) { return AVERROR(posix); }
static inline int cffmpeg_errno(int averror) { return AVUNERROR(averror); }

// Describes frames in the memory of a VAAPI device, before `av_hwframe_ctx_init`. The pool has 20 frames and does not
// grow; an encoder without B-frames holds fewer.
static inline void cffmpeg_describe_frames(AVBufferRef *reference, int width, int height) {
    AVHWFramesContext *frames = (AVHWFramesContext *)reference->data;
    frames->format = AV_PIX_FMT_VAAPI;
    frames->sw_format = AV_PIX_FMT_NV12;
    frames->width = width;
    frames->height = height;
    frames->initial_pool_size = 20;
}

// Tells libavcodec that `get_buffer2` may be called on any thread. From version 60 on, libavcodec assumes so.
static inline void cffmpeg_call_back_on_any_thread(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}
