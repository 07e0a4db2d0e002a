// SPDX-License-Identifier: Apache-2.0
// The page: puts the parts together, and turns keys and buttons into commands to the engine.

import { API, pause } from './api.js';
import { button, element, listen } from './dom.js';
import { Drawn } from './drawn.js';
import { isSupported } from './feeder.js';
import { eventLine, eventsOf } from './guide.js';
import { listenForKeys } from './keys.js';
import { closeMenu } from './menu.js';
import { menus, rates } from './menus.js';
import { loadMaster, local } from './playlist.js';
import { profile } from './profile.js';
import { Renderer, rendererName } from './renderer.js';
import { playhead, Sessions } from './sessions.js';
import { helpSheet, SessionSheet, title } from './sheets.js';
import { Statistics } from './statistics.js';
import { Storyboard } from './storyboard.js';
import { text } from './strings.js';
import { Subtitles } from './subtitles.js';
import { clock, microseconds, now, seconds } from './time.js';
import { place, Timeline } from './timeline.js';

const hideAfter = 2500;

export class Page {
  #api = new API();
  #sessions = new Sessions(this.#api);
  /** @type {HTMLVideoElement} */
  #video = element('video', { playsInline: true, disableRemotePlayback: true });
  output = new Renderer(this.#api, this.#video);
  subtitles = new Subtitles(this.#video, index => this.output.feeder?.spanOf(index));
  #drawn = new Drawn(this.#api, this.#video);
  #storyboard = new Storyboard();
  #statistics = new Statistics();
  #timeline = new Timeline(this.#storyboard, time => this.seek(time));
  /** @type {string | null} */
  #current = null;
  #idle = 0;
  #fade = 0;
  /** The number of commands that are not answered yet. Until they are, the engine's states do not show what they change. */
  #sent = 0;
  /** Whether the session that is shown could not be played when it was chosen. */
  #isEarly = false;
  /** The session that plays as soon as its media is there. @type {string | undefined} */
  #starting;
  /** Whether the current touch only shows the controls, so that its click does nothing. */
  #isWaking = false;
  /** The last command. @type {Promise<void> | undefined} */
  #answered;

  /** @type {Record<string, import('./menu.js').Menu>} */
  #menus;
  /** @type {any} elements and sheets */
  #root; #play; #mute; #slider; #time; #live; #title; #guide; #remote; #message; #start; #sheet; #help; #full;

  constructor(root) {
    this.#root = root;
    this.#play = button('play', () => this.#toggle());
    this.#mute = button('mute', () => this.call('SetMuted', { muted: !this.state?.muted }));
    this.#slider = element('input.volume', { type: 'range', min: 0, max: 1, step: 0.05, value: 1, ariaLabel: text.volume,
      oninput: () => this.#setVolume() });
    this.#time = element('span.time');
    this.#live = element('button.live', { hidden: true, onclick: () => this.#go('live') }, text.live);
    this.#title = element('h1');
    this.#guide = element('p.guide');
    this.#remote = element('p.remote', { hidden: true });
    this.#message = element('p.message', { role: 'status', ariaLive: 'polite' });
    this.#start = element('button.primary start', { hidden: true, onclick: () => { this.#start.hidden = true; this.call('Play'); } }, text.start);
    this.#menus = menus(this);
    this.#sheet = new SessionSheet(this.#sessions, {
      open: source => this.#load(source), choose: session => this.#choose(session), stop: session => this.call('Stop', { session }),
    });
    this.#help = helpSheet();
    this.#full = button('full', () => this.#toggleFull());
    this.#build();
    this.#listen();
  }

