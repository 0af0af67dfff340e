// The vocabulary of the transcript: the actions of a step, and lists that are set as a whole whenever they change.
export const read = (...paths) => ({ tool: "read", paths });
export const create = (...paths) => ({ tool: "create", paths });
export const remove = (...paths) => ({ tool: "remove", paths });
export const edit = (from) => ({ tool: "edit", from });
export const think = () => ({ tool: "think" });
export const run = (command, { output, exitCode = 0, ms = 300 }) => ({ tool: "run", command, output, exitCode, ms });

/** Keeps a list whose items change. Each call changes items by id, adds new ones, and returns the whole list for `set`. */
export function changingList(items) {
  let current = items;
  return (changes, ...added) => {
    const known = new Set(current.map((item) => item.id));
    for (const id of Object.keys(changes)) if (!known.has(id)) throw new Error(`no item ${id}`);
    current = [...current.map((item) => ({ ...item, ...changes[item.id] })), ...added];
    return current;
  };
}
