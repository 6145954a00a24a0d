// Search over sections.js, the theme, and the list of pages on narrow screens. Nothing is fetched, so it works from disk.
"use strict";
const byId = id => document.getElementById(id);
const root = document.documentElement;
const store = {
    get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: value => { try { localStorage.setItem("theme", value); } catch { /* not kept from disk in some browsers */ } },
};
if (store.get()) root.classList.add(store.get());
byId("theme").addEventListener("click", () => {
    const isDark = root.classList.contains("dark")
        || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.remove("dark", "light");
    root.classList.add(isDark ? "light" : "dark");
    store.set(isDark ? "light" : "dark");
});
byId("menu").addEventListener("click", () => {
    byId("menu").setAttribute("aria-expanded", byId("pages").classList.toggle("open"));
});
document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest" });

const field = byId("search"), hits = byId("hits");
const most = 30;
let chosen = -1;
const count = (text, word) => text.split(word).length - 1;
// Sections that hold every word; those with the words in their titles first.
function found(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const rows = [];
    for (const [place, page, title, text] of sections) {
        const head = title.toLowerCase(), name = page.toLowerCase(), body = text.toLowerCase();
        let score = 0;
        if (!words.every(word => {
            const inText = count(body, word), inTitle = head.includes(word);
            score += Math.min(inText, 20) + (inTitle ? 100 : 0) + (name.includes(word) ? 20 : 0);
            return inText > 0 || inTitle;
        })) continue;
        const at = Math.max(0, Math.min(...words.map(word => body.indexOf(word)).filter(i => i >= 0), text.length) - 40);
        rows.push({ place, page, title, score, excerpt: (at ? "… " : "") + text.slice(at, at + 140) });
    }
    return rows.sort((a, b) => b.score - a.score);
}
function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
}
function choose(index) {
    const links = hits.querySelectorAll("a");
    links[chosen]?.classList.remove("chosen");
    chosen = Math.max(-1, Math.min(index, links.length - 1));
    links[chosen]?.classList.add("chosen");
    links[chosen]?.scrollIntoView({ block: "nearest" });
}
field.addEventListener("input", () => {
    const rows = found(field.value);
    chosen = -1;
    hits.replaceChildren(...rows.slice(0, most).map(row => {
        const link = element("a", row.page === row.title ? row.title : `${row.page}: ${row.title}`);
        link.href = row.place;
        link.append(element("small", row.excerpt));
        return link;
    }));
    if (!rows.length) hits.append(element("p", "Nothing holds all of these words."));
    if (rows.length > most) hits.append(element("p", `${rows.length - most} more: add a word.`));
    hits.hidden = !field.value.trim();
});
field.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; hits.hidden = true; }
    else if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") hits.querySelectorAll("a")[Math.max(chosen, 0)]?.click();
    else return;
    event.preventDefault();
});
hits.addEventListener("click", () => { hits.hidden = true; });
document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== field) { field.focus(); event.preventDefault(); }
});
document.addEventListener("click", event => {
    if (!event.target.closest("header")) hits.hidden = true;
});