  /** @returns {import('./sessions.js').State | undefined} */
  get state() { return this.#current === null ? undefined : this.#sessions.states.get(this.#current); }

  get #isRemote() { return !this.output.isAttached; }

  /** The page's own renderer knows whether it plays before the engine reports it, and also during a seek. */
  get #isPlaying() { return this.#isRemote ? ['play', 'playing', 'buffering'].includes(this.state?.phase) : this.output.plays; }

  async run() {
    try {
      if (!await this.#api.begin()) return this.#show(text.noToken, true);
    } catch {
      return this.#show(text.usedLink, true);
    }
    this.#sessions.run();
    setInterval(() => this.#draw(), 250);
  }

  // Building

  #build() {
    const row = element('div.row',
      button('back', () => this.#skip(-10)), this.#play, button('forward', () => this.#skip(10)),
      this.#mute, this.#slider, this.#time, this.#live, element('span.space'),
      ...Object.values(this.#menus).map(menu => menu.node),
      button('statistics', () => this.#statistics.toggle()),
      document.pictureInPictureEnabled && button('picture', () => this.#togglePicture()),
      this.#full, button('sessions', () => this.#sheet.show(this.#current)));
    this.#root.append(this.#video, this.#drawn.node, this.#statistics.node, element('header.top', this.#title, this.#guide, this.#remote), this.#start, this.#message,
      element('div.controls', { role: 'group', ariaLabel: text.position }, this.#timeline.node, row), this.#sheet.node, this.#help);
  }

  #listen() {
    const { output } = this, root = this.#root;
    const detail = action => event => action(/** @type {CustomEvent} */ (event).detail);
    listen(this.#sessions, {
      connected: () => { this.#hide(); this.#follow(); },
      disconnected: () => this.#show(text.reconnecting, true),
      refused: () => { this.#current = null; output.detach(); this.#show(text.noToken, true); },
      changed: detail(session => this.#changed(session)),
      notice: detail(({ session, code }) => { if (session === this.#current && text.notices[code]) this.#show(text.notices[code]); }),
      closed: () => { this.#follow(); this.#sheet.update(this.#current); },
    });
    listen(output, {
      failed: detail(error => this.#failed(error)),
      waiting: () => { if (!this.#message.textContent) this.#show(text.waiting); },
      buffered: () => { if (this.#message.textContent === text.waiting) this.#hide(); },
      loaded: () => {
        this.#hide();
        this.#showTracks();
        if (this.#starting !== this.#current) return;
        this.#starting = undefined;
        if (!this.#isPlaying) this.#toggle();
      },
      blocked: () => { this.#start.hidden = false; this.call('Pause'); },
    });
    listen(this.#drawn, { failed: detail(error => { this.#failed(error); this.#showTracks(); }) });
    listen(this.#video, {
      playing: () => { this.#start.hidden = true; },
      pointerdown: event => { this.#isWaking = event.pointerType === 'touch' && this.#root.classList.contains('idle'); },
      click: () => { if (!this.#isWaking && !closeMenu()) this.#toggle(); },
      dblclick: () => this.#toggleFull(),
    });
    const awaken = () => this.#awaken();
    listen(root, {
      pointermove: awaken, pointerdown: awaken, keydown: awaken, focusin: awaken,
      dragover: event => { event.preventDefault(); this.#show(text.dropHere); }, drop: event => this.#drop(event),
      fullscreenchange: () => this.#full.become(document.fullscreenElement ? 'window' : 'full'),
    });
    this.#listenForKeys();
    this.#useMediaSession();
  }

  #listenForKeys() {
    const toggle = () => this.#toggle(), step = frames => this.call('StepFrame', { frames });
    const chapter = step => this.call('SkipChapter', { step });
    listenForKeys({
      ' ': toggle, k: toggle, j: () => this.#skip(-10), l: () => this.#skip(10), ArrowLeft: () => this.#skip(-5), ArrowRight: () => this.#skip(5),
      ArrowUp: () => this.#changeVolume(1), ArrowDown: () => this.#changeVolume(-1), m: () => this.#mute.click(),
      c: () => this.#menus.subtitles.open(), f: () => this.#toggleFull(), '<': () => this.#changeRate(-1), '>': () => this.#changeRate(1),
      ',': () => step(-1), '.': () => step(1), PageUp: () => chapter('previous'), PageDown: () => chapter('next'),
      '?': () => this.#help.showModal(), z: () => this.delay(-0.1), Z: () => this.delay(0.1), Home: () => this.#go('begin'),
      End: () => this.#go(this.state?.live ? 'live' : 'end'), i: () => this.#statistics.toggle(), o: () => this.#sheet.show(this.#current), Escape: closeMenu,
    }, tenth => this.seek(this.#range.start + (this.#range.end - this.#range.start) * tenth / 10));
  }

  #useMediaSession() {
    const handlers = {
      play: () => this.call('Play'), pause: () => this.call('Pause'),
      seekbackward: () => this.#skip(-10), seekforward: () => this.#skip(10), seekto: details => this.seek(details.seekTime),
    };
    for (const [name, handler] of Object.entries(handlers)) navigator.mediaSession?.setActionHandler(/** @type {any} */ (name), handler);
  }

  // Sessions

  /** If the session that was shown is gone, shows the newest of the others, or none. */
  #follow() {
    const { states } = this.#sessions;
    if (this.#current !== null && states.has(this.#current)) return;
    const last = [...states.keys()].at(-1) ?? null;
    if (last === null) {
      this.#current = null;
      this.output.detach();
      this.subtitles.show([], null);
      this.#drawn.show(undefined, []);
      this.#sheet.show(null);
    } else this.#choose(last);
  }

  /** @param {string} session @param {boolean} [replace] */
  async #choose(session, replace = false) {
    this.#current = session;
    const { state } = this;
    if (!state) return;
    this.#draw();
    this.#storyboard.use(state);
    // The path is known once the source is open. The software path has no master playlist.
    this.#isEarly = state.path !== 'remux';
    if (state.renderer && state.renderer !== rendererName && !replace) return this.output.detach();
    if (this.#isEarly) {
      if (state.path === 'software') this.#show(state.route === 'software' ? text.cannotDecode : text.playsItself, true);
      return this.output.detach();
    }
    if (await this.#isReloaded(state)) return;
    this.output.run(session, state.selected_audio);
  }

  /** Loads a session again for this browser, unless it plays the formats. Returns whether the session was loaded again. @param {import('./sessions.js').State} state */
  async #isReloaded(state) {
    if (state.profile === 'custom' || !state.url) return false;
    let codings = [];
    try {
      ({ codings } = await loadMaster(local(state.url)));
    } catch {
      return false;
    }
    if (codings.every(isSupported)) return false;
    // Video that was encoded for the other player is encoded for this one.
    const chosen = state.media?.streams.some(each => each.video && each.route === 'bridge') && { video_bridge: 'when_needed' };
    await this.reload({ autoplay: this.#isPlaying, ...chosen }, true);
    return true;
  }

  /**
   * Loads the source of the session again.
   * @param {object} options
   * @param {boolean} [isSameTimeline]
   */
  async reload(options, isSameTimeline = false) {
    const { source, session, position, profile: name, renderer, live } = /** @type {import('./sessions.js').State} */ (this.state);
    // The page does not know what another player decodes.
    const player = renderer && this.#isRemote && name !== 'custom' ? { profile: name } : { custom_profile: profile() };
    await this.#load(source, { ...player, ...options }, { session, start_position_us: isSameTimeline && !live ? position.position_us : 0 });
  }

  /**
   * Loads a source, and plays it. The clock of a new session does not run until this page has its media, so that nothing is skipped.
   * @param {string} source
   * @param {object} [options]
   * @param {{session?: string, start_position_us?: number}} [more] without a session: in a new one
   */
  async #load(source, options = { custom_profile: profile() }, more = {}) {
    this.#hide();
    try {
      const state = await this.#api.call('Load', { source, options: { autoplay: !!more.session, ...options }, ...more });
      if (!more.session) this.#starting = state.session;
      this.#sessions.states.set(state.session, { ...state, received: now() });
      // An attached renderer is told to load by the engine.
      if (state.session !== this.#current || this.#isRemote) this.#choose(state.session);
    } catch (error) {
      // The source that was loaded before keeps playing, if there is one. The message then does not stay.
      this.#failed(error, !this.state);
    }
  }

  /** @param {string} session */
  #changed(session) {
    if (this.#sheet.node.open) this.#sheet.update(this.#current);
    if (this.#current === null) {
      this.#sheet.node.close();
      return this.#choose(session);
    }
    if (session !== this.#current) return;
    if (this.state?.path === (this.#isEarly ? 'remux' : 'software')) this.#choose(session);
    this.#draw();
    this.#showTracks();
    if (this.state?.error) this.#failed(this.state.error);
  }

  #showTracks() {
    const { state } = this;
    if (!state) return;
    this.#storyboard.use(state);
    if (!this.#sent) this.subtitles.delay = seconds(state.subtitle_delay_us ?? 0);
    this.#drawn.delay = this.subtitles.delay;
    const isHere = !this.#isRemote && state.url, chosen = isHere ? state.selected_subtitles ?? [] : [];
    const ids = wants => (state.subtitle_tracks ?? []).filter(each => chosen.includes(each.id) && wants(each)).map(each => each.id);
    this.#drawn.show(state, ids(each => this.#drawn.takes(each)));
    this.subtitles.show(ids(each => each.text && !this.#drawn.takes(each)), isHere ? local(state.url) : null);
    this.output.selectAudio(state.selected_audio);
  }

  // Commands

  /**
   * Sends a command once the one before it is answered, because requests may overtake each other. Waits for that answer for
   * a second at most.
   * @param {string} method
   * @param {object} [request]
   * @returns {Promise<void>} never fails
   */
  call(method, request = {}) {
    const session = this.#current ?? undefined;
    this.#sent += 1;
    return this.#answered = Promise.race([this.#answered, pause(1000)])
      .then(() => this.#api.call(method, { session, ...request })).catch(error => { this.#failed(error); })
      .finally(() => { this.#sent -= 1; });
  }

  #toggle() {
    const { state } = this;
    // A live source that has not played yet begins at its edge, however long ago it was loaded.
    if (state?.live && state.phase === 'ready') this.call('Seek', { place: 'live', after: 'play' });
    else this.call(this.#isPlaying ? 'Pause' : 'Play');
  }

  /** @param {'begin' | 'end' | 'live'} place */
  #go(place) { this.call('Seek', { place }); }

  /** @param {number} time */
  seek(time) { this.call('Seek', { position_us: microseconds(time) }); }

  /** @param {number} offset */
  #skip(offset) { this.call('Seek', { position_us: microseconds(offset), relative: true }); }

  /** @param {number} steps */
  #changeVolume(steps) {
    this.#slider.stepUp(steps);
    this.#setVolume();
  }

  #setVolume() { this.call('SetVolume', { volume: Number(this.#slider.value) }); }

  /** Shows subtitles earlier or later. @param {number} change in seconds */
  delay(change) {
    const delay = Math.round((this.subtitles.delay + change) * 100) / 100;
    this.#drawn.delay = this.subtitles.delay = delay;
    this.#show(text.delayed(delay));
    this.call('SetSubtitleDelay', { delay_us: microseconds(delay) });
  }

  /** @param {number} change as a part of the usual size */
  resize(change) { this.subtitles.size = Math.min(2, Math.max(0.5, this.subtitles.size + change)); }

  /** @param {number} direction */
  #changeRate(direction) {
    const rate = this.state?.position?.requested_rate ?? 1;
    const next = direction > 0 ? rates.find(each => each > rate) : rates.findLast(each => each < rate);
    if (next) this.call('SetRate', { rate: next });
  }

  #toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen(); else this.#root.requestFullscreen?.().catch(() => {});
  }

  #togglePicture() {
    if (document.pictureInPictureElement) document.exitPictureInPicture(); else this.#video.requestPictureInPicture().catch(() => {});
  }

  /** @param {DragEvent} event */
  async #drop(event) {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && file.size < 5e6 && this.subtitles.drop(file.name, await file.arrayBuffer())) this.#show(text.added(file.name));
    else this.#show(text.badDrop);
  }

  // Drawing

  get #range() {
    const { state } = this, range = state?.seekable?.[0], last = state?.seekable?.at(-1);
    return { start: seconds(range?.start_us ?? 0), end: seconds(last?.end_us ?? state?.duration_us ?? 0) };
  }

  #draw() {
    const { state } = this;
    this.#root.classList.toggle('empty', !state);
    const name = state ? title(state.source) : text.noTitle;
    this.#title.textContent = name;
    document.title = `${name} – engined`;
    const { present, following } = eventsOf(state, state?.media?.program);
    this.#guide.textContent = [eventLine(text.now, present), eventLine(text.next, following)].filter(Boolean).join('\n');
    this.#guide.title = present?.details ?? '';
    for (const menu of Object.values(this.#menus)) menu.update();
    this.#drawRemote(state);
    this.#root.classList.toggle('waiting', ['opening', 'seeking', 'buffering'].includes(state?.phase));
    this.#live.hidden = !state?.live;
    if (!state) return;
    const position = this.#isRemote ? playhead(state) : this.#video.currentTime, { start, end } = this.#range;
    this.#timeline.show({ position, start, end, isLive: Boolean(state.live), buffered: state.buffered ?? [], chapters: state.media?.chapters ?? [] });
    this.#play.become(this.#isPlaying ? 'pause' : 'play');
    this.#mute.become(state.muted ? 'unmute' : 'mute');
    if (!this.#sent && !this.#slider.matches(':active')) this.#slider.value = state.volume;
    const isBehind = Boolean(state.live) && end - position > seconds(state.live.target_latency_us) + 5;
    this.#live.classList.toggle('far', isBehind);
    this.#live.title = isBehind ? text.goLive : text.live;
    this.#time.textContent = state.live ? place(position, end, true) : `${clock(position)} / ${clock(end)}`;
    if (state.phase === 'buffering' && (state.live?.stalled || state.source_wait) && !this.#message.textContent) this.#show(text.waiting, true);
    this.#statistics.show(state, this.#video, this.output.feeder?.codings ?? '');
    this.#root.classList.toggle('idle', this.#isPlaying && !this.#isRemote && now() - this.#idle > hideAfter
      && !this.#root.querySelector('.menu:not([hidden]), dialog[open]'));
    this.subtitles.lift(this.#root.classList.contains('idle') ? 0 : this.#timeline.node.parentNode.offsetHeight + 18);
    const { mediaSession } = navigator, shown = present?.title || name;
    if (mediaSession && mediaSession.metadata?.title !== shown) mediaSession.metadata = new MediaMetadata({ title: shown });
  }

  /** @param {import('./sessions.js').State | undefined} state */
  #drawRemote(state) {
    const note = this.#isRemote && state?.renderer ? text.remote(state.renderer) : '';
    this.#remote.hidden = !note;
    if (this.#remote.firstChild?.data === note) return;
    this.#remote.replaceChildren(note, ' ',
      element('button.primary', { onclick: () => this.#choose(/** @type {string} */ (this.#current), true) }, text.playHere));
  }

  #awaken() {
    this.#idle = now();
    this.#root.classList.remove('idle');
  }

  /** @param {string} message @param {boolean} [stays] */
  #show(message, stays = false) {
    clearTimeout(this.#fade);
    this.#message.textContent = message;
    if (!stays) this.#fade = setTimeout(() => this.#hide(), 5000);
  }

  #hide() {
    clearTimeout(this.#fade);
    this.#message.textContent = '';
  }

  /** @param {any} error an `EngineFailure`, a failure of the browser, or an error of a state */
  async #failed(error, stays = !error.isPassing) {
    // Nothing is served of a session that has failed. The session's own error says why.
    if (error.status && !error.code && this.state?.error) return;
    // Another client may have loaded the session for another player.
    if (error.isFormat && this.state && await this.#isReloaded(this.state)) return;
    // Video that only the engine can decode is not served. Status 409 without a code is the answer to a request for a segment.
    if (error.isFormat || (error.status === 409 && !error.code) || error.code === 'path_conflict') return this.#show(text.cannotDecode, true);
    this.#show([text.failed(error.message.replace(/\.$/, '')), text.advice[error.code]].filter(Boolean).join(' '), stays);
  }
}

new Page(document.getElementById('player')).run();
