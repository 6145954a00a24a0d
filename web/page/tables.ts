// Tables that sort, and numbers with their units.

export interface Quantity { value: number; text: string }
type Cell = string | number | Quantity;

export function quantity(value: number, unit: string): Quantity {
  if (value === undefined || value === null || Number.isNaN(value)) return { value: NaN, text: "" };
  if (unit === "1") return { value, text: +(value * 100).toPrecision(4) + " %" };
  const scales: [number, string][] = unit === "s" ? [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]
    : ["B", "B/s", "Hz"].includes(unit) ? [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]] : [[1, ""]];
  const [scale, prefix] = scales.find(([s]) => Math.abs(value) >= s) ?? scales[scales.length - 1];
  return { value, text: `${+(value / scale).toPrecision(4)} ${prefix}${unit}`.trim() };
}
export const span = (ns: number) => quantity(ns / 1e9, "s").text;

const most = 2000; // rows that are in the document at once
export function table(heads: string[], rows: Cell[][], open?: (index: number) => void): HTMLElement {
  const box = document.createElement("div");
  box.className = "scroll";
  const list = document.createElement("table");
  const head = list.createTHead().insertRow();
  const body = list.createTBody();
  const order = rows.map((_, i) => i);
  const valueOf = (cell: Cell) => (typeof cell === "object" ? cell.value : cell);
  const fill = () => body.replaceChildren(...order.slice(0, most).map((index) => {
    const line = document.createElement("tr");
    rows[index].forEach((cell, column) => {
      const place = line.insertCell();
      place.textContent = typeof cell === "object" ? cell.text : String(cell);
      if (typeof cell === "string") place.className = "name";
      if (open && column === 0) {
        const button = document.createElement("button");
        button.textContent = place.textContent;
        button.addEventListener("click", () => open(index));
        place.replaceChildren(button);
      }
    });
    return line;
  }));
  heads.forEach((title, column) => {
    const cell = document.createElement("th");
    const button = document.createElement("button");
    button.textContent = title;
    let isDown = false;
    button.addEventListener("click", () => {
      isDown = !isDown;
      order.sort((a, b) => {
        const [x, y] = [valueOf(rows[a][column]), valueOf(rows[b][column])];
        const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return isDown ? -less : less;
      });
      head.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      fill();
    });
    cell.append(button);
    head.append(cell);
  });
  fill();
  box.append(list);
  return box;
}
