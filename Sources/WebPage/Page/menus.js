// SPDX-License-Identifier: Apache-2.0
// The menus of a session: what there is to choose from, and the command for each choice.

import { eventsOf } from './guide.js';
import { Menu } from './menu.js';
import { text } from './strings.js';
import { clock, joined, seconds } from './time.js';

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 2];

const name = (track, number) => joined(track.title, track.language) || text.track(number + 1);

/**
 * @param {import('./app.js').Page} page
 * @returns {Record<string, Menu>} in the order in which they are shown
 */
export function menus(page) {
  const { subtitles, output } = page, call = (method, request) => page.call(method, request);
  const media = () => page.state?.media ?? { streams: [] };
  // The session's own variant and those that it offers can be played in turn; any other one needs a load.
  const isHere = ({ index, use }) => use === 'played' || (use === 'offered' && output.feeder?.variants.includes(index));
  return {
    titles: new Menu('titles', () => (media().titles ?? []).map(each => ({
      label: text.title(each.number), detail: joined(clock(seconds(each.duration_us)), each.main && text.main),
      isChosen: each.selected, choose: () => page.reload({ title: each.number }),
    }))),
    programs: new Menu('programs', () => (media().programs ?? []).map(({ number, name, provider }) => ({
      label: name || text.program(number), detail: joined(provider, eventsOf(page.state, number).present?.title), isChosen: number === media().program,
      choose: () => call('SelectProgram', { program: { number } }),
    }))),
    chapters: new Menu('chapters', () => (media().chapters ?? []).map((each, index) => ({
      label: each.title || text.chapter(index + 1), detail: clock(seconds(each.start_us)),
      isChosen: index === page.state?.current_chapter, choose: () => page.seek(seconds(each.start_us)),
    }))),
    variants: new Menu('variants', () => (media().variants ?? []).map(each => ({
      label: each.height ? `${each.height}p` : each.name || text.track(each.index + 1),
      detail: joined(`${(each.bandwidth / 1e6).toFixed(1)} Mb/s`, each.video_range),
      isChosen: output.variant === null ? each.use === 'played' : each.index === output.variant,
      choose: () => {
        if (isHere(each)) output.selectVariant(each.use === 'played' ? null : each.index);
        else page.reload({ variants: { index: each.index } }, true);
      },
    }))),
    audio: new Menu('audio', () => media().streams.filter(stream => stream.kind === 'audio').map((stream, index) => ({
      label: name(stream, index), detail: `${stream.codec_name} ${stream.audio?.channel_layout ?? ''}`,
      isChosen: stream.index === page.state?.selected_audio, isDisabled: stream.route === 'none',
      choose: () => call('SelectAudio', { audio: { stream_index: stream.index } }),
    }))),
    subtitles: new Menu('subtitles', () => {
      const { selected_subtitles: chosen = [], subtitle_tracks: tracks = [] } = page.state ?? {};
      const select = ids => call('SelectSubtitles', { subtitles: { tracks: { ids } } });
      // A track is added to those that are shown, so that two can be read at once.
      const toggled = id => (chosen.includes(id) ? chosen.filter(each => each !== id) : [...chosen, id].slice(-2));
      return [{ label: text.none, isChosen: chosen.length === 0, choose: () => select([]) }, ...tracks.map((each, index) => ({
        label: name(each, index), detail: joined(!each.text && text.bitmap, ...each.dispositions),
        isChosen: chosen.includes(each.id), choose: () => select(toggled(each.id)),
      })), ...subtitles.files.map(label => ({ label, isChosen: true, choose: () => subtitles.discard() }))];
    }, [
      { label: text.size, value: () => `${Math.round(subtitles.size * 100)} %`,
        steps: [[text.smaller, () => page.resize(-0.25)], [text.larger, () => page.resize(0.25)]] },
      { label: text.delay, value: () => text.lag(subtitles.delay), steps: [[text.earlier, () => page.delay(-0.1)], [text.later, () => page.delay(0.1)]] },
    ], 'checkbox'),
    speed: new Menu('speed', () => rates.map(rate => ({
      label: `${rate}×`, isChosen: rate === page.state?.position?.requested_rate, choose: () => call('SetRate', { rate }),
    }))),
  };
}
