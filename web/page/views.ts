// Views that hold what commands of the command line answered, and figures that they drew.

import { Cell, button, make, quantity, table } from "./tables";

export interface Around {
  names: string[]; // of runs
  json(id: string): Promise<any>;
  text(id: string): Promise<string>;
  chosen: { base: number; other: number }; // that are compared
  changed(): void; // the address is to be told anew
  overlay(runs: number[]): void; // in the timeline
}

async function ofRuns(around: Around, command: string, show: (answer: any, run: string, nodes: Node[]) => void): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let i = 0; i < around.names.length; ++i) {
    const answer = await around.json(`${command}-${i}`);
    if (answer?.error) nodes.push(make("h2", around.names[i]), make("p", answer.error));
    else if (answer) show(answer, around.names[i], nodes);
  }
  return nodes;
}

export function overview(around: Around): Promise<Node[]> {
  return ofRuns(around, "overview", (told, run, nodes) => {
    nodes.push(make("h2", run), make("p", told.line + " " + told.window, "soft"));
    for (const sentence of told.sentences) nodes.push(make("h3", sentence.title), make("p", sentence.text));
    if (told.checks?.findings?.length) nodes.push(make("h3", "Findings"));
    for (const finding of told.checks?.findings ?? []) nodes.push(make("p", finding));
  });
}
export async function kernels(around: Around): Promise<Node[]> {
  const rows: Cell[][] = [];
  const nodes = await ofRuns(around, "kernels", (told, run) => {
    for (const rank of told.ranks) for (const one of rank.kernels) rows.push([one.name, one.category, run, rank.rank, one.count, quantity(one.time_us / 1e6, "s")]);
  });
  if (!rows.length) return [...nodes, make("p", "No kernels were traced.")];
  return [...nodes, table("kernels", ["kernel", "category", "run", "rank", "count", "time"], rows)];
}
export async function gpus(around: Around): Promise<Node[]> {
  const rows: Cell[][] = [];
  const nodes = await ofRuns(around, "summary", (told, run) => {
    for (const gpu of told.gpus)
      for (const [metric, m] of Object.entries<any>(gpu.metrics)) {
        const unit = told.metrics[metric]?.unit ?? "";
        rows.push([metric, run, gpu.rank, m.samples, quantity(m.mean, unit), quantity(m.min, unit), quantity(m.max, unit)]);
      }
  });
  if (!rows.length) return [...nodes, make("p", "No GPU was read.")];
  return [...nodes, table("gpus", ["metric", "run", "rank", "samples", "mean", "least", "most"], rows)];
}

// A table in the command line's words; cells with a number sort by it.
function worded(name: string, told: any): Node[] {
  const cell = (one: any): Cell => (Array.isArray(one) ? { text: one[0], value: parseFloat(one[1]) } : one);
  const rows = told.rows.map((row: any[]) => row.map(cell));
  const nodes: Node[] = told.title ? [make("h3", told.title)] : [];
  nodes.push(table(name, told.columns.map((column: any) => column.title), rows, undefined, told.columns.map((column: any) => column.left === true)));
  for (const note of told.notes ?? []) nodes.push(make("p", note, "soft"));
  return nodes;
}
export async function compare(around: Around): Promise<Node[]> {
  const answer = make("div");
  answer.id = "compared";
  const { chosen } = around;
  const choice = (label: string, key: "base" | "other") => {
    const line = make("label", label + " ");
    const list = document.createElement("select");
    list.id = "compare-" + key;
    around.names.forEach((name, i) => list.add(new Option(name, String(i), false, i === chosen[key])));
    list.addEventListener("change", () => {
      chosen[key] = +list.value;
      around.changed();
      fill();
    });
    line.append(list);
    return line;
  };
  const fill = async () => {
    if (chosen.base === chosen.other) return answer.replaceChildren(make("p", "These are one run: choose two."));
    const told = (await around.json("compare-" + chosen.base))?.[chosen.other];
    if (!told) return answer.replaceChildren(make("p", "This page has no such comparison."));
    const reasons = make("ul");
    for (const statement of told.verdict.statements) reasons.append(make("li", statement.text));
    const tables = told.tables.flatMap((one: any, i: number) => worded("compare" + i, one));
    answer.replaceChildren(make("h2", told.verdict.first + "."), make("p", told.verdict.explanation), reasons, ...tables);
  };
  const bar = make("p", "", "bar");
  bar.append(choice("Base", "base"), choice("Other", "other"), button("Both in the timeline", () => around.overlay([chosen.base, chosen.other])));
  await fill();
  return [bar, answer];
}

// Figures are unpacked when they come near to what is seen.
export async function figures(around: Around): Promise<Node[]> {
  const list: { title: string; file: string }[] = (await around.json("figures")) ?? [];
  if (!list.length) return [make("p", "This page has no figures.")];
  const shown = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
    shown.unobserve(one.target);
    const at = +(one.target as HTMLElement).dataset.figure!;
    around.text("figure-" + at).then((svg) => {
      const place = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      const [picture, save] = [one.target.querySelector("img")!, one.target.querySelector("a")!];
      picture.src = save.href = place;
    });
  }), { rootMargin: "800px" });
  return list.map(({ title, file }, i) => {
    const box = make("figure");
    box.dataset.figure = String(i);
    const picture = document.createElement("img");
    picture.alt = title;
    const save = make("a", "Save as SVG");
    save.download = file;
    const caption = make("figcaption", title + " ");
    caption.append(save);
    box.append(picture, caption);
    shown.observe(box);
    return box;
  });
}
