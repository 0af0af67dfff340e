import type { ServerProcess } from "./server-process.ts";

type Path = readonly (string | number)[];

interface Part {
  readonly path: Path;
  readonly value: unknown;
  readonly offset?: number;
  readonly length?: number;
  readonly nextOffset?: number;
  readonly itemTooLarge?: boolean;
  readonly nextKey?: string;
}

/** Fetches a value as a client must that knows only the answers: in parts, following `nextOffset`. */
export async function fetchValue(
  server: ServerProcess,
  { checkpointId, path }: { readonly checkpointId: unknown; readonly path: Path },
  seen: (answer: object) => void,
): Promise<unknown> {
  const parts: unknown[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const answer = await server.ok("workflow_checkpoint_load", { checkpointId, keys: [path], range: { offset } });
    seen(answer);
    const [part] = answer["values"] as readonly [Part];
    parts.push(part.value);
    if (part.nextOffset !== undefined && part.nextOffset <= offset && part.itemTooLarge !== true) throw new Error("no progress");
    offset = part.nextOffset;
    if (part.itemTooLarge === true && offset !== undefined) {
      const key: string | number | undefined = Array.isArray(part.value) ? offset : part.nextKey;
      if (key === undefined) throw new Error("the next item has no name");
      const item = await fetchValue(server, { checkpointId, path: [...path, key] }, seen);
      parts.push(typeof key === "number" ? [item] : { [key]: item });
      offset = offset + 1 < (part.length ?? 0) ? offset + 1 : undefined;
    }
  }
  return join(parts);
}

function join(parts: readonly unknown[]): unknown {
  const [first] = parts;
  if (typeof first === "string") return parts.join("");
  if (Array.isArray(first)) return parts.flat(1);
  if (typeof first !== "object" || first === null) return first;
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object)));
}
