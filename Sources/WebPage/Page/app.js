// SPDX-License-Identifier: Apache-2.0
// The page: puts the parts together, and turns keys and buttons into commands to the engine.

import { API, EngineFailure } from './api.js';
import { button, element } from './dom.js';
import { isSupported } from './feeder.js';
import { listenForKeys } from './keys.js';
import { closeMenu, Menu } from './menu.js';
import { loadMaster } from './playlist.js';
import { profile } from './profile.js';
import { Renderer, rendererName } from './renderer.js';
import { playhead, Sessions } from './sessions.js';
import { helpSheet, SessionSheet, title } from './sheets.js';
import { Statistics } from './statistics.js';
import { Storyboard } from './storyboard.js';
import { text } from './strings.js';
import { Subtitles } from './subtitles.js';
import { clock, microseconds, seconds } from './time.js';
import { Timeline } from './timeline.js';

const rates = [0.5, 0.75, 1, 1.25, 1.5, 2];
const hideAfter = 2500;

/** @param {import('./sessions.js').State | undefined} state */
const isPlaying = state => ['play', 'playing', 'buffering'].includes(state?.phase);

class Page {
  api = new API();
  sessions = new Sessions(this.api);
  /** @type {HTMLVideoElement} */
  video = element('video', { playsInline: true, disableRemotePlayback: true });
  renderer = new Renderer(this.api, this.video);
  subtitles = new Subtitles(this.video);
  storyboard = new Storyboard();
  statistics = new Statistics();
  timeline = new Timeline(this.storyboard, time => this.#seek(time));
  /** @type {string | null} */
  current = null;
  #idle = 0;
  #messageTimer = 0;

  constructor(root) {
    this.root = root;
    this.play = button('play', text.play, () => this.#toggle());
    this.volumeButton = button('volume', text.mute, () => this.#call('SetMuted', { muted: !this.state?.muted }));
    this.slider = element('input', { type: 'range', min: 0, max: 1, step: 0.05, value: 1, class: 'volume', 'aria-label': text.volume,
      oninput: event => this.#call('SetVolume', { volume: Number(event.target.value) }) });
    this.time = element('span', { class: 'time' });
    this.live = element('button', { type: 'button', class: 'live', title: text.goLive, hidden: true, onclick: () => this.#call('Seek', { place: 'live' }) }, text.live);
    this.title = element('h1');
    this.remote = element('p', { class: 'remote', hidden: true });
    this.message = element('p', { class: 'message', role: 'status', 'aria-live': 'polite', hidden: true });
    this.start = element('button', { type: 'button', class: 'start', hidden: true, onclick: () => { this.start.hidden = true; this.#call('Play'); } }, text.start);
    this.menus = this.#menus();
    this.sheet = new SessionSheet(this.sessions, {
      open: source => this.#open(source), choose: session => this.#choose(session), stop: session => this.#call('Stop', { session }),
    });
    this.help = helpSheet();
    this.full = button('full', text.full, () => this.#toggleFull());
    this.#build();
    this.#listen();
  }

  /** @returns {import('./sessions.js').State | undefined} */
  get state() { return this.current === null ? undefined : this.sessions.states.get(this.current); }

  get isRemote() { return !this.renderer.isAttached; }

  async run() {
    try {
      if (!await this.api.begin()) return this.#showMessage(text.noToken, true);
    } catch {
      return this.#showMessage(text.usedLink, true);
    }
    this.sessions.run();
    setInterval(() => this.#draw(), 250);
  }

  // Building

  #menus() {
    const streams = kind => this.state?.media?.streams.filter(stream => stream.kind === kind) ?? [];
    const name = (track, number) => [track.title, track.language].filter(Boolean).join(' · ') || text.track(number + 1);
    return {
      chapters: new Menu('chapters', text.chapters, () => (this.state?.media?.chapters ?? []).map((chapter, index) => ({
        label: chapter.title || text.chapter(index + 1), detail: clock(seconds(chapter.start_us)),
        isChosen: index === this.state?.current_chapter, choose: () => this.#seek(seconds(chapter.start_us)),
      }))),
      audio: new Menu('audio', text.audio, () => streams('audio').map((stream, index) => ({
        label: name(stream, index), detail: `${stream.codec_name} ${stream.audio?.channel_layout ?? ''}`,
        isChosen: stream.index === this.state?.selected_audio, isDisabled: stream.route === 'none',
        choose: () => this.#call('SelectAudio', { audio: { stream_index: stream.index } }),
      }))),
      subtitles: new Menu('subtitles', text.subtitles, () => {
        const chosen = this.state?.selected_subtitles ?? [];
        const select = ids => this.#call('SelectSubtitles', { subtitles: { tracks: { ids } } });
        // A track is added to those that are shown, so that two can be read at once.
        const toggled = id => (chosen.includes(id) ? chosen.filter(each => each !== id) : [...chosen, id].slice(-2));
        const tracks = this.state?.subtitle_tracks ?? [];
        return [{ label: text.none, isChosen: chosen.length === 0, choose: () => select([]) }, ...tracks.map((track, index) => ({
          label: name(track, index), detail: track.text ? track.dispositions.join(' ') : text.bitmap, isDisabled: !track.text,
          isChosen: chosen.includes(track.id), choose: () => select(toggled(track.id)),
        }))];
      }),
      speed: new Menu('speed', text.speed, () => rates.map(rate => ({
        label: `${rate}×`, isChosen: rate === this.state?.position?.requested_rate, choose: () => this.#call('SetRate', { rate }),
      }))),
    };
  }

  #build() {
    const { chapters, audio, subtitles, speed } = this.menus;
    const row = element('div', { class: 'row' },
      button('back', text.back, () => this.#skip(-10)), this.play, button('forward', text.forward, () => this.#skip(10)),
      this.volumeButton, this.slider, this.time, this.live, element('span', { class: 'space' }),
      chapters.node, audio.node, subtitles.node, speed.node,
      button('statistics', text.statistics, () => this.statistics.toggle()),
      document.pictureInPictureEnabled && button('picture', text.picture, () => this.#togglePicture()),
      this.full, button('open', text.sessions, () => this.sheet.show(this.current)));
    this.root.append(this.video, this.statistics.node, element('header', { class: 'top' }, this.title, this.remote), this.start, this.message,
      element('div', { class: 'controls', role: 'group', 'aria-label': text.position }, this.timeline.node, row), this.sheet.node, this.help);
  }

  #listen() {
    const { sessions, renderer, root, video } = this;
    sessions.addEventListener('connected', () => { this.#hideMessage(); this.#follow(); });
    sessions.addEventListener('disconnected', () => this.#showMessage(text.reconnecting, true));
    sessions.addEventListener('refused', () => { renderer.detach(); this.#showMessage(text.noToken, true); });
    sessions.addEventListener('changed', event => this.#changed(/** @type {CustomEvent} */ (event).detail));
    sessions.addEventListener('closed', () => { this.#follow(); this.sheet.update(this.current); });
    renderer.addEventListener('failed', event => this.#failed(/** @type {CustomEvent} */ (event).detail));
    renderer.addEventListener('waiting', () => this.#showMessage(text.waiting));
    renderer.addEventListener('buffered', () => { if (this.message.textContent === text.waiting) this.#hideMessage(); });
    renderer.addEventListener('loaded', () => { this.#hideMessage(); this.#showTracks(); });
    renderer.addEventListener('blocked', () => { this.start.hidden = false; this.#call('Pause'); });
    video.addEventListener('playing', () => { this.start.hidden = true; });
    video.addEventListener('click', () => { if (!closeMenu()) this.#toggle(); });
    video.addEventListener('dblclick', () => this.#toggleFull());
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin']) root.addEventListener(name, () => this.#awaken());
    document.addEventListener('fullscreenchange', () => {
      if (document.fullscreenElement) this.full.become('window', text.window); else this.full.become('full', text.full);
    });
    root.addEventListener('dragover', event => { event.preventDefault(); this.#showMessage(text.dropHere); });
    root.addEventListener('drop', event => this.#drop(event));
    this.#listenForKeys();
    this.#useMediaSession();
  }

  #listenForKeys() {
    const toggle = () => this.#toggle(), step = frames => this.#call('StepFrame', { frames });
    const chapter = step => this.#call('SkipChapter', { step });
    listenForKeys({
      ' ': toggle, k: toggle, j: () => this.#skip(-10), l: () => this.#skip(10), ArrowLeft: () => this.#skip(-5), ArrowRight: () => this.#skip(5),
      ArrowUp: () => this.#changeVolume(0.05), ArrowDown: () => this.#changeVolume(-0.05), m: () => this.volumeButton.click(),
      c: () => this.menus.subtitles.open(), f: () => this.#toggleFull(), '<': () => this.#changeRate(-1), '>': () => this.#changeRate(1),
      ',': () => step(-1), '.': () => step(1), PageUp: () => chapter('previous'), PageDown: () => chapter('next'),
      '?': () => this.help.showModal(), i: () => this.statistics.toggle(), o: () => this.sheet.show(this.current), Escape: closeMenu,
    }, tenth => this.#seek(this.#range.start + (this.#range.end - this.#range.start) * tenth / 10));
  }

  #useMediaSession() {
    if (!('mediaSession' in navigator)) return;
    const handlers = {
      play: () => this.#call('Play'), pause: () => this.#call('Pause'),
      seekbackward: () => this.#skip(-10), seekforward: () => this.#skip(10), seekto: details => this.#seek(details.seekTime),
    };
    for (const [name, handler] of Object.entries(handlers)) {
      try { navigator.mediaSession.setActionHandler(/** @type {any} */ (name), handler); } catch { /* Not every browser has every action. */ }
    }
  }

  // Sessions

  /** Shows the session that is there, if the one that was shown is not. */
  #follow() {
    const { states } = this.sessions;
    if (this.current !== null && states.has(this.current)) return;
    const last = [...states.keys()].at(-1) ?? null;
    if (last === null) {
      this.current = null;
      this.renderer.detach();
      this.subtitles.show([], null);
      this.sheet.show(null);
    } else this.#choose(last);
  }

  /** @param {string} session @param {boolean} [replace] */
  async #choose(session, replace = false) {
    this.current = session;
    const { state } = this;
    if (!state) return;
    this.#draw();
    this.storyboard.use(state.storyboard_url);
    if (state.renderer && state.renderer !== rendererName && !replace) return this.renderer.detach();
    if (await this.#isReloaded(state)) return;
    this.renderer.run(session, { replace: true, audio: state.selected_audio });
  }

  /** Loads a session again for what this browser plays, if it was loaded for another player. @param {import('./sessions.js').State} state */
  async #isReloaded(state) {
    if (state.profile === 'custom' || !state.url || state.phase === 'opening') return false;
    let codecs = [];
    try {
      const { pathname, search } = new URL(state.url);
      ({ codecs } = await loadMaster(new URL(pathname + search, location.origin)));
    } catch {
      return false;
    }
    if (codecs.every(isSupported)) return false;
    await this.#load(state.source, { session_id: state.session, start_position_us: state.position.position_us });
    return true;
  }

  /** @param {string} source */
  #open(source) { return this.#load(source, {}); }

  /** @param {string} source @param {object} more */
  async #load(source, more) {
    try {
      const state = await this.api.call('Load', { source, options: { autoplay: true, custom_profile: profile() }, ...more });
      this.sessions.states.set(state.session, { ...state, received: performance.now() });
      this.#choose(state.session);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {string} session */
  #changed(session) {
    if (this.sheet.node.open) this.sheet.update(this.current);
    if (this.current === null) return this.#choose(session);
    if (session !== this.current) return;
    this.#draw();
    this.#showTracks();
    if (this.state?.error) this.#failed(this.state.error);
  }

  #showTracks() {
    const { state } = this;
    if (!state) return;
    this.storyboard.use(state.storyboard_url);
    const texts = (state.subtitle_tracks ?? []).filter(track => track.text).map(track => track.id);
    const chosen = (state.selected_subtitles ?? []).filter(id => texts.includes(id));
    this.subtitles.show(chosen, this.isRemote || !state.url ? null : new URL(new URL(state.url).pathname, location.origin));
    this.renderer.selectAudio(state.selected_audio);
  }

  // Commands

  /** @param {string} method @param {object} [request] */
  async #call(method, request = {}) {
    try {
      await this.api.call(method, { session: this.current ?? undefined, ...request });
    } catch (error) {
      this.#failed(error);
    }
  }

  #toggle() {
    this.#call(isPlaying(this.state) ? 'Pause' : 'Play');
  }

  /** @param {number} time */
  #seek(time) { this.#call('Seek', { position_us: microseconds(time) }); }

  /** @param {number} offset */
  #skip(offset) { this.#call('Seek', { position_us: microseconds(offset), relative: true }); }

  /** @param {number} change */
  #changeVolume(change) { this.#call('SetVolume', { volume: Math.min(1, Math.max(0, (this.state?.volume ?? 1) + change)) }); }

  /** @param {number} direction */
  #changeRate(direction) {
    const rate = this.state?.position?.requested_rate ?? 1;
    const next = direction > 0 ? rates.find(each => each > rate) : rates.findLast(each => each < rate);
    if (next) this.#call('SetRate', { rate: next });
  }

  #toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen(); else this.root.requestFullscreen?.().catch(() => {});
  }

  #togglePicture() {
    if (document.pictureInPictureElement) document.exitPictureInPicture(); else this.video.requestPictureInPicture().catch(() => {});
  }

  /** @param {DragEvent} event */
  async #drop(event) {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && file.size < 5e6 && this.subtitles.drop(await file.text())) this.#showMessage(text.added(file.name));
    else this.#showMessage(text.badDrop);
  }

  // Drawing

  get #range() {
    const { state } = this, range = state?.seekable?.[0], last = state?.seekable?.at(-1);
    return { start: seconds(range?.start_us ?? 0), end: seconds(last?.end_us ?? state?.duration_us ?? 0) };
  }

  #draw() {
    const { state } = this;
    this.root.classList.toggle('empty', !state);
    const name = state ? title(state.source) : text.noTitle;
    this.title.textContent = name;
    document.title = `${name} – engined`;
    if (!state) return;
    const position = this.isRemote ? playhead(state) : this.video.currentTime, { start, end } = this.#range;
    this.timeline.show({ position, start, end, buffered: state.buffered ?? [], chapters: state.media?.chapters ?? [] });
    if (isPlaying(state)) this.play.become('pause', text.pause); else this.play.become('play', text.play);
    if (state.muted) this.volumeButton.become('muted', text.unmute); else this.volumeButton.become('volume', text.mute);
    if (document.activeElement !== this.slider) this.slider.value = String(state.volume);
    this.live.hidden = !state.live;
    this.live.classList.toggle('far', Boolean(state.live) && state.live.latency_us > state.live.target_latency_us + 5e6);
    this.time.textContent = state.live ? `-${clock(Math.max(0, end - position))}` : `${clock(position)} / ${clock(end)}`;
    this.menus.chapters.node.hidden = !state.media?.chapters?.length;
    this.#drawRemote(state);
    this.statistics.show(state, this.video, this.renderer.feeder?.codecs ?? '');
    this.root.classList.toggle('waiting', ['opening', 'seeking', 'buffering'].includes(state.phase));
    this.root.classList.toggle('idle', isPlaying(state) && !this.isRemote && performance.now() - this.#idle > hideAfter
      && !this.root.querySelector('.menu:not([hidden]), dialog[open]'));
    this.subtitles.lift(!this.root.classList.contains('idle'));
    if ('mediaSession' in navigator) {
      if (navigator.mediaSession.metadata?.title !== name) navigator.mediaSession.metadata = new MediaMetadata({ title: name });
      navigator.mediaSession.playbackState = isPlaying(state) ? 'playing' : 'paused';
    }
  }

  /** @param {import('./sessions.js').State} state */
  #drawRemote(state) {
    const isElsewhere = this.isRemote && Boolean(state.renderer);
    if (this.remote.hidden === !isElsewhere) return;
    this.remote.hidden = !isElsewhere;
    this.remote.replaceChildren(text.remote(state.renderer), ' ',
      element('button', { type: 'button', class: 'primary', onclick: () => this.#choose(state.session, true) }, text.playHere));
  }

  #awaken() {
    this.#idle = performance.now();
    this.root.classList.remove('idle');
  }

  /** @param {string} message @param {boolean} [stays] */
  #showMessage(message, stays = false) {
    clearTimeout(this.#messageTimer);
    this.message.textContent = message;
    this.message.hidden = false;
    if (!stays) this.#messageTimer = setTimeout(() => this.#hideMessage(), 5000);
  }

  #hideMessage() {
    clearTimeout(this.#messageTimer);
    this.message.hidden = true;
  }

  /** @param {any} error an `EngineFailure`, a failure of the browser, or an error of a state */
  #failed(error) {
    if (error.isFormat || error.status === 409) return this.#showMessage(text.cannotDecode, true);
    const advice = text.advice[error.code] ?? '';
    const isLong = !(error instanceof EngineFailure && error.isPassing);
    this.#showMessage(`${text.failed}: ${error.message}. ${advice}`.replace('.. ', '. '), isLong);
  }
}

new Page(document.getElementById('player')).run();
