/* SPDX-License-Identifier: Apache-2.0 */
#include "cues.h"

#include <SDL2/SDL_image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 256, MOST_LINES = 32, SHARE_OF_HEIGHT = 16 /* a line of text is 1/16 of the frame height */ };

/* Text of one style without line breaks, and its place within the cue. */
typedef struct {
    char text[128];
    int style, size;
    SDL_Color color;
    int x, line, width;
} Word;

typedef struct {
    Word words[MOST_WORDS];
    int count;
    int widths[MOST_LINES], heights[MOST_LINES], lines;
} Layout;

/* Makes a copy, because cues outlive the event that carries them. */
static Engine__V1__Cue *copy_of(const Engine__V1__Cue *cue) {
    size_t size = engine__v1__cue__get_packed_size(cue);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL)
        return NULL;
    engine__v1__cue__pack(cue, bytes);
    Engine__V1__Cue *copy = engine__v1__cue__unpack(NULL, size, bytes);
    free(bytes);
    return copy;
}

static void forget(Cues *cues, uint64_t id) {
    for (size_t at = 0; at < cues->count; at++) {
        if (cues->shown[at]->id != id)
            continue;
        engine__v1__cue__free_unpacked(cues->shown[at], NULL);
        cues->count--;
        memmove(cues->shown + at, cues->shown + at + 1, (cues->count - at) * sizeof *cues->shown);
        cues->is_changed = true;
        return;
    }
}

void cues_take(Cues *cues, const Engine__V1__CueEvent *event) {
    if (event->cue == NULL)
        return;
    if (event->stage == ENGINE__V1__CUE_STAGE__CUE_STAGE_DISAPPEARED) {
        forget(cues, event->cue->id);
    } else if (event->stage == ENGINE__V1__CUE_STAGE__CUE_STAGE_APPEARED) {
        forget(cues, event->cue->id);
        Engine__V1__Cue *cue = cues->count < MOST_CUES ? copy_of(event->cue) : NULL;
        if (cue == NULL)
            return;
        cues->shown[cues->count++] = cue;
        cues->is_changed = true;
    }
}

static void forget_pieces(Cues *cues) {
    for (size_t at = 0; at < cues->piece_count; at++)
        SDL_DestroyTexture(cues->pieces[at].texture);
    cues->piece_count = 0;
}

/* Takes ownership of the surface. */
static void add_piece(Cues *cues, SDL_Renderer *renderer, SDL_Surface *surface, SDL_Rect place) {
    if (surface == NULL)
        return;
    SDL_Texture *texture = cues->piece_count < MOST_PIECES ? SDL_CreateTextureFromSurface(renderer, surface) : NULL;
    SDL_FreeSurface(surface);
    if (texture == NULL)
        return;
    SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND);
    cues->pieces[cues->piece_count++] = (Piece){texture, place};
}

/* Bitmaps. */

