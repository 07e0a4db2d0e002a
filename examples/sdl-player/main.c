/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that shows a session of engined and plays its audio; see README.md beside this file.
 *
 *     sdl-player [options] FILE            loads the file; closing the window ends the session
 *     sdl-player [options] --session ID    joins a session ("": the default one); closing the window leaves it running
 */
#define _GNU_SOURCE
#include <SDL2/SDL_image.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

static const char default_font[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
static const char usage[] =
    "usage: sdl-player [--subtitles FILE] [--font FILE] [--drawn] [--keep-open] [--screenshot FILE [--at SECONDS]] FILE | --session ID\n";

typedef struct {
    const char *source, *session, *subtitles, *font, *screenshot;
    double at;
    bool is_drawn, keeps_open;
} Options;

typedef struct {
    Options options;
    SDL_Window *window;
    SDL_Renderer *renderer;
    Picture picture;
    Sound sound;
    Cues cues;
    Session session;
    bool is_sized;  /* the window has been sized to the first frame */
    bool is_stale;  /* the window must be redrawn */
    bool is_closed;
} Player;

/* Gives the window the size of the first frame, at most that of the screen. */
static void size_window(Player *player) {
    SDL_Rect screen = {0, 0, 1280, 720};
    SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(player->window), &screen);
    double scale = SDL_min(1.0, SDL_min(screen.w / player->picture.shape_x, screen.h / player->picture.shape_y));
    SDL_SetWindowSize(player->window, (int)lround(player->picture.shape_x * scale), (int)lround(player->picture.shape_y * scale));
    player->is_sized = true;
}

static void name_window(Player *player) {
    static char shown[512];
    char title[512];
    const Session *session = &player->session;
    const char *source = player->options.source, *slash = source != NULL ? strrchr(source, '/') : NULL;
    snprintf(title, sizeof title, "%s - %s %.0f / %.0f s - audio %d/%d, subtitles %d/%d - volume %.0f%%%s",
             slash != NULL ? slash + 1 : source != NULL ? source : "session", session_phase(session),
             floor((double)session_position(session) / 1e6), (double)session->duration_us / 1e6, session->audio.chosen + 1,
             session->audio.count, session->subtitles.chosen + 1, session->subtitles.count, session->volume * 100,
             session->muted ? " (muted)" : "");
    if (strcmp(title, shown) != 0)
        SDL_SetWindowTitle(player->window, strcpy(shown, title));
}

static void draw(Player *player) {
    int width, height;
    SDL_GetRendererOutputSize(player->renderer, &width, &height);
    SDL_Rect place = picture_place(&player->picture, width, height);
    SDL_SetRenderDrawColor(player->renderer, 0, 0, 0, 255);
    SDL_RenderClear(player->renderer);
    picture_draw(&player->picture, player->renderer, place);
    cues_draw(&player->cues, player->renderer, place);
}

/* Writes the rendered window as PNG, before it is presented. */
static bool write_screenshot(Player *player) {
    int width, height;
    SDL_GetRendererOutputSize(player->renderer, &width, &height);
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, width, height, 24, SDL_PIXELFORMAT_RGB24);
    bool is_written = surface != NULL &&
                      SDL_RenderReadPixels(player->renderer, NULL, SDL_PIXELFORMAT_RGB24, surface->pixels, surface->pitch) == 0 &&
                      IMG_SavePNG(surface, player->options.screenshot) == 0;
    if (is_written)
        printf("screenshot of %.6f s, %zu cues\n", (double)player->picture.time_us / 1e6, player->cues.count);
    else
        fprintf(stderr, "no screenshot: %s\n", SDL_GetError());
    SDL_FreeSurface(surface);
    return is_written;
}

