// The vocabulary of the transcript: what a step can do, and the lists that are set anew when they change.
export const read = (...paths) => ({ tool: "read", paths });
export const create = (...paths) => ({ tool: "create", paths });
export const remove = (...paths) => ({ tool: "remove", paths });
export const edit = (from) => ({ tool: "edit", from });
export const think = () => ({ tool: "think" });
export const run = (command, { output, exitCode = 0, ms = 300 }) => ({ tool: "run", command, output, exitCode, ms });

/** A list whose items change: every call applies changes by id and gives the whole list for `set`. */
export function changingList(items) {
  let current = items;
  return (changes, ...added) => {
    const known = new Set(current.map((item) => item.id));
    for (const id of Object.keys(changes)) if (!known.has(id)) throw new Error(`no item ${id}`);
    current = [...current.map((item) => ({ ...item, ...changes[item.id] })), ...added];
    return current;
  };
}
