// A page that `trainscope-cli serve` answers: parts as they are needed, a list of runs, and a database that grows.

import { table, quantity } from "./tables";

type Fetch = (id: string) => Promise<Uint8Array | null>;
const utf8 = new TextDecoder();
export const isServed = location.protocol.startsWith("http");

export async function fetched(id: string): Promise<Uint8Array> {
  const address = id.includes("?") ? id : id + location.search;
  const answer = await fetch(address, { cache: "no-store" }).catch(() => {
    throw new Error("The server does not answer. Is “trainscope-cli serve” still running, and the connection to its machine up?");
  });
  if (!answer.ok) throw new Error((await answer.text()) || "The server refuses the answer (" + answer.status + ").");
  return new Uint8Array(await answer.arrayBuffer());
}

// Parts by name. A server answers as many of those it is asked for as fit into one answer, each behind its size.
const atOnce = 64; // that one question names
const questions = 2; // under way at the same time
export async function partsOf(names: string[], bytesOf: Fetch): Promise<Map<string, Uint8Array>> {
  const parts = new Map<string, Uint8Array>();
  const left = [...names];
  const ask = async () => {
    while (left.length) {
      const asked = left.splice(0, atOnce);
      const bytes = await bytesOf("parts?p=" + asked.join(","));
      const sizes = new DataView(bytes!.buffer, bytes!.byteOffset);
      let count = 0;
      for (let at = 0; at < bytes!.length; ++count) {
        const size = sizes.getUint32(at, true);
        parts.set(asked[count], bytes!.subarray(at + 4, at + 4 + size));
        at += 4 + size;
      }
      left.push(...asked.slice(count));
    }
  };
  await Promise.all(Array.from({ length: questions }, ask));
  return parts;
}

// Looks once a second whether the database has changed, and again after a failure.
export async function follow(bytesOf: Fetch, reload: () => Promise<void>, tell: (message: string) => void) {
  const stampNow = async () => utf8.decode((await bytesOf("changed"))!);
  let known = await stampNow();
  let hasFailed = false;
  for (;;) {
    await new Promise((done) => setTimeout(done, 1000));
    if (document.hidden) continue;
    try {
      const stamp = await stampNow();
      if (stamp !== known || hasFailed) await reload();
      if (hasFailed) tell("");
      [known, hasFailed] = [stamp, false];
    } catch (error) {
      tell(String((error as Error).message ?? error));
      hasFailed = true;
    }
  }
}

export const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i]);

// Without a run in the address: the only one there is, else a list of them to choose from. False: the list is shown.
export async function hasChosen(bytesOf: Fetch, into: HTMLElement, searchBox: HTMLInputElement): Promise<boolean> {
  if (new URLSearchParams(location.search).has("run")) return true;
  const runs: any[] = JSON.parse(utf8.decode((await bytesOf("runs"))!)).runs;
  const addressOf = (name: string) => "?run=" + encodeURIComponent(name);
  if (runs.length === 1) {
    history.replaceState(null, "", addressOf(runs[0].name) + location.hash);
    return true;
  }
  const heading = document.createElement("h2");
  const fill = () => {
    const wanted = searchBox.value.trim().toLowerCase();
    const found = runs.filter((run) => run.name.toLowerCase().includes(wanted));
    heading.textContent = runs.length ? `${found.length} of ${runs.length} runs` : "The database has no runs yet";
    const rows = found.map((run) => [
      { value: run.name, text: run.name, address: addressOf(run.name) }, run.kind, run.status, run.gpu_count,
      quantity(run.duration_s, "s"), { value: run.start_ns, text: run.start_ns > 0 ? new Date(run.start_ns / 1e6).toISOString().slice(0, 19).replace("T", " ") : "" },
    ]);
    into.replaceChildren(heading, ...(rows.length ? [table("runs", ["run", "kind", "status", "GPUs", "duration", "begin (UTC)"], rows)] : []));
  };
  searchBox.placeholder = "part of a run's name";
  searchBox.addEventListener("input", fill);
  into.hidden = false;
  fill();
  return false;
}
