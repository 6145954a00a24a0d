// Tables that sort, and numbers with their units.

export interface Quantity { value: number; text: string }
interface Linked { value: string; text: string; address: string }
export type Cell = string | number | Quantity | Linked;

export function quantity(value: number, unit: string): Quantity {
  if (value === undefined || value === null || Number.isNaN(value)) return { value: NaN, text: "" };
  if (unit === "1") return { value, text: +(value * 100).toPrecision(4) + " %" };
  const scales: [number, string][] = unit === "s" ? [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]
    : ["B", "B/s", "Hz"].includes(unit) ? [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]] : [[1, ""]];
  const [scale, prefix] = scales.find(([s]) => Math.abs(value) >= s) ?? scales[scales.length - 1];
  return { value, text: `${+(value / scale).toPrecision(4)} ${prefix}${unit}`.trim() };
}
export const span = (ns: number) => quantity(ns / 1e9, "s").text;

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, content = "", name = ""): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.textContent = content;
  if (name) node.className = name;
  return node;
}
export function button(label: string, act: () => void): HTMLButtonElement {
  const node = make("button", label);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

// The order of each table by its name: column and direction, "3" or "-3"; the address keeps it.
export const orders = new Map<string, string>();
let told = () => {};
export const whenSorted = (tell: () => void) => (told = tell);

const most = 2000; // rows that are in the document at once
const valueOf = (cell: Cell) => (typeof cell === "object" ? cell.value : cell);
function compare(a: Cell, b: Cell): number {
  const [x, y] = [valueOf(a), valueOf(b)];
  if (typeof x === "number" && typeof y === "number") return x - y || Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return String(x).localeCompare(String(y), undefined, { numeric: true });
}
export function table(name: string, heads: string[], rows: Cell[][], open?: (index: number) => void, left?: boolean[]): HTMLElement {
  const box = make("div", "", "scroll");
  box.tabIndex = 0; // to be scrolled by keys
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", heads[0] + ": table");
  const list = document.createElement("table");
  const head = list.createTHead().insertRow();
  const body = list.createTBody();
  const isName = (cell: Cell) => (typeof cell === "string" && cell !== "") || (typeof cell === "object" && "address" in cell);
  const isText = left ?? heads.map((_, column) => rows.some((row) => isName(row[column])));
  const note = make("p", rows.length > most ? `The first ${most} of ${rows.length} rows in this order.` : "", "soft");
  const fill = () => {
    const order = rows.map((_, i) => i);
    const chosen = orders.get(name);
    const column = Math.abs(parseInt(chosen ?? "0", 10)) - 1;
    if (chosen && column < heads.length) {
      const sign = chosen.startsWith("-") ? -1 : 1;
      order.sort((a, b) => sign * compare(rows[a][column], rows[b][column]));
      head.querySelectorAll("th").forEach((cell, i) =>
        i === column ? cell.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending") : cell.removeAttribute("aria-sort"));
    }
    body.replaceChildren(...order.slice(0, most).map((index) => {
      const line = document.createElement("tr");
      rows[index].forEach((cell, at) => {
        const place = line.insertCell();
        place.textContent = typeof cell === "object" ? cell.text : String(cell);
        if (isText[at]) place.className = "name";
        if (typeof cell === "object" && "address" in cell) {
          const link = make("a", cell.text);
          link.href = cell.address;
          place.replaceChildren(link);
        }
        if (open && at === 0) place.replaceChildren(button(place.textContent!, () => open(index)));
      });
      return line;
    }));
  };
  heads.forEach((title, column) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (isText[column]) cell.className = "name";
    cell.append(button(title, () => {
      orders.set(name, orders.get(name) === `-${column + 1}` ? `${column + 1}` : `-${column + 1}`);
      fill();
      told();
    }));
    head.append(cell);
  });
  fill();
  box.append(list, note);
  return box;
}
