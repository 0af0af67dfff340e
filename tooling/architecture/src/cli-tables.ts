import { answerSchemas } from "../../../apps/cli/src/json/answer-schemas.ts";

/** What is used of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly not?: object;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** The cells of a row: the field, its type, whether it is always there, and what it means. */
export type Row = readonly [field: string, type: string, always: string, meaning: string];

/** Of what several commands have in what they print, with more fields in some. */
const EXTENDED = ["metadata", "session"];

const schemas = answerSchemas().map(([command, schema]) => [command, schema as Schema] as const);
const shapes: Readonly<Record<string, Schema>> = Object.assign({}, ...schemas.map(([, { $defs = {} }]) => $defs));

/**
 * The tables of `docs/reference/cli.md` that describe what `--json` prints, by the comments in front of them: one for each command that has
 * an answer of its own, `export 2` where there is another one, and one for each object that several commands have in theirs.
 */
export function jsonTables(): ReadonlyMap<string, readonly Row[]> {
  const ofCommands = schemas.flatMap(([command, schema]) => {
    const answers = (schema.anyOf ?? [schema]).filter(({ $ref, required = [] }) => $ref === undefined && required[0] !== "format");
    return answers.map((answer, index) => [index === 0 ? command : `${command} ${index + 1}`, rowsOf(answer)] as const);
  });
  const ofShapes = Object.entries(shapes).map(([name, shape]) => [`shape ${name}`, rowsOf(shape)] as const);
  const described = [...ofCommands, ...ofShapes].filter(([, rows]) => rows.length > 0);
  return new Map(described.map(([name, rows]) => [`json ${name}`, rows]));
}

/** Commands that print nothing but an object which others print too, and its name. */
export function sharedAnswers(): readonly (readonly [command: string, shape: string])[] {
  return schemas.flatMap(([command, { $ref }]) => ($ref === undefined ? [] : [[command, nameOf($ref)] as const]));
}

/** Fields before those in them: `session`, `session.id`, `checkpoints[].createdAt`. */
function rowsOf(schema: Schema, prefix = ""): readonly Row[] {
  const { properties = {}, required = [] } = schema;
  const known =
    prefix === "" ? undefined : EXTENDED.map((name) => shapes[name]?.properties ?? {}).find((each) => isPartOf(each, properties));
  return Object.entries(properties).flatMap(([key, field]): readonly Row[] => {
    if (field.not !== undefined || (known !== undefined && key in known)) return [];
    const name = `${prefix}${key}`;
    const meaning = field.description ?? shapes[nameOf(field.$ref ?? "")]?.description;
    // What is in an object may be told with the object.
    if (meaning === undefined) return [];
    const row: Row = [`\`${name}\``, typeOf(field), required.includes(key) ? "yes" : "no", meaning];
    const inside = field.items === undefined ? rowsOf(field, `${name}.`) : rowsOf(field.items, `${name}[].`);
    return [row, ...inside];
  });
}

function isPartOf(shape: object, properties: object): boolean {
  return Object.keys(shape).every((key) => key in properties);
}

function typeOf({ $ref, type, const: constant, items, anyOf }: Schema): string {
  if ($ref !== undefined) return `[${nameOf($ref)}](#${nameOf($ref)})`;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (typeof type === "object") return type.map((each) => typeOf({ type: each })).join(" or ");
  if (type === "null") return "`null`";
  if (type === "array") return items?.$ref === undefined ? "list" : `list of ${typeOf(items)}`;
  if (type === "integer") return "number";
  return type ?? (constant === undefined ? "any" : typeof constant);
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
