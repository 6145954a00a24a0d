// Paints a display list of web/DisplayList.h.

const heats = new Map<string, HTMLCanvasElement>();

export function paint(context: CanvasRenderingContext2D, bytes: Uint8Array, ratio: number, fontOf: (pixels: number, bold: boolean) => string) {
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  const floats = new Float32Array(bytes.buffer, 0, bytes.length >> 2);
  const end = words[0];
  const texts = new TextDecoder();
  const css = (word: number) => `rgba(${word & 255},${(word >> 8) & 255},${(word >> 16) & 255},${(word >>> 24) / 255})`;
  const sizes = [13, 12, 11, 22]; // of the roles, as core/plot/Theme.h has them
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css(words[3]);
  context.fillRect(0, 0, floats[1], floats[2]);
  let at = 4;
  const rect = (): [number, number, number, number] => {
    at += 4;
    return [floats[at - 4], floats[at - 3], floats[at - 2], floats[at - 1]];
  };
  while (at < end) {
    const kind = words[at++];
    if (kind === 1) {
      const [x, y, w, h] = rect();
      const [color, radius, hatch] = [css(words[at]), floats[at + 1], words[at + 2]];
      at += 3;
      context.fillStyle = context.strokeStyle = color;
      if (hatch) hatched(context, x, y, w, h);
      else if (radius > 0) {
        context.beginPath();
        context.roundRect(x, y, w, h, radius);
        context.fill();
      } else context.fillRect(x, y, w, h);
    } else if (kind === 2) {
      const [x0, y0, x1, y1] = rect();
      context.strokeStyle = css(words[at]);
      context.lineWidth = floats[at + 1];
      context.setLineDash(words[at + 2] ? [3, 3] : []);
      at += 3;
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
      context.setLineDash([]);
    } else if (kind === 3) {
      context.strokeStyle = css(words[at]);
      context.lineWidth = floats[at + 1];
      const count = words[at + 2];
      at += 3;
      context.beginPath();
      for (let i = 0; i < count; ++i) context.lineTo(floats[at + 2 * i], floats[at + 2 * i + 1]);
      at += 2 * count;
      context.stroke();
    } else if (kind === 4) {
      const [x, , w] = rect();
      context.fillStyle = css(words[at]);
      const count = words[at + 2];
      at += 3;
      const step = w / count;
      context.beginPath();
      for (let i = 0; i < count; ++i) {
        const top = floats[at + i];
        if (top === top) context.rect(x + i * step, top, step, Math.max(floats[at + count + i] - top, 0.5));
      }
      at += 2 * count;
      context.fill();
    } else if (kind === 5) {
      const [x, y, w, h] = rect();
      const [rows, columns] = [words[at], words[at + 1]];
      at += 2;
      if (rows > 0 && columns > 0) {
        const key = rows + "x" + columns;
        const image = heats.get(key) ?? document.createElement("canvas");
        if (heats.size > 64) heats.clear();
        heats.set(key, image);
        image.width = columns;
        image.height = rows;
        const pixels = new ImageData(new Uint8ClampedArray(bytes.buffer, 4 * at, 4 * rows * columns).slice(), columns, rows);
        image.getContext("2d")!.putImageData(pixels, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(image, x, y, w, h);
      }
      at += rows * columns;
    } else if (kind === 6) {
      const [, y, , h] = rect();
      const count = words[at++];
      for (let i = 0; i < count; ++i, at += 5) {
        context.fillStyle = css(words[at + 2]);
        const [from, to] = [floats[at + 3], floats[at + 4]];
        context.fillRect(floats[at], y + h * (1 - to), Math.max(floats[at + 1] - floats[at], 1 / ratio), h * (to - from));
      }
    } else if (kind === 7) {
      const [x, y] = [floats[at], floats[at + 1]];
      context.fillStyle = css(words[at + 2]);
      context.font = fontOf(sizes[words[at + 3]], words[at + 5] !== 0);
      context.textAlign = (["left", "center", "right"] as CanvasTextAlign[])[words[at + 4]];
      const rotation = floats[at + 6];
      const from = 4 * end + words[at + 7];
      const text = texts.decode(bytes.subarray(from, from + words[at + 8]));
      at += 9;
      context.save();
      context.translate(x, y);
      if (rotation) context.rotate((rotation * Math.PI) / 180);
      context.fillText(text, 0, 0);
      context.restore();
    } else break;
  }
}

// Lines x + y = k × 6, so that neighbouring hatches meet.
function hatched(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number) {
  context.lineWidth = 1;
  context.beginPath();
  for (let sum = Math.ceil((x + y) / 6) * 6; sum < x + w + y + h; sum += 6) {
    const x0 = Math.max(x, sum - y - h);
    const x1 = Math.min(x + w, sum - y);
    context.moveTo(x0, sum - x0);
    context.lineTo(x1, sum - x1);
  }
  context.stroke();
}
