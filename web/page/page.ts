// The page around the program of web/Page.cpp: input, canvas, tables. All geometry and all numbers are the program's.

import { paint } from "./paint";
import { fetched, follow, hasChosen, isServed, partsOf, same } from "./served";
import { Cell, button, make, orders, quantity, span, table, whenSorted } from "./tables";
import { Around, compare, figures, gpus, kernels, overview } from "./views";

interface Program {
  memory: WebAssembly.Memory;
  _initialize(): void;
  page_input(size: number): number;
  page_answer(): number;
  page_answer_size(): number;
  page_open(): number;
  page_more(): number;
  page_part(size: number): void;
  page_begin(): number;
  page_end(): number;
  page_show(mask: number, path: number): void;
  page_has_path(): number;
  page_mark(): void;
  page_marks(): number;
  page_load(begin: number, end: number, columns: number): number;
  page_draw(begin: number, end: number, width: number, height: number, scroll: number, dark: number): number;
  page_plot_left(): number;
  page_plot_width(): number;
  page_bottom(): number;
  page_lanes(): number;
  page_toggle(index: number): void;
  page_statistics(begin: number, end: number): number;
  page_find(most: number): number;
  page_readout(x: number, y: number): number;
}

const el = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;
const utf8 = new TextDecoder();
const canvas = el<HTMLCanvasElement>("canvas");
const context = canvas.getContext("2d")!;

// Bytes of an element of the file, or, in a page that is served, of the server.
async function bytesOf(id: string): Promise<Uint8Array | null> {
  const element = document.getElementById("d-" + id);
  const packed = element ? Uint8Array.from(atob(element.textContent!.trim()), (c) => c.charCodeAt(0)) : isServed ? await fetched(id) : null;
  if (!packed) return null;
  const isGzip = packed[0] === 0x1f && packed[1] === 0x8b;
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream(isGzip ? "gzip" : "deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function textOf(id: string): Promise<string> {
  const bytes = await bytesOf(id);
  return bytes ? utf8.decode(bytes) : "";
}
async function jsonOf(id: string): Promise<any> {
  const content = await textOf(id);
  return content ? JSON.parse(content) : null;
}

const widths = new Map<string, number>();
const fontOf = (pixels: number, bold: boolean) => `${bold ? "600 " : ""}${pixels}px Inter, system-ui, sans-serif`;
let measureOwn = (text: string, pixels: number, bold: boolean): number => {
  context.font = fontOf(pixels, bold);
  return context.measureText(text).width;
};
function measure(text: string, pixels: number, bold: boolean): number {
  const key = pixels + (bold ? "b" : "n") + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    widths.set(key, (width = measureOwn(text, pixels, bold)));
  }
  return width;
}

let program: Program;
const heap = (at: number, size: number) => new Uint8Array(program.memory.buffer, at, size);
const answer = () => heap(program.page_answer(), program.page_answer_size());
const text = () => utf8.decode(answer().slice());
function give(bytes: Uint8Array) {
  heap(program.page_input(bytes.length), bytes.length).set(bytes);
}
async function instantiate(): Promise<Program> {
  const code = (await bytesOf("program"))!;
  const nothing = () => 0;
  const env = new Proxy({} as any, {
    get: (_, name) =>
      name === "page_measure"
        ? (at: number, size: number, pixels: number, bold: number) => measure(utf8.decode(heap(at, size).slice()), pixels, bold !== 0)
        : name === "__cxa_throw"
          ? () => { throw new Error("Memory ran out."); }
          : nothing,
  });
  const wasi = new Proxy({} as any, { get: () => nothing });
  const made = await WebAssembly.instantiate(code as BufferSource, { env, wasi_snapshot_preview1: wasi });
  const own = made.instance.exports as unknown as Program;
  own._initialize();
  return own;
}

