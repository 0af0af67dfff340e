import { answerSchemas } from "../../../apps/cli/src/json/answer-schemas.ts";

/** The part of JSON Schema that is used here. */
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

/** Cells of a row: field, type, whether the field is always present, and meaning. */
export type Row = readonly [field: string, type: string, always: string, meaning: string];

/** Shapes that some commands extend with further fields. */
const EXTENDED = ["metadata", "session"];

const schemas = answerSchemas().map(([command, schema]) => [command, schema as Schema] as const);
const shapes: Readonly<Record<string, Schema>> = Object.assign({}, ...schemas.map(([, { $defs = {} }]) => $defs));

/**
 * Returns the tables of `docs/reference/cli.md` on the output of `--json`, by the comments before them: one for each command with its own
 * output, `export 2` for a second one, and one for each object shared by several commands.
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

/** Returns the commands whose whole output is a shared object, with its name. */
export function sharedAnswers(): readonly (readonly [command: string, shape: string])[] {
  return schemas.flatMap(([command, { $ref }]) => ($ref === undefined ? [] : [[command, nameOf($ref)] as const]));
}

/** Returns the rows, parents before children: `session`, `session.id`, `checkpoints[].createdAt`. */
function rowsOf(schema: Schema, prefix = ""): readonly Row[] {
  const { properties = {}, required = [] } = schema;
  const known =
    prefix === "" ? undefined : EXTENDED.map((name) => shapes[name]?.properties ?? {}).find((each) => isPartOf(each, properties));
  return Object.entries(properties).flatMap(([key, field]): readonly Row[] => {
    if (field.not !== undefined || (known !== undefined && key in known)) return [];
    const name = `${prefix}${key}`;
    const meaning = field.description ?? shapes[nameOf(field.$ref ?? "")]?.description;
    // Fields without a description are covered by that of their object.
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