/* Converts premultiplied alpha to straight alpha, which SDL expects when blending. */
static void divide_by_alpha(SDL_Surface *surface) {
    for (int y = 0; y < surface->h; y++) {
        uint8_t *pixel = (uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch;
        for (int x = 0; x < surface->w; x++, pixel += 4)
            for (int channel = 0; channel < 3; channel++)
                if (pixel[3] != 0)
                    pixel[channel] = (uint8_t)SDL_min(255, (pixel[channel] * 255 + pixel[3] / 2) / pixel[3]);
    }
}

static void place_image(Cues *cues, SDL_Renderer *renderer, const Engine__V1__CueImage *image, SDL_Rect area) {
    SDL_RWops *bytes = SDL_RWFromConstMem(image->png.data, (int)image->png.len);
    SDL_Surface *read = bytes != NULL ? IMG_LoadTyped_RW(bytes, 1, "PNG") : NULL;
    SDL_Surface *surface = read != NULL ? SDL_ConvertSurfaceFormat(read, SDL_PIXELFORMAT_RGBA32, 0) : NULL;
    SDL_FreeSurface(read);
    if (surface == NULL)
        return;
    divide_by_alpha(surface);
    SDL_Rect place = {area.x + (int)(image->x * area.w), area.y + (int)(image->y * area.h),
                      SDL_max(1, (int)(image->extent_x * area.w + 0.5)), SDL_max(1, (int)(image->extent_y * area.h + 0.5))};
    add_piece(cues, renderer, surface, place);
}

/* Text. */

static void set_look(TTF_Font *font, const Word *word, int outline) {
    TTF_SetFontSize(font, word->size);
    TTF_SetFontStyle(font, word->style);
    TTF_SetFontOutline(font, outline);
}

static void break_line(Layout *layout) {
    if (layout->lines < MOST_LINES)
        layout->lines++;
}

/* Appends a word to the current line, or starts a new line if it does not fit. */
static void put_word(Layout *layout, TTF_Font *font, Word word, int room) {
    int height;
    set_look(font, &word, 0);
    if (layout->count == MOST_WORDS || layout->lines == MOST_LINES || TTF_SizeUTF8(font, word.text, &word.width, &height) != 0)
        return;
    if (layout->widths[layout->lines] > 0 && layout->widths[layout->lines] + word.width > room) {
        break_line(layout);
        if (layout->lines == MOST_LINES || strcmp(word.text, " ") == 0)
            return;
    }
    word.line = layout->lines;
    word.x = layout->widths[word.line];
    layout->widths[word.line] += word.width;
    layout->heights[word.line] = SDL_max(layout->heights[word.line], height);
    layout->words[layout->count++] = word;
}

static void put_run(Layout *layout, TTF_Font *font, const Engine__V1__TextRun *run, SDL_Rect area) {
    unsigned red = 255, green = 255, blue = 255;
    if (run->color[0] != 0 && sscanf(run->color, "#%2x%2x%2x", &red, &green, &blue) != 3)
        red = green = blue = 255;
    double share = run->size > 0 && run->size < 1 ? run->size : 1.0 / SHARE_OF_HEIGHT;
    Word word = {.size = SDL_max(6, (int)(share * area.h * 0.8)), .color = {(Uint8)red, (Uint8)green, (Uint8)blue, 255},
                 .style = (run->bold ? TTF_STYLE_BOLD : 0) | (run->italic ? TTF_STYLE_ITALIC : 0) |
                          (run->underline ? TTF_STYLE_UNDERLINE : 0) | (run->strikeout ? TTF_STYLE_STRIKETHROUGH : 0)};
    for (const char *at = run->text; *at != 0;) {
        if (*at == '\n') {
            break_line(layout);
            at++;
            continue;
        }
        /* One space, or a word between two spaces. */
        size_t length = *at == ' ' ? 1 : strcspn(at, " \n");
        if (length >= sizeof word.text) {
            length = sizeof word.text - 1;
            while (length > 0 && ((unsigned char)at[length] & 0xC0) == 0x80) /* not within a character */
                length--;
        }
        memcpy(word.text, at, length);
        word.text[length] = 0;
        put_word(layout, font, word, area.w * 9 / 10);
        at += length;
    }
}

static void draw_word(Cues *cues, SDL_Renderer *renderer, const Word *word, int x, int y) {
    int outline = SDL_max(1, word->size / 14);
    SDL_Color around = {0, 0, 0, 255}, colors[2] = {around, word->color};
    for (int layer = 0; layer < 2; layer++) {
        int border = layer == 0 ? outline : 0;
        set_look(cues->font, word, border);
        SDL_Surface *surface = TTF_RenderUTF8_Blended(cues->font, word->text, colors[layer]);
        if (surface != NULL)
            add_piece(cues, renderer, surface, (SDL_Rect){x - border, y - border, surface->w, surface->h});
    }
}

/* Places text clear of earlier cues, which take up `taken` pixels at the bottom and at the top, and adds its height. */
static void place_text(Cues *cues, SDL_Renderer *renderer, const Engine__V1__CueText *text, SDL_Rect area, int taken[2]) {
    static Layout layout;
    layout = (Layout){0};
    Engine__V1__TextRun plain = ENGINE__V1__TEXT_RUN__INIT;
    plain.text = text->plain;
    for (size_t at = 0; at < text->n_runs; at++)
        put_run(&layout, cues->font, text->runs[at], area);
    if (text->n_runs == 0)
        put_run(&layout, cues->font, &plain, area);
    int lines = SDL_min(layout.lines + 1, MOST_LINES), height = 0;
    for (int line = 0; line < lines; line++)
        height += layout.heights[line];

    int key = text->alignment >= 1 && text->alignment <= 9 ? (int)text->alignment - 1 : 1, column = key % 3, row = key / 3;
    int margin = area.h / 20, top;
    if (text->position != NULL)
        top = area.y + (int)(text->position->y * area.h) - (row == 0 ? height : row == 1 ? height / 2 : 0);
    else if (row == 0)
        top = area.y + area.h - margin - taken[0] - height, taken[0] += height;
    else if (row == 1)
        top = area.y + (area.h - height) / 2;
    else
        top = area.y + margin + taken[1], taken[1] += height;

    for (int line = 0; line < lines; top += layout.heights[line], line++) {
        int width = layout.widths[line];
        int left = area.x + (column == 0 ? area.w / 20 : column == 1 ? (area.w - width) / 2 : area.w - area.w / 20 - width);
        if (text->position != NULL)
            left = area.x + (int)(text->position->x * area.w) - (column == 0 ? 0 : column == 1 ? width / 2 : width);
        for (int at = 0; at < layout.count; at++)
            if (layout.words[at].line == line)
                draw_word(cues, renderer, &layout.words[at], left + layout.words[at].x, top);
    }
}

void cues_draw(Cues *cues, SDL_Renderer *renderer, SDL_Rect area) {
    if (cues->is_changed || !SDL_RectEquals(&area, &cues->area)) {
        int taken[2] = {0, 0};
        forget_pieces(cues);
        for (size_t at = 0; at < cues->count; at++) {
            const Engine__V1__Cue *cue = cues->shown[at];
            if (cue->content_case == ENGINE__V1__CUE__CONTENT_TEXT)
                place_text(cues, renderer, cue->text, area, taken);
            else if (cue->content_case == ENGINE__V1__CUE__CONTENT_IMAGE)
                place_image(cues, renderer, cue->image, area);
        }
        cues->area = area;
        cues->is_changed = false;
    }
    for (size_t at = 0; at < cues->piece_count; at++)
        SDL_RenderCopy(renderer, cues->pieces[at].texture, NULL, &cues->pieces[at].place);
}

void cues_close(Cues *cues) {
    forget_pieces(cues);
    while (cues->count > 0)
        forget(cues, cues->shown[0]->id);
    if (cues->font != NULL)
        TTF_CloseFont(cues->font);
    cues->font = NULL;
}