// Calls the program again until the parts that it wants are there. Null: overtaken by a newer call of that kind.
const latest = new Map<string, number>();
const mostOfCall = 256e6; // bytes
let opened = 0; // times
async function call(kind: string, work: () => number): Promise<string | null> {
  const own = (latest.get(kind) ?? 0) + 1;
  latest.set(kind, own);
  let moved = 0;
  let tries = isServed ? 5 : 0; // a recorder may write the index anew while its parts are read
  for (let round = 0; round < 5000; ++round) {
    const outcome = work();
    if (outcome === 0) return text();
    if (outcome === 2) {
      const why = text();
      if (--tries < 0) throw new Error(why);
      await openTables();
      if (facts) give(facts), program.page_more();
      program.page_show(shown);
      continue;
    }
    const wanted = text().split("\n");
    const before = opened;
    const parts = isServed ? await partsOf(wanted, bytesOf) : new Map(await Promise.all(wanted.map(async (name) => [name, await bytesOf(name)] as const)));
    if (opened !== before) continue; // they are of tables that have gone
    for (const [name, bytes] of parts) {
      if (!bytes) throw new Error("A part of this page is missing.");
      moved += bytes.length;
      const head = new TextEncoder().encode(name);
      const place = heap(program.page_input(head.length + bytes.length), head.length + bytes.length);
      place.set(head);
      place.set(bytes, head.length);
      program.page_part(head.length);
    }
    if (isServed && moved > mostOfCall) throw new Error("This needs more than 256 MB of the recording at once. Choose a shorter stretch of time.");
    if (latest.get(kind) !== own) return null;
  }
  throw new Error("This page asks for the same part again and again.");
}

interface Mark { run: number; begin: number; end: number; label: string } // view times
const whole = { begin: 0, end: 1 };
let view = { begin: 0, end: 1 };
let picked: { begin: number; end: number } | null = null;
let names: string[] = [];
let shown = 1;
let tab = "timeline";
let hasPath = false;
let marks: Mark[] = []; // of the reader
let toggled = new Set<number>(); // lanes that are shown or hidden other than at first
let lanesWanted = new Set<number>(); // by the address
let scroll = 0;
let dark = matchMedia("(prefers-color-scheme: dark)").matches;
let dirty = false;
let resting = 0;
const chosen = { base: 0, other: 1 };

const tell = (message: string) => (el("state").textContent = message);
const failed = (error: unknown) => tell(String((error as Error).message ?? error));

