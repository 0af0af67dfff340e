import type { WorkrailServer } from "./workrail-server.ts";

type Path = readonly (string | number)[];

export interface FetchedEntry {
  readonly value: unknown;
  /** Number of calls that were needed. */
  readonly calls: number;
}

/** Fetches a value that is too large for one answer in parts, and joins them. */
export async function fetchEntry(server: WorkrailServer, checkpointId: string, path: Path): Promise<FetchedEntry> {
  const parts: unknown[] = [];
  let calls = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = await server.loadPart({ checkpointId, keys: [path], range: { offset } });
    calls += 1;
    parts.push(page.value);
    offset = page.nextOffset;
    if (page.itemTooLarge === true && offset !== undefined) {
      const key: string | number = Array.isArray(page.value) ? offset : nameOf(page.nextKey, path);
      const item = await fetchEntry(server, checkpointId, [...path, key]);
      parts.push(typeof key === "number" ? [item.value] : { [key]: item.value });
      calls += item.calls;
      offset = page.length === undefined || offset + 1 < page.length ? offset + 1 : undefined;
    }
  }
  return { value: join(parts), calls };
}

function nameOf(key: string | undefined, path: Path): string {
  if (key === undefined) throw new Error(`the server did not name what comes next in ${path.join(".")}`);
  return key;
}

/** Joins the parts of one value. All parts have the same type: string, array or object; any other value comes in one part. */
function join(parts: readonly unknown[]): unknown {
  const [first] = parts;
  if (typeof first === "string") return parts.join("");
  if (Array.isArray(first)) return parts.flat(1);
  if (typeof first !== "object" || first === null) return first;
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object)));
}
