// Paints a display list of web/DisplayList.h.

const heats = new Map<string, HTMLCanvasElement>();
const colors = new Map<number, string>(); // as the style of a context, by word
function css(word: number): string {
  let text = colors.get(word);
  if (text === undefined) {
    if (colors.size > 4096) colors.clear();
    colors.set(word, (text = `rgba(${word & 255},${(word >> 8) & 255},${(word >> 16) & 255},${(word >>> 24) / 255})`));
  }
  return text;
}

// Columns and bars fill whole pixels, as the window fills them: few as rectangles, many of one area into a picture.
const mostRects = 40000;
const layer = document.createElement("canvas");
let pixels = new ImageData(1, 1);
let field = new Uint32Array(1);
let place = { x: 0, y: 0, w: 0, h: 0 };
let onto: CanvasRenderingContext2D | null = null; // rectangles; null: the picture
let isOpen = false;
let color = 0;
function fill(x0: number, x1: number, y0: number, y1: number) {
  if (onto) return onto.fillRect(place.x + x0, place.y + y0, x1 - x0, y1 - y0);
  const { w } = place;
  const a = color >>> 24;
  for (let y = y0; y < y1; ++y)
    for (let at = y * w + x0, end = y * w + x1; at < end; ++at) {
      const below = field[at];
      if (a === 255 || below === 0) {
        field[at] = color;
        continue;
      }
      const rest = ((below >>> 24) * (255 - a)) / 255;
      const sum = a + rest;
      const own = a / sum;
      const under = rest / sum;
      field[at] = ((sum + 0.5) << 24)
        | (((((color >> 16) & 255) * own + ((below >> 16) & 255) * under + 0.5) & 255) << 16)
        | (((((color >> 8) & 255) * own + ((below >> 8) & 255) * under + 0.5) & 255) << 8)
        | (((color & 255) * own + (below & 255) * under + 0.5) & 255);
    }
}
function ink(word: number) {
  if (onto && word !== color) onto.fillStyle = css(word);
  color = word;
}
function begin(context: CanvasRenderingContext2D, [x, y, w, h]: number[], ratio: number, rects: number) {
  const [left, top] = [Math.round(x * ratio), Math.round(y * ratio)];
  const own = { x: left, y: top, w: Math.max(Math.round((x + w) * ratio) - left, 1), h: Math.max(Math.round((y + h) * ratio) - top, 1) };
  const isSame = own.x === place.x && own.y === place.y && own.w === place.w && own.h === place.h;
  if (isOpen && isSame && !onto) return;
  finish(context);
  place = own;
  isOpen = true;
  onto = rects > mostRects ? null : context;
  if (onto) {
    onto.save();
    onto.setTransform(1, 0, 0, 1, 0, 0);
    onto.fillStyle = css(color);
  } else if (pixels.width !== own.w || pixels.height !== own.h) {
    pixels = new ImageData(own.w, own.h);
    field = new Uint32Array(pixels.data.buffer);
  } else field.fill(0);
}
function finish(context: CanvasRenderingContext2D) {
  if (!isOpen) return;
  isOpen = false;
  if (onto) return onto.restore();
  layer.width = place.w;
  layer.height = place.h;
  layer.getContext("2d")!.putImageData(pixels, 0, 0);
  context.save();
  context.textRendering = "optimizeSpeed"; // Inter would write the x of 256x128 as a cross
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(layer, place.x, place.y);
  context.restore();
}

export function paint(context: CanvasRenderingContext2D, bytes: Uint8Array, ratio: number, fontOf: (pixels: number, bold: boolean) => string) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const end = words[0];
  const texts = new TextDecoder();
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
    if (kind !== 4 || onto) finish(context);
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
      const area = rect();
      const count = words[at + 2];
      let items = 1; // that follow of this area
      for (let next = at - 5 + 8 + 2 * count; words[next] === 4 && floats[next + 2] === area[1]; next += 8 + 2 * words[next + 7]) ++items;
      begin(context, area, ratio, items * count);
      ink(words[at]);
      at += 3;
      const step = (area[2] / count) * ratio;
      const feet: number[] = []; // of the outline that goes on: x and y, to be followed backwards
      if (onto) onto.beginPath();
      for (let i = 0, left = 0; i <= count; ++i) {
        const right = Math.min(Math.round((i + 1) * step), place.w);
        const top = i < count ? floats[at + i] * ratio - place.y : NaN;
        if (top === top) {
          const from = Math.min(Math.max(Math.round(top), 0), place.h - 1);
          const to = Math.max(Math.min(Math.round(floats[at + count + i] * ratio - place.y), place.h), from + 1);
          if (!onto) fill(left, right, from, to);
          else {
            onto.lineTo(place.x + left, place.y + from);
            onto.lineTo(place.x + right, place.y + from);
            feet.push(left, to, right, to);
          }
        } else if (onto && feet.length) {
          for (let k = feet.length - 2; k >= 0; k -= 2) onto.lineTo(place.x + feet[k], place.y + feet[k + 1]);
          onto.fill();
          onto.beginPath();
          feet.length = 0;
        }
        left = right;
      }
      at += 2 * count;
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
        const pixels = new ImageData(new Uint8ClampedArray(bytes.buffer, bytes.byteOffset + 4 * at, 4 * rows * columns).slice(), columns, rows);
        image.getContext("2d")!.putImageData(pixels, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(image, x, y, w, h);
      }
      at += rows * columns;
    } else if (kind === 6) {
      const area = rect();
      const count = words[at++];
      begin(context, area, ratio, count);
      let [left, right, from, to, own] = [0, 0, 0, 0, color]; // the bar that may go on
      for (let i = 0; i <= count; ++i, at += 5) {
        const isOver = i === count;
        const x0 = isOver ? -1 : Math.min(Math.max(Math.round(floats[at] * ratio - place.x), 0), place.w - 1);
        const x1 = isOver ? 0 : Math.min(Math.max(Math.round(floats[at + 1] * ratio - place.x), x0 + 1), place.w);
        const y0 = isOver ? -1 : Math.max(Math.round(place.h * (1 - floats[at + 4])), 0);
        const y1 = isOver ? 0 : Math.round(place.h * (1 - floats[at + 3]));
        const word = isOver ? 0 : words[at + 2];
        if (y0 === from && y1 === to && word === own && x0 >= left && x0 <= right) {
          right = Math.max(right, x1);
          continue;
        }
        const isHidden = y0 === from && y1 === to && x0 === left && x1 >= right;
        if (!isHidden && to > from) {
          ink(own);
          fill(left, right, from, to);
        }
        [left, right, from, to, own] = [x0, x1, y0, y1, word];
      }
      at -= 5;
    } else if (kind === 7) {
      const [x, y] = [floats[at], floats[at + 1]];
      context.fillStyle = css(words[at + 2]);
      context.font = fontOf(sizes[words[at + 3]], words[at + 5] !== 0);
      context.textAlign = (["left", "center", "right"] as CanvasTextAlign[])[words[at + 4]];
      const rotation = floats[at + 6];
      const from = 4 * end + words[at + 7];
      const text = texts.decode(bytes.slice(from, from + words[at + 8]));
      at += 9;
      context.save();
      context.translate(x, y);
      if (rotation) context.rotate((rotation * Math.PI) / 180);
      context.fillText(text, 0, 0);
      context.restore();
    } else break;
  }
  finish(context);
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
