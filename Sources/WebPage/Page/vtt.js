// SPDX-License-Identifier: Apache-2.0
// WebVTT and SubRip as cues of the browser, which draws them.

/** `1:02:03.400` or `02:03,400` in seconds. @param {string} text */
export function parseTime(text) {
  return text.trim().replace(',', '.').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/**
 * The blocks of a file: times, settings and text.
 * @param {string} file
 * @returns {{start: number, end: number, settings: string, text: string}[]}
 */
export function parseBlocks(file) {
  const found = [];
  for (const block of file.replace(/\r\n?/g, '\n').split(/\n\n+/)) {
    const match = /(?:^|\n)([\d:.,]+)[ \t]+-->[ \t]+([\d:.,]+)[ \t]*(.*)(?:\n([\s\S]*))?/.exec(block);
    if (match) found.push({ start: parseTime(match[1]), end: parseTime(match[2]), settings: match[3], text: match[4] ?? '' });
  }
  return found;
}

/**
 * The lines of a script (ASS or SSA), without their effects.
 * @param {string} file
 * @returns {ReturnType<typeof parseBlocks>}
 */
export function parseScript(file) {
  const found = [];
  let names = [];
  for (const [, kind, line] of file.matchAll(/^(Format|Dialogue):[ \t]*(.*?)\r?$/gm)) {
    const fields = line.split(',');
    // The text may contain commas. A line has the fields of the last `Format` before it.
    const field = name => fields[names.indexOf(name)] ?? '', text = fields.slice(names.length - 1).join(',');
    if (kind === 'Format') names = fields.map(name => name.trim());
    // Lines that draw shapes (`\p1`) have no text.
    else if (!/\\p[1-9]/.test(text)) found.push({
      start: parseTime(field('Start')), end: parseTime(field('End')), settings: /\\an[789]/.test(text) ? 'line:0' : '',
      text: text.replace(/\{.*?\}/g, '').replace(/\\N/gi, '\n').replaceAll('\\h', ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    });
  }
  return found.filter(({ start, end }) => end > start);
}

/** @param {ReturnType<typeof parseBlocks>[number]} block @returns {VTTCue} */
export function cue({ start, end, settings, text }) {
  const made = Object.assign(new VTTCue(start, end, text), { from: start, to: end });
  // Where a file gives no line, the page may lift the cue above its controls.
  made.isFree = !settings.includes('line:');
  for (const [, name, value] of settings.matchAll(/(line|position|size|align):(\S+)/g)) {
    const [number, alignment] = value.split(',');
    if (name === 'align') made.align = /** @type {AlignSetting} */ (value);
    else if (name === 'size') made.size = parseFloat(number);
    else {
      if (name === 'line') made.snapToLines = !number.endsWith('%');
      made[name] = parseFloat(number);
      if (alignment && name === 'line') made.lineAlign = /** @type {LineAlignSetting} */ (alignment);
    }
  }
  return made;
}

/** The text of a file: UTF-8, or Windows-1252 if it is not valid UTF-8. @param {ArrayBuffer} bytes */
export function decoded(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
