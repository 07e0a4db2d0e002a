/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHOD(name) "/engine.v1.Engine/" name

enum { DEADLINE = 60 };

static void print_failure(const GrpcEnd *end) {
    fprintf(stderr, "%s failed: %s [%s] %s\n", strrchr(end->method, '/') + 1, grpc_status_name(end->status), end->error_code,
            end->message);
}

/* Commands. Their results arrive through the watch. */

static void ignore_answer(void *context, const ProtobufCMessage *message) { (void)context, (void)message; }

static void on_command_end(void *context, const GrpcEnd *end) {
    if (end->status != GRPC_OK && ((Session *)context)->end == RUNNING)
        print_failure(end);
}

static void command(Session *session, const char *method, const ProtobufCMessage *request) {
    grpc_call(session->grpc, method, request, DEADLINE,
              (GrpcHandler){&engine__v1__command_response__descriptor, ignore_answer, on_command_end, session});
}

static void plain_command(Session *session, const char *method) {
    Engine__V1__SessionRequest request = ENGINE__V1__SESSION_REQUEST__INIT;
    request.session_id = session->id;
    if (session->id != NULL)
        command(session, method, &request.base);
}

/* The state of the session. */

static void know_audio(Session *session, const Engine__V1__MediaDescription *media) {
    session->audio.count = 0;
    for (size_t at = 0; media != NULL && at < media->n_streams && session->audio.count < MOST_TRACKS; at++)
        if (media->streams[at]->kind == ENGINE__V1__STREAM_KIND__STREAM_KIND_AUDIO)
            session->audio.ids[session->audio.count++] = media->streams[at]->index;
}

static int place_of(const Tracks *tracks, uint32_t id) {
    for (int at = 0; at < tracks->count; at++)
        if (tracks->ids[at] == id)
            return at;
    return -1;
}

static void know_subtitles(Session *session, const Engine__V1__SessionState *state) {
    Tracks *tracks = &session->subtitles;
    tracks->count = 0;
    for (size_t at = 0; at < state->n_subtitle_tracks && tracks->count < MOST_TRACKS; at++)
        tracks->ids[tracks->count++] = state->subtitle_tracks[at]->id;
    tracks->chosen = state->n_selected_subtitles > 0 ? place_of(tracks, state->selected_subtitles[0]) : -1;
}

static void know(Session *session, Engine__V1__StateField field, const Engine__V1__SessionState *state) {
    switch (field) {
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_PHASE:
        session->phase = state->phase;
        if (state->error != NULL)
            fprintf(stderr, "error [%s] %s\n", state->error->code, state->error->message);
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_POSITION:
        if (state->position != NULL) {
            session->position_us = state->position->position_us;
            session->rate = state->position->rate;
            session->monotonic_ns = state->position->monotonic_ns;
        }
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_DURATION:
        session->duration_us = state->duration_us;
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_MEDIA:
        know_audio(session, state->media);
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_AUDIO:
        session->audio.chosen =
            state->selected_audio != NULL ? place_of(&session->audio, state->selected_audio->stream_index) : -1;
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_SETTINGS:
        session->volume = state->volume;
        session->muted = state->muted;
        break;
    case ENGINE__V1__STATE_FIELD__STATE_FIELD_SUBTITLES:
        know_subtitles(session, state);
        break;
    default: /* not requested */
        break;
    }
}