function draw() {
  dirty = false;
  if (!program || !canvas.clientWidth) return;
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  if (program.page_draw(view.begin, view.end, width, height, scroll, dark ? 1 : 0) !== 0) return;
  paint(context, answer(), ratio, fontOf);
  placeOverlays();
}
function placeOverlays() {
  const part = el("part").style;
  const length = Math.max(whole.end - whole.begin, 1);
  const from = Math.min(Math.max((view.begin - whole.begin) / length, 0), 0.99);
  part.marginLeft = 100 * from + "%";
  part.width = 100 * Math.max(Math.min((view.end - whole.begin) / length, 1) - from, 0.005) + "%";
  const box = el("picked");
  box.hidden = !picked;
  if (!picked) return;
  const left = Math.max(xOf(picked.begin), program.page_plot_left());
  const right = Math.min(xOf(picked.end), program.page_plot_left() + program.page_plot_width());
  box.style.left = left + "px";
  box.style.width = Math.max(right - left, 1) + "px";
}
function redraw() {
  if (!dirty) requestAnimationFrame(draw);
  dirty = true;
}
async function load(): Promise<boolean> { // false: overtaken
  const columns = Math.max(1, Math.round((program.page_plot_width() || canvas.clientWidth) * (devicePixelRatio || 1)));
  const { begin, end } = view;
  const isDone = (await call("load", () => program.page_load(begin, end, columns))) !== null;
  if (isDone) redraw();
  return isDone;
}
// What is there is drawn at once where it belongs; when the view rests, what it shows finer is read, and the address says it.
function changed() {
  redraw();
  clearTimeout(resting);
  resting = window.setTimeout(() => {
    toAddress();
    canvas.setAttribute("aria-label", `Timeline of ${names.filter((_, i) => shown & (1 << i)).join(", ")} from ${quantity(view.begin / 1e9, "s").text} to ${quantity(view.end / 1e9, "s").text}`);
    load().catch(failed);
  }, 60);
}
const seconds = (ns: number) => +(ns / 1e9).toFixed(9);
function toAddress() {
  const parts = [`t=${seconds(view.begin)},${seconds(view.end)}`];
  if (picked) parts.push(`sel=${seconds(picked.begin)},${seconds(picked.end)}`);
  names.forEach((name, i) => { if (shown & (1 << i) && names.length > 1) parts.push("run=" + encodeURIComponent(name)); });
  if (tab !== "timeline") parts.push("view=" + tab);
  if (tab === "compare") parts.push("compare=" + [chosen.base, chosen.other].map((i) => encodeURIComponent(names[i])).join(","));
  const wanted = el<HTMLInputElement>("search").value.trim();
  if (wanted) parts.push("q=" + encodeURIComponent(wanted));
  if (hasPath) parts.push("path=1");
  if (toggled.size) parts.push("lanes=" + [...toggled].join(","));
  for (const mark of marks) parts.push(`mark=${mark.run},${seconds(mark.begin)},${seconds(mark.end)},${encodeURIComponent(mark.label)}`);
  for (const [name, order] of orders) parts.push(`sort=${name},${order}`);
  history.replaceState(null, "", location.pathname + location.search + "#" + parts.join("&"));
}
function fromAddress() {
  const told = location.hash.slice(1).split("&").map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]);
  const of = (key: string) => told.filter((one) => one[0] === key).map((one) => one[1].split(","));
  const plain = (text: string) => { try { return decodeURIComponent(text); } catch { return text; } };
  const range = ([from, to]: string[]) => {
    const [begin, end] = [from, to].map((one) => Math.round(parseFloat(one) * 1e9));
    return end >= begin ? { begin, end } : null;
  };
  for (const one of of("t")) view = range(one) ?? view;
  if (view.end === view.begin) ++view.end;
  picked = of("sel").map(range)[0] ?? null;
  const runs = of("run").map((one) => names.indexOf(plain(one.join(",")))).filter((i) => i >= 0);
  if (runs.length) shown = runs.reduce((mask, i) => mask | (1 << i), 0);
  tab = of("view")[0]?.[0] ?? "timeline";
  for (const one of of("compare")) {
    const at = one.map((name) => names.indexOf(plain(name)));
    if (at.length === 2 && Math.min(...at) >= 0) [chosen.base, chosen.other] = at;
  }
  el<HTMLInputElement>("search").value = plain(of("q")[0]?.join(",") ?? "");
  hasPath = of("path").length > 0 && program.page_has_path() !== 0;
  lanesWanted = new Set((of("lanes")[0] ?? []).map(Number).filter((i) => i >= 0));
  marks = of("mark").flatMap(([run, from, to, ...label]) => {
    const at = range([from, to]);
    return at && names[+run] !== undefined ? [{ run: +run, ...at, label: plain(label.join(",")) }] : [];
  });
  orders.clear();
  for (const [name, order] of of("sort")) if (/^-?[1-9][0-9]*$/.test(order ?? "")) orders.set(name, order);
}

