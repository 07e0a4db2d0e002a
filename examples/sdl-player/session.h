/* SPDX-License-Identifier: Apache-2.0 */
/* The player's requests to the engine, and the state of the session as the watch reports it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "cues.h"
#include "grpc.h"
#include "picture.h"
#include "sound.h"

enum { MOST_TRACKS = 64 };

typedef struct {
    uint32_t ids[MOST_TRACKS];
    int count, chosen; /* -1: none */
} Tracks;

typedef struct {
    Grpc *grpc;
    char *id; /* NULL until it is known */
    bool is_ours;  /* loaded by this player, so the session ends with it */
    bool is_drawn; /* the engine draws subtitles into the frames, so the player draws no cues */
    enum { RUNNING, OVER, FAILED } end;
    int waiting; /* attach calls without a response yet */

    Picture *picture;
    Sound *sound;
    Cues *cues;

    /* As reported by the watch. */
    Engine__V1__Phase phase;
    int64_t position_us, monotonic_ns, duration_us;
    double rate, volume;
    bool muted, is_changed; /* since it was last read */
    Tracks audio, subtitles;
} Session;

/* Loads a file and, unless it is NULL, a subtitle file to show. Then attaches and plays. If `is_drawn`, the engine is asked to draw
 * subtitles into the frames. */
void session_load(Session *session, const char *source, const char *subtitles);
/* Attaches to an existing session ("": the default one) without changing it. */
void session_join(Session *session, const char *id);
void session_play_or_pause(Session *session);
void session_seek_by(Session *session, int64_t step_us);
void session_change_volume(Session *session, double step);
void session_mute(Session *session);
void session_next_audio(Session *session);
/* Selects the next track; none after the last one. */
void session_next_subtitles(Session *session);
void session_stop(Session *session);
/* The current position of the playhead. */
int64_t session_position(const Session *session);
/* The name of the phase, such as "playing". */
const char *session_phase(const Session *session);