/* The fields to watch. A field that refers to another one comes after it. */
static Engine__V1__StateField fields[] = {
    ENGINE__V1__STATE_FIELD__STATE_FIELD_PHASE,    ENGINE__V1__STATE_FIELD__STATE_FIELD_POSITION,
    ENGINE__V1__STATE_FIELD__STATE_FIELD_DURATION, ENGINE__V1__STATE_FIELD__STATE_FIELD_MEDIA,
    ENGINE__V1__STATE_FIELD__STATE_FIELD_AUDIO,    ENGINE__V1__STATE_FIELD__STATE_FIELD_SETTINGS,
    ENGINE__V1__STATE_FIELD__STATE_FIELD_SUBTITLES,
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void on_event(void *context, const ProtobufCMessage *message) {
    const Engine__V1__WatchEvent *event = (const Engine__V1__WatchEvent *)message;
    Session *session = context;
    session->is_changed = true;
    switch (event->event_case) {
    case ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT:
        for (int at = 0; at < FIELDS; at++)
            know(session, fields[at], event->snapshot);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_DELTA:
        for (int known = 0; known < FIELDS; known++)
            for (size_t at = 0; at < event->delta->n_fields; at++)
                if (event->delta->fields[at] == fields[known])
                    know(session, fields[known], event->delta->state);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_CUE:
        if (!session->is_drawn)
            cues_take(session->cues, event->cue);
        break;
    case ENGINE__V1__WATCH_EVENT__EVENT_CLOSED:
        if (event->closed->error != NULL)
            session->end = FAILED;
        break;
    default:
        break;
    }
}

static void on_watch_end(void *context, const GrpcEnd *end) {
    Session *session = context;
    if (session->end == RUNNING) {
        if (end->status != GRPC_OK)
            print_failure(end);
        session->end = end->status == GRPC_OK ? OVER : FAILED;
    }
}

/* Attaching. A session loaded by this program starts to play once both attach calls have returned. */

static void on_attached(Session *session) {
    if (--session->waiting == 0 && session->is_ours)
        plain_command(session, METHOD("Play"));
}

static void on_frames(void *context, const ProtobufCMessage *message) {
    const Engine__V1__Attachment *answer = (const Engine__V1__Attachment *)message;
    Session *session = context;
    if (answer->ticket.len != 16 || !picture_attach(session->picture, answer->socket_path, answer->ticket.data)) {
        perror("no pictures");
        session->end = FAILED;
    }
}

static void on_frames_end(void *context, const GrpcEnd *end) {
    Session *session = context;
    if (end->status == GRPC_OK) {
        on_attached(session);
    } else if (session->end == RUNNING) {
        print_failure(end);
        session->end = FAILED;
    }
}

static void on_sound(void *context, const ProtobufCMessage *message) {
    const Engine__V1__Attachment *answer = (const Engine__V1__Attachment *)message;
    if (answer->ticket.len == 16)
        sound_attach(((Session *)context)->sound, answer->socket_path, answer->ticket.data);
}

/* Without audio, video still plays. */
static void on_sound_end(void *context, const GrpcEnd *end) {
    if (end->status != GRPC_OK && ((Session *)context)->end == RUNNING)
        print_failure(end);
    on_attached(context);
}

static void attach(Session *session) {
    Engine__V1__WatchRequest watch = ENGINE__V1__WATCH_REQUEST__INIT;
    watch.session_id = session->id;
    watch.time_interval_us = -1; /* the position in the state is enough to extrapolate */
    watch.n_fields = FIELDS;
    watch.fields = fields;
    grpc_call(session->grpc, METHOD("Watch"), &watch.base, 0,
              (GrpcHandler){&engine__v1__watch_event__descriptor, on_event, on_watch_end, session});
    session->waiting = 2;
    Engine__V1__AttachFramesRequest frames = ENGINE__V1__ATTACH_FRAMES_REQUEST__INIT;
    frames.session_id = session->id;
    frames.format = ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_I420;
    grpc_call(session->grpc, METHOD("AttachFrames"), &frames.base, DEADLINE,
              (GrpcHandler){&engine__v1__attachment__descriptor, on_frames, on_frames_end, session});
    Engine__V1__AttachAudioRequest sound = ENGINE__V1__ATTACH_AUDIO_REQUEST__INIT;
    sound.session_id = session->id;
    sound.format = ENGINE__V1__PCM_FORMAT__PCM_FORMAT_F32;
    sound.layout = "stereo";
    grpc_call(session->grpc, METHOD("AttachAudio"), &sound.base, DEADLINE,
              (GrpcHandler){&engine__v1__attachment__descriptor, on_sound, on_sound_end, session});
}

static void on_loaded(void *context, const ProtobufCMessage *message) {
    Session *session = context;
    session->id = strdup(((const Engine__V1__LoadResponse *)message)->session_id);
    attach(session);
}

static void on_joined(void *context, const ProtobufCMessage *message) {
    Session *session = context;
    session->id = strdup(((const Engine__V1__SessionState *)message)->session_id);
    attach(session);
}

static void on_start_end(void *context, const GrpcEnd *end) {
    Session *session = context;
    if (session->id == NULL && session->end == RUNNING) {
        print_failure(end);
        session->end = FAILED;
    }
}

void session_load(Session *session, const char *source, const char *subtitles) {
    Engine__V1__LoadRequest load = ENGINE__V1__LOAD_REQUEST__INIT;
    Engine__V1__SubtitleFile file = ENGINE__V1__SUBTITLE_FILE__INIT, *files[] = {&file};
    Engine__V1__LoadOptions options = ENGINE__V1__LOAD_OPTIONS__INIT;
    load.source = (char *)source;
    load.options = &options;
    options.draw_subtitles = session->is_drawn;
    if (subtitles != NULL) {
        file.path = (char *)subtitles;
        file.show = true;
        load.n_subtitle_files = 1;
        load.subtitle_files = files;
    }
    session->is_ours = true;
    grpc_call(session->grpc, METHOD("Load"), &load.base, DEADLINE,
              (GrpcHandler){&engine__v1__load_response__descriptor, on_loaded, on_start_end, session});
}

void session_join(Session *session, const char *id) {
    Engine__V1__SessionRequest request = ENGINE__V1__SESSION_REQUEST__INIT;
    request.session_id = (char *)id;
    grpc_call(session->grpc, METHOD("GetState"), &request.base, DEADLINE,
              (GrpcHandler){&engine__v1__session_state__descriptor, on_joined, on_start_end, session});
}

/* The actions of keys. They have no effect before there is a session. */

void session_play_or_pause(Session *session) {
    bool stands = session->phase == ENGINE__V1__PHASE__PHASE_READY || session->phase == ENGINE__V1__PHASE__PHASE_PAUSED ||
                  session->phase == ENGINE__V1__PHASE__PHASE_PAUSING || session->phase == ENGINE__V1__PHASE__PHASE_ENDED;
    plain_command(session, stands ? METHOD("Play") : METHOD("Pause"));
}

void session_seek_by(Session *session, int64_t step_us) {
    Engine__V1__SeekRequest request = ENGINE__V1__SEEK_REQUEST__INIT;
    request.session_id = session->id;
    request.position_us = step_us;
    request.relative = true;
    if (session->id != NULL)
        command(session, METHOD("Seek"), &request.base);
}

void session_change_volume(Session *session, double step) {
    Engine__V1__SetVolumeRequest request = ENGINE__V1__SET_VOLUME_REQUEST__INIT;
    request.session_id = session->id;
    request.volume = SDL_clamp(session->volume + step, 0.0, 1.0);
    if (session->id != NULL)
        command(session, METHOD("SetVolume"), &request.base);
}

void session_mute(Session *session) {
    Engine__V1__SetMutedRequest request = ENGINE__V1__SET_MUTED_REQUEST__INIT;
    request.session_id = session->id;
    request.muted = !session->muted;
    if (session->id != NULL)
        command(session, METHOD("SetMuted"), &request.base);
}

void session_next_audio(Session *session) {
    Engine__V1__SelectAudioRequest request = ENGINE__V1__SELECT_AUDIO_REQUEST__INIT;
    Engine__V1__AudioSelection selection = ENGINE__V1__AUDIO_SELECTION__INIT;
    if (session->id == NULL || session->audio.count == 0)
        return;
    selection.wanted_case = ENGINE__V1__AUDIO_SELECTION__WANTED_STREAM_INDEX;
    selection.stream_index = session->audio.ids[(session->audio.chosen + 1) % session->audio.count];
    request.session_id = session->id;
    request.audio = &selection;
    command(session, METHOD("SelectAudio"), &request.base);
}

void session_next_subtitles(Session *session) {
    Engine__V1__SelectSubtitlesRequest request = ENGINE__V1__SELECT_SUBTITLES_REQUEST__INIT;
    Engine__V1__SubtitleSelection selection = ENGINE__V1__SUBTITLE_SELECTION__INIT;
    Engine__V1__SubtitleTrackList list = ENGINE__V1__SUBTITLE_TRACK_LIST__INIT;
    int next = session->subtitles.chosen + 1;
    if (session->id == NULL)
        return;
    if (next < session->subtitles.count) {
        list.n_ids = 1;
        list.ids = &session->subtitles.ids[next];
    }
    selection.wanted_case = ENGINE__V1__SUBTITLE_SELECTION__WANTED_TRACKS;
    selection.tracks = &list;
    request.session_id = session->id;
    request.subtitles = &selection;
    command(session, METHOD("SelectSubtitles"), &request.base);
}

void session_stop(Session *session) { plain_command(session, METHOD("Stop")); }

int64_t session_position(const Session *session) {
    return session->position_us + (int64_t)((double)(engine_monotonic_ns() - session->monotonic_ns) / 1000 * session->rate);
}

const char *session_phase(const Session *session) {
    static char word[32];
    const ProtobufCEnumValue *value =
        protobuf_c_enum_descriptor_get_value(&engine__v1__phase__descriptor, (int)session->phase);
    const char *name = value != NULL && session->phase != ENGINE__V1__PHASE__PHASE_UNSPECIFIED ? value->name : "PHASE_LOADING";
    size_t at = 0;
    for (name += strlen("PHASE_"); name[at] != 0 && at + 1 < sizeof word; at++)
        word[at] = (char)tolower((unsigned char)name[at]);
    word[at] = 0;
    return word;
}
