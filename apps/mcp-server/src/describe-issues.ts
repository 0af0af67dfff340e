import { isJsonObject } from "@workrail/core";
import type * as z from "zod";
import { shorten } from "./json-rpc.ts";

type Issue = z.core.$ZodIssue;

/** Most faults in one error: enough to correct a call at once, short enough to read. */
const MAX_TOLD = 3;
const MAX_LISTED_VALUES = 20;

export interface DescribedIssues {
  /** Text of the error: names the field and the fault, never the value. */
  readonly sentences: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

/** Describes validation issues by field and expected value. */
export function describeIssues(issues: readonly Issue[], input: unknown): DescribedIssues {
  const described = issues.slice(0, MAX_TOLD).map((given) => {
    const issue = innermost(given);
    const path = toPathText(issue.path);
    return { path, message: describeIssue(issue, path, input) };
  });
  const untold = issues.length - described.length;
  const sentences = described.map(({ message }) => `${message}.`);
  if (untold > 0) {
    sentences.push(`${untold} more of the kind.`);
  }
  return { sentences: sentences.join(" "), issues: described };
}

/** Returns the inner issue of a value that matches one form of a union except for a part of it. */
function innermost(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const within = issue.errors.map(([first]) => first).find((first) => first !== undefined && first.path.length > 0);
  return within === undefined ? issue : innermost({ ...within, path: [...issue.path, ...within.path] });
}

function describeIssue(issue: Issue, path: string, input: unknown): string {
  const subject = path === "" ? "The arguments" : path;
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, MAX_TOLD).map(shorten).join(", ");
    return path === "" ? `There is no parameter ${names}` : `${path} takes no ${names}`;
  }
  const value = valueAt(input, issue.path);
  const expectation = describeExpectation(issue);
  if (value === undefined) {
    const isAnything = issue.code === "invalid_type" && issue.expected === "nonoptional";
    return isAnything ? `${subject} is required` : `${subject} is required and ${expectation}`;
  }
  const received = issue.code === "invalid_type" ? `, not ${typeName(value)}` : "";
  return `${subject} ${expectation}${received}`;
}

function describeExpectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${listValues(issue.values)}`;
    case "too_small":
      return `must ${verbOf(issue.origin)} ${issue.inclusive === false ? "more than" : "at least"} ${String(issue.minimum)}${unitOf(issue.origin)}`;
    case "too_big":
      return `must ${verbOf(issue.origin)} ${issue.inclusive === false ? "less than" : "at most"} ${String(issue.maximum)}${unitOf(issue.origin)}`;
    case "invalid_format":
      return issue.pattern === undefined ? `must be a valid ${issue.format}` : `must match ${issue.pattern}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "custom":
      return issue.message;
    case "invalid_union":
      return describeUnion(issue);
    default:
      return "has a key or an element that is not allowed";
  }
}

function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const expectations = new Set<string>();
  for (const branch of issue.errors) {
    const [first] = branch;
    if (first !== undefined && first.path.length === 0) {
      expectations.add(describeExpectation(first).replace(/^must /u, ""));
    }
  }
  return expectations.size === 0 ? "has none of its forms" : `must ${[...expectations].join(" or ")}`;
}

function listValues(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_LISTED_VALUES)
    .map((value) => JSON.stringify(value))
    .join(", ");
  return values.length === 1 ? shown : `one of ${shown}`;
}

function verbOf(origin: string): string {
  return isCounted(origin) ? "have" : "be";
}

function unitOf(origin: string): string {
  if (!isCounted(origin)) {
    return "";
  }
  return origin === "string" ? " characters" : " items";
}

function isCounted(origin: string): boolean {
  return ["string", "array", "set", "map", "object"].includes(origin);
}

function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return /^[aeiou]/u.test(name) ? `an ${name}` : `a ${name}`;
}

function typeName(value: unknown): string {
  if (value === null) {
    return "null";
  }
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const segment of path) {
    if (Array.isArray(value)) {
      value = (value as readonly unknown[])[Number(segment)];
    } else if (isJsonObject(value) && Object.hasOwn(value, segment)) {
      value = value[String(segment)];
    } else {
      return undefined;
    }
  }
  return value;
}

/** Formats a path, such as `metadata.tags[1]`. Unusual names are quoted and shortened, since they come from outside. */
function toPathText(path: readonly PropertyKey[]): string {
  return path
    .map((segment, index) => {
      if (typeof segment === "number") {
        return `[${segment}]`;
      }
      const name = String(segment);
      if (!/^[A-Za-z_$][\w$-]{0,63}$/u.test(name)) {
        return `[${shorten(name)}]`;
      }
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}
