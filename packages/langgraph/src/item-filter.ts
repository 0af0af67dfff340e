type Compare = (value: unknown, given: unknown) => boolean;

const OPERATORS: Readonly<Record<string, Compare>> = {
  $eq: (value, given) => value === given,
  $ne: (value, given) => value !== given,
  $gt: (value, given) => Number(value) > Number(given),
  $gte: (value, given) => Number(value) >= Number(given),
  $lt: (value, given) => Number(value) < Number(given),
  $lte: (value, given) => Number(value) <= Number(given),
  $in: (value, given) => Array.isArray(given) && given.includes(value),
  $nin: (value, given) => !Array.isArray(given) || !given.includes(value),
};

/** Compares the members of a value with those of a filter, as LangGraph's own stores do: `{ color: "red", size: { $gte: 3 } }`. */
export function meetsFilter(value: Readonly<Record<string, unknown>>, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([key, wanted]) => meets(value[key], wanted));
}

function meets(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  const conditions = Object.entries(wanted);
  // An object with any other key is a value, and two objects are never the same.
  return conditions.every(([name, given]) => Object.hasOwn(OPERATORS, name) && OPERATORS[name]?.(value, given) === true);
}