static void obey_key(Player *player, SDL_Keycode key) {
    Session *session = &player->session;
    switch (key) {
    case SDLK_SPACE: session_play_or_pause(session); break;
    case SDLK_LEFT: session_seek_by(session, -5000000); break;
    case SDLK_RIGHT: session_seek_by(session, 5000000); break;
    case SDLK_DOWN: session_seek_by(session, -60000000); break;
    case SDLK_UP: session_seek_by(session, 60000000); break;
    case SDLK_9: session_change_volume(session, -0.1); break;
    case SDLK_0: session_change_volume(session, 0.1); break;
    case SDLK_m: session_mute(session); break;
    case SDLK_a: session_next_audio(session); break;
    case SDLK_s: session_next_subtitles(session); break;
    case SDLK_f:
        SDL_SetWindowFullscreen(player->window, SDL_GetWindowFlags(player->window) & SDL_WINDOW_FULLSCREEN_DESKTOP
                                                    ? 0
                                                    : SDL_WINDOW_FULLSCREEN_DESKTOP);
        break;
    case SDLK_q:
    case SDLK_ESCAPE: player->is_closed = true; break;
    default: break;
    }
}

static void take_input(Player *player) {
    for (SDL_Event event; SDL_PollEvent(&event);) {
        if (event.type == SDL_QUIT)
            player->is_closed = true;
        else if (event.type == SDL_KEYDOWN)
            obey_key(player, event.key.keysym.sym);
        else if (event.type == SDL_WINDOWEVENT || event.type == SDL_RENDER_TARGETS_RESET)
            player->is_stale = true;
    }
}

/* Waits at most `milliseconds` for messages of the engine and handles them. */
static void attend(Player *player, int milliseconds) {
    struct pollfd polled = {.fd = grpc_descriptor(player->session.grpc), .events = grpc_interest(player->session.grpc)};
    poll(&polled, 1, milliseconds);
    grpc_process(player->session.grpc);
    sound_refresh(&player->sound);
}

/* Returns 0 if playback ended, the window was closed or the screenshot was written, otherwise 1. */
static int run(Player *player) {
    enum { REFRESH = 8 /* ms */ };
    Session *session = &player->session;
    bool has_played = false;
    while (session->end == RUNNING && !player->is_closed) {
        take_input(player);
        attend(player, REFRESH);
        player->is_stale |= picture_refresh(&player->picture, player->renderer) | player->cues.is_changed;
        if (player->picture.texture != NULL && !player->is_sized)
            size_window(player);
        name_window(player);
        bool is_due = player->options.screenshot != NULL && player->picture.texture != NULL &&
                      (double)player->picture.position_us / 1e6 >= player->options.at;
        if (player->is_stale || is_due)
            draw(player);
        if (is_due)
            return write_screenshot(player) ? 0 : 1;
        if (player->is_stale)
            SDL_RenderPresent(player->renderer);
        player->is_stale = false;
        has_played |= session->phase == ENGINE__V1__PHASE__PHASE_PLAYING;
        if (session->phase == ENGINE__V1__PHASE__PHASE_ERROR)
            return 1;
        if (session->phase == ENGINE__V1__PHASE__PHASE_ENDED && has_played && !player->options.keeps_open) {
            if (player->options.screenshot == NULL)
                break;
            fprintf(stderr, "no screenshot: it ended before %.3f s\n", player->options.at);
            return 1;
        }
    }
    return session->end == FAILED ? 1 : 0;
}

/* Stops a session that this program loaded, and waits until the engine reports its end. */
static void leave(Player *player) {
    Session *session = &player->session;
    if (session->is_ours && session->id != NULL && session->end == RUNNING) {
        session_stop(session);
        for (int64_t limit = engine_monotonic_ns() + 5000000000; session->end == RUNNING && engine_monotonic_ns() < limit;)
            attend(player, 100);
    }
}

static bool open_window(Player *player) {
    const Options *options = &player->options;
    if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_AUDIO) != 0 && SDL_Init(SDL_INIT_VIDEO) != 0) {
        fprintf(stderr, "no window: %s\n", SDL_GetError());
        return false;
    }
    player->cues.font = TTF_Init() == 0 ? TTF_OpenFont(options->font, 24) : NULL;
    if (player->cues.font == NULL) {
        fprintf(stderr, "%s: %s\n", options->font, TTF_GetError());
        return false;
    }
    player->window = SDL_CreateWindow("sdl-player", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 640, 360,
                                      SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    player->renderer = player->window != NULL ? SDL_CreateRenderer(player->window, -1, SDL_RENDERER_PRESENTVSYNC) : NULL;
    if (player->renderer == NULL)
        fprintf(stderr, "no window: %s\n", SDL_GetError());
    return player->renderer != NULL;
}

