// SPDX-License-Identifier: Apache-2.0
// Reads the images of subtitles, whose colours are multiplied by alpha: a browser's own decoder takes them for plain ones.

/** The fourth filter of ISO/IEC 15948 §9.4. @param {number} left @param {number} up @param {number} corner */
function paeth(left, up, corner) {
  const sum = left + up - corner, a = Math.abs(sum - left), b = Math.abs(sum - up), c = Math.abs(sum - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/**
 * The pixels of a PNG of 8-bit RGBA, as a canvas takes them.
 * @param {string} base64
 * @returns {Promise<ImageData>}
 */
export async function pixels(base64) {
  const file = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)), view = new DataView(file.buffer), parts = [];
  const width = view.getUint32(16), height = view.getUint32(20), stride = width * 4;
  for (let at = 8; at < file.length; at += view.getUint32(at) + 12) {
    // IDAT
    if (view.getUint32(at + 4) === 0x49444154) parts.push(file.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const inflated = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const raw = new Uint8Array(await new Response(inflated).arrayBuffer()), out = new Uint8ClampedArray(stride * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    const filter = raw[to + y];
    for (let x = 0; x < stride; x += 1, to += 1) {
      const left = x > 3 ? out[to - 4] : 0, up = y ? out[to - stride] : 0, corner = x > 3 && y ? out[to - stride - 4] : 0;
      out[to] = raw[to + y + 1] + [0, left, up, left + up >> 1, paeth(left, up, corner)][filter] & 255;
    }
  }
  for (let at = 0; at < out.length; at += 4) {
    const alpha = out[at + 3];
    if (alpha && alpha < 255) for (let part = at; part < at + 3; part += 1) out[part] = out[part] * 255 / alpha;
  }
  return new ImageData(out, width, height);
}