const xOf = (time: number) => program.page_plot_left() + ((time - view.begin) / (view.end - view.begin)) * program.page_plot_width();
const timeAt = (x: number) => view.begin + ((x - program.page_plot_left()) / Math.max(program.page_plot_width(), 1)) * (view.end - view.begin);
function show(begin: number, end: number) {
  const most = Math.max((whole.end - whole.begin) * 1.2, 1000);
  const length = Math.min(Math.max(end - begin, 100), most);
  const middle = (begin + end) / 2;
  let from = middle - length / 2;
  from = Math.min(Math.max(from, whole.begin - 0.1 * most), whole.end + 0.1 * most - length);
  view = { begin: Math.round(from), end: Math.round(from + length) };
  changed();
}
function zoom(factor: number, at: number) {
  show(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}
function pan(part: number) {
  const by = part * (view.end - view.begin);
  show(view.begin + by, view.end + by);
}

async function select(range: typeof picked) {
  picked = range;
  changed();
  el("selection").replaceChildren();
  if (!range) return;
  const answered = await call("statistics", () => program.page_statistics(range.begin, range.end));
  if (answered === null) return;
  const lines = answered.split("\n").filter((l) => l).map((l) => l.split("\t"));
  const rows = lines.filter((l) => l[0] === "series").map((l) => {
    const [, run, metric, label, unit, rank, node, samples, mean, min, max] = l;
    const of = +rank >= 0 ? "rank " + rank : +node >= 0 ? "node " + node : "whole run";
    const q = (value: string) => quantity(+value, unit);
    return [...(names.length > 1 ? [names[+run]] : []), label || metric, of, +samples, q(mean), q(min), q(max)];
  });
  const kernels = lines.filter((l) => l[0] === "kernel").map((l) => {
    const [, run, rank, name, category, count, seconds] = l;
    return [...(names.length > 1 ? [names[+run]] : []), name, category, +rank, +count, quantity(+seconds, "s")];
  });
  const heading = document.createElement("h2");
  heading.textContent = `Selected: ${span(range.end - range.begin)} from ${range.begin / 1e9} s`;
  const run = names.length > 1 ? ["run"] : [];
  el("selection").append(heading);
  tell(heading.textContent!);
  if (rows.length) el("selection").append(table("series", [...run, "metric", "of", "samples", "mean", "least", "most"], rows));
  if (kernels.length) el("selection").append(table("selected", [...run, "kernel that begins in it", "category", "rank", "count", "time"], kernels));
}

async function search(wanted: string, goes = true) {
  el("found").replaceChildren();
  if (!wanted) return;
  const most = 200;
  const answered = await call("find", () => {
    give(new TextEncoder().encode(wanted));
    return program.page_find(most);
  });
  if (answered === null) return;
  const places = answered.split("\n").filter((l) => l).map((l) => l.split("\t"));
  const rows = places.map((l): Cell[] => [l[3], names.length > 1 ? names[+l[0]] : "", +l[1] >= 0 ? +l[1] : "", l[2], quantity(+l[4] / 1e9, "s"), quantity(+l[5] / 1e9, "s")]);
  const heading = document.createElement("h2");
  heading.textContent = places.length ? `${places.length}${places.length === most ? " or more" : ""} found` : "Nothing has that name";
  const list = table("found", ["name", "run", "rank", "track", "begin", "duration"], rows, (index) => {
    const [begin, length] = [+places[index][4], +places[index][5]];
    show(begin - 4 * length - 1000, begin + 5 * length + 1000);
    canvas.focus();
  });
  el("found").append(heading, list);
  tell(heading.textContent!);
  if (places.length && goes) show(+places[0][4] - 4 * +places[0][5] - 1000, +places[0][4] + 5 * +places[0][5] + 1000);
}

let readoutBusy = false;
async function readout(x: number, y: number) {
  el("cursor").hidden = x < program.page_plot_left();
  el("cursor").style.left = x + "px";
  if (readoutBusy) return;
  readoutBusy = true;
  try {
    const answered = await call("readout", () => program.page_readout(x, y));
    const box = el("readout");
    const inside = x >= program.page_plot_left();
    box.textContent = inside && answered !== null ? [span(timeAt(x)), answered.replace(/\t/g, "  ").trim()].join("\n") : "";
    const [width, height] = [box.offsetWidth, box.offsetHeight];
    const left = x + 14 + width < canvas.clientWidth ? x + 14 : x - 14 - width;
    box.style.left = Math.max(left, 0) + "px";
    box.style.top = Math.max(Math.min(y + 14, canvas.clientHeight - height - 4), 0) + "px";
  } finally {
    readoutBusy = false;
  }
}

function listen() {
  let drag: { x: number; begin: number; end: number; moves: boolean } | null = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.altKey) {
      scroll = Math.max(0, Math.min(scroll + event.deltaY, program.page_bottom() + scroll - canvas.clientHeight));
      redraw();
    } else if (Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY)) pan(across / 1000);
    else zoom(Math.exp(event.deltaY / 500), timeAt(event.offsetX));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    drag = { x: event.offsetX, ...view, moves: event.ctrlKey || event.button === 1 };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag?.moves) {
      const by = ((drag.x - event.offsetX) / Math.max(program.page_plot_width(), 1)) * (drag.end - drag.begin);
      show(drag.begin + by, drag.end + by);
    } else if (drag && Math.abs(event.offsetX - drag.x) > 3) {
      const [a, b] = [timeAt(drag.x), timeAt(event.offsetX)];
      picked = { begin: Math.round(Math.min(a, b)), end: Math.round(Math.max(a, b)) };
      placeOverlays();
    }
    readout(event.offsetX, event.offsetY).catch(failed);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moves && Math.abs(event.offsetX - drag.x) > 3) select(picked).catch(failed);
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    el("readout").textContent = "";
    el("cursor").hidden = true;
  });
  canvas.addEventListener("keydown", (event) => {
    const middle = (view.begin + view.end) / 2;
    const keys: Record<string, () => void> = {
      w: () => zoom(0.7, middle), s: () => zoom(1 / 0.7, middle), a: () => pan(-0.2), d: () => pan(0.2),
      arrowup: () => zoom(0.7, middle), arrowdown: () => zoom(1 / 0.7, middle), arrowleft: () => pan(-0.2), arrowright: () => pan(0.2),
      f: () => show(whole.begin, whole.end), escape: () => select(null).catch(failed),
      m: () => addMark(), enter: () => picked && show(picked.begin, picked.end), "/": () => el("search").focus(),
    };
    const action = keys[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  el("search").addEventListener("change", async () => {
    await open("timeline");
    search(el<HTMLInputElement>("search").value.trim()).then(toAddress).catch(failed);
  });
  let held = false;
  const centre = (event: PointerEvent) => {
    const box = el("all").getBoundingClientRect();
    const at = whole.begin + ((event.clientX - box.x) / box.width) * (whole.end - whole.begin);
    show(at - (view.end - view.begin) / 2, at + (view.end - view.begin) / 2);
  };
  el("all").addEventListener("pointerdown", (event) => {
    el("all").setPointerCapture(event.pointerId);
    held = true;
    centre(event);
  });
  el("all").addEventListener("pointermove", (event) => held && centre(event));
  el("all").addEventListener("pointerup", () => (held = false));
  el("path").querySelector("input")!.addEventListener("change", (event) => {
    hasPath = (event.target as HTMLInputElement).checked;
    applyRuns();
  });
  document.addEventListener("pointerdown", (event) => document.querySelectorAll("details[open]").forEach((one) => {
    if (!one.contains(event.target as Node)) one.removeAttribute("open");
  }));
  el("theme").addEventListener("click", () => setDark(!dark));
  new ResizeObserver(() => changed()).observe(canvas);
  addEventListener("hashchange", () => goThere().catch(failed));
  whenSorted(toAddress);
}
function setDark(value: boolean) {
  dark = value;
  document.documentElement.classList.toggle("dark", dark);
  redraw();
}
function applyRuns() {
  program.page_show(shown, hasPath ? 1 : 0);
  whole.begin = program.page_begin();
  whole.end = Math.max(program.page_end(), whole.begin + 1);
  listRuns();
  listLanes();
  el("path").hidden = program.page_has_path() === 0;
  el("path").querySelector("input")!.checked = hasPath;
  applyMarks();
}
// All that the address says.
async function goThere() {
  setLanes(new Set());
  fromAddress();
  applyRuns();
  setLanes(lanesWanted);
  listLanes();
  await open(views[tab] && el("tab-" + tab) ? tab : "timeline");
  if (tab === "timeline") await search(el<HTMLInputElement>("search").value.trim(), false);
  if (picked) await select(picked);
}
function setLanes(wanted: Set<number>) {
  for (const lane of new Set([...toggled, ...wanted])) if (toggled.has(lane) !== wanted.has(lane)) program.page_toggle(lane);
  toggled = wanted;
}
function addMark() {
  const middle = Math.round((view.begin + view.end) / 2);
  const run = Math.max(names.findIndex((_, i) => shown & (1 << i)), 0);
  marks.push({ run, ...(picked ?? { begin: middle, end: middle }), label: `Mark ${marks.length + 1}` });
  applyMarks();
  tell(`${marks[marks.length - 1].label} at ${span(marks[marks.length - 1].begin)}`);
}
function applyMarks() {
  give(new TextEncoder().encode(marks.map((mark) => [mark.run, mark.begin, mark.end, mark.label.replace(/\s+/g, " ")].join("\t")).join("\n")));
  program.page_mark();
  program.page_marks();
  const all = text().split("\n").filter((l) => l).map((l) => l.split("\t"));
  let own = 0;
  el("marks").hidden = !all.length;
  el("marks").querySelector("div")!.replaceChildren(...all.map(([isOwn, from, to, run, label]) => {
    const line = make("span");
    const length = Math.max(+to - +from, (view.end - view.begin) / 10);
    line.append(button(`${span(+from)} ${label}`, () => show(+from - length, +to + length)));
    if (isOwn === "1") {
      const mark = marks[own++];
      const name = document.createElement("input");
      name.value = label;
      name.setAttribute("aria-label", "Label of " + label);
      name.addEventListener("change", () => { mark.label = name.value; applyMarks(); });
      line.append(" ", name, " ", button("Remove", () => { marks = marks.filter((one) => one !== mark); applyMarks(); }));
    } else if (names.length > 1) line.append(" " + run);
    return line;
  }));
  changed();
}
function checkbox(label: string, isOn: boolean, act: () => void): HTMLElement {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = isOn;
  box.addEventListener("change", act);
  const line = document.createElement("label");
  line.append(box, " ", label);
  return line;
}
function listLanes() {
  program.page_lanes();
  const lines = text().split("\n").filter((l) => l);
  el("lanes").querySelector("div")!.replaceChildren(...lines.map((line, i) =>
    checkbox(line.slice(2), line[0] === "1", () => {
      const wanted = new Set(toggled);
      if (!wanted.delete(i)) wanted.add(i);
      setLanes(wanted);
      changed();
    })));
}
function listRuns() {
  el("runs").replaceChildren(...(names.length < 2 ? [] : names.map((name, i) =>
    checkbox(name, (shown & (1 << i)) !== 0, () => {
      shown = (shown ^ (1 << i)) || 1 << i;
      setLanes(new Set());
      applyRuns();
    }))));
}

const around: Around = {
  get names() { return names; },
  json: jsonOf, text: textOf, chosen, changed: toAddress,
  overlay: (runs) => {
    shown = runs.reduce((mask, i) => mask | (1 << i), 0);
    setLanes(new Set());
    applyRuns();
    show(whole.begin, whole.end);
    open("timeline").catch(failed);
  },
};
const views: Record<string, [string, ((around: Around) => Promise<Node[]>) | null]> = {
  timeline: ["Timeline", null], overview: ["Overview", overview], gpus: ["GPUs", gpus], kernels: ["Kernels", kernels], compare: ["Compare", compare], figures: ["Figures", figures],
};
async function open(wanted: string) {
  tab = wanted;
  for (const id of Object.keys(views)) {
    el("view-" + id).hidden = id !== tab;
    el("tab-" + id)?.setAttribute("aria-selected", String(id === tab));
    el("tab-" + id)?.setAttribute("tabindex", id === tab ? "0" : "-1");
  }
  toAddress();
  if (tab === "timeline") return redraw();
  const section = el("view-" + tab);
  if (!section.childNodes.length || tab === "compare") section.replaceChildren(...(await views[tab][1]!(around)));
}
function listTabs() {
  for (const [id, [title]] of Object.entries(views)) {
    if (id === "compare" && names.length < 2) continue;
    const one = button(title, () => open(id).catch(failed));
    one.id = "tab-" + id;
    one.setAttribute("role", "tab");
    one.setAttribute("aria-controls", "view-" + id);
    el("view-" + id).setAttribute("role", "tabpanel");
    el("view-" + id).setAttribute("aria-labelledby", one.id);
    el("tabs").append(one);
  }
  el("tabs").addEventListener("keydown", (event) => {
    const all = [...el("tabs").children] as HTMLElement[];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = ({ ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 } as Record<string, number>)[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[to % all.length].focus();
    all[to % all.length].click();
  });
}

let tables: Uint8Array;
async function openTables() {
  const found = await bytesOf("tables");
  if (!found) throw new Error("This page has no data.");
  tables = found;
  ++opened;
  give(tables);
  if (program.page_open() !== 0) throw new Error(text());
  names = text().split("\n").filter((l) => l);
}
// What lies over the lanes of a served page takes as long as a summary: it follows the first picture.
const pace = 30000; // ms, while a run is recorded
let facts: Uint8Array | null = null;
let askedAt = 0;
async function more() {
  if (!facts || Date.now() - askedAt > pace) {
    askedAt = Date.now();
    facts = await bytesOf("facts");
  }
  if (!facts) return;
  give(facts);
  if (program.page_more() !== 0) throw new Error(text());
  applyRuns();
  await load();
}
// The database has changed. A window at the end of the runs stays there, one on all of them shows all.
async function reload() {
  const now = await bytesOf("tables");
  if (now && same(now, tables)) return;
  const before = { ...whole };
  await openTables();
  applyRuns();
  const isAtEnd = view.end >= before.end && view.begin < before.end;
  const isAll = isAtEnd && view.begin <= before.begin;
  const by = isAtEnd ? whole.end - before.end : 0;
  view = { begin: isAll ? view.begin : view.begin + by, end: view.end + by };
  await more();
  changed();
  if (picked) await select(picked);
  for (const [id, [, fill]] of Object.entries(views)) if (fill && el("view-" + id).hidden) el("view-" + id).replaceChildren();
  tell("");
}

async function start() {
  setDark(dark);
  program = await instantiate();
  if (isServed && !(await hasChosen(bytesOf, el("view-runs"), el<HTMLInputElement>("search")))) {
    el("view-timeline").hidden = true;
    document.documentElement.dataset.ready = "yes";
    return tell("");
  }
  await openTables();
  document.title = names.join(", ") + " – Trainscope";
  shown = names.length < 31 ? (1 << names.length) - 1 : 0x7fffffff;
  program.page_show(shown, 0);
  view = { begin: program.page_begin(), end: Math.max(program.page_end(), program.page_begin() + 1) };
  listTabs();
  const left = await textOf("left");
  el("left").textContent = left ? "Left out of this page: " + left.replace(/\n/g, " ") : "";
  await goThere();
  listen();
  while (!(await load()));
  draw();
  tell("");
  // For whoever tries the page with a program.
  (window as any).trainscope = {
    program, answer: () => answer().slice(),
    measure: (own: typeof measureOwn) => { widths.clear(); measureOwn = own; },
    view: () => view, show, draw, give, json: jsonOf, text: textOf,
    load: (begin: number, end: number, columns: number) => call("load", () => program.page_load(begin, end, columns)),
    statistics: (begin: number, end: number) => call("statistics", () => program.page_statistics(begin, end)),
  };
  document.documentElement.dataset.ready = "yes";
  if (isServed) {
    more().catch(failed);
    await follow(bytesOf, reload, tell);
  }
}
start().catch(failed);