static void close_all(Player *player) {
    /* Calls that are still open end now; their failures are not reported. */
    if (player->session.end == RUNNING)
        player->session.end = OVER;
    sound_close(&player->sound);
    picture_close(&player->picture);
    if (player->session.grpc != NULL)
        grpc_close(player->session.grpc);
    cues_close(&player->cues);
    free(player->session.id);
    if (player->renderer != NULL)
        SDL_DestroyRenderer(player->renderer);
    if (player->window != NULL)
        SDL_DestroyWindow(player->window);
    if (TTF_WasInit())
        TTF_Quit();
    IMG_Quit();
    SDL_Quit();
}

static bool read_options(Options *options, int count, char **words) {
    static const struct option known[] = {
        {"session", required_argument, NULL, 's'}, {"subtitles", required_argument, NULL, 't'},
        {"font", required_argument, NULL, 'f'},    {"screenshot", required_argument, NULL, 'p'},
        {"at", required_argument, NULL, 'a'},      {"keep-open", no_argument, NULL, 'k'},
        {"drawn", no_argument, NULL, 'd'},     {0},
    };
    *options = (Options){.font = default_font};
    for (int letter; (letter = getopt_long(count, words, "", known, NULL)) != -1;) {
        char *end = NULL;
        switch (letter) {
        case 's': options->session = optarg; break;
        case 't': options->subtitles = optarg; break;
        case 'f': options->font = optarg; break;
        case 'p': options->screenshot = optarg; break;
        case 'k': options->keeps_open = true; break;
        case 'd': options->is_drawn = true; break;
        case 'a':
            options->at = strtod(optarg, &end);
            if (end == optarg || *end != 0 || !(options->at >= 0))
                return false;
            break;
        default: return false;
        }
    }
    options->source = optind < count ? words[optind] : NULL;
    return optind + (options->source != NULL) == count && (options->source == NULL) != (options->session == NULL) &&
           (options->source != NULL || (options->subtitles == NULL && !options->is_drawn));
}

/* Makes a path absolute, because the engine has another working directory. NULL and URLs stay unchanged. */
static char *absolute(const char *path) {
    char *here = getcwd(NULL, 0), *whole = NULL;
    if (path != NULL && here != NULL) {
        bool is_whole = path[0] == '/' || strstr(path, "://") != NULL;
        if (asprintf(&whole, "%s%s%s", is_whole ? "" : here, is_whole ? "" : "/", path) < 0)
            abort();
    }
    free(here);
    return whole;
}

int main(int count, char **words) {
    static Player player;
    const char *socket_path = getenv("ENGINED_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    char *path = NULL;
    if (!read_options(&player.options, count, words) || (socket_path == NULL && runtime == NULL)) {
        fputs(usage, stderr);
        return 64;
    }
    if (asprintf(&path, "%s%s", socket_path ? socket_path : runtime, socket_path ? "" : "/engined/engined.sock") < 0)
        abort();
    setvbuf(stdout, NULL, _IOLBF, 0);
    player.picture.slot = -1;
    player.session = (Session){.picture = &player.picture, .sound = &player.sound, .cues = &player.cues, .duration_us = -1,
                               .is_drawn = player.options.is_drawn, .audio.chosen = -1, .subtitles.chosen = -1};
    char *source = absolute(player.options.source), *subtitles = absolute(player.options.subtitles);
    int code = 1;
    if ((player.session.grpc = grpc_connect(path)) == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    } else if (open_window(&player)) {
        if (source != NULL)
            session_load(&player.session, source, subtitles);
        else
            session_join(&player.session, player.options.session);
        code = run(&player);
        leave(&player);
    }
    close_all(&player);
    free(source);
    free(subtitles);
    free(path);
    return code;
}
