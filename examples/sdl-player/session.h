/* SPDX-License-Identifier: Apache-2.0 */
/* What the player asks of the engine, and what it knows of the session by its watch. */
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
    bool is_ours; /* loaded here, so it ends with the player */
    enum { RUNNING, OVER, FAILED } end;
    int waiting; /* attachments that have not been answered */

    Picture *picture;
    Sound *sound;
    Cues *cues;

    /* As the watch tells. */
    Engine__V1__Phase phase;
    int64_t position_us, monotonic_ns, duration_us;
    double rate, volume;
    bool muted, is_changed; /* since it was last looked at */
    Tracks audio, subtitles;
} Session;

/* Loads a file, with a file of subtitles that is shown where it is not NULL. Attaches, then plays. */
void session_load(Session *session, const char *source, const char *subtitles);
/* Attaches to a session that there is already, "" for the default one, and leaves it as it is. */
void session_join(Session *session, const char *id);
void session_play_or_pause(Session *session);
void session_seek_by(Session *session, int64_t step_us);
void session_change_volume(Session *session, double step);
void session_mute(Session *session);
void session_next_audio(Session *session);
/* The track behind the one that is shown; none behind the last. */
void session_next_subtitles(Session *session);
void session_stop(Session *session);
/* Where the playhead is now. */
int64_t session_position(const Session *session);
/* A word for the phase, such as "playing". */
const char *session_phase(const Session *session);
