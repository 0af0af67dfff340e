import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "@workrail/runtime";
import { namesOf, type Setting, SETTING_NAMES, SETTINGS, type SettingType, variableOf } from "@workrail/runtime/settings";
import { describe, expect, it } from "vitest";
import { readPage, tableOf } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const rows = tableOf(readPage("docs/reference/settings.md").text);

describe("docs/reference/settings.md", () => {
  it("lists every setting with its names, type and default", () => {
    expect(rows.map(([name, variables, type, standard]) => [name, variables, type, withoutLinks(standard)])).toEqual(
      SETTING_NAMES.map((name) => {
        const setting: Setting = SETTINGS[name];
        return [code(name), namesOf(name).map(variableOf).map(code).join(", "), typeOf(setting.type), defaultOf(setting)];
      }),
    );
  });

  it.each(rows.map(([name = "", , , , meaning]) => [name.replaceAll("`", ""), meaning] as const))(
    "describes %s as the program does",
    (name, meaning) => {
      const said = SETTINGS[name as keyof typeof SETTINGS].meaning.replace(/\.$/, "");
      expect(withoutLinks(meaning).replaceAll("`", "").startsWith(said), said).toBe(true);
    },
  );

  it("lists every environment variable of the sources", () => {
    const named = globSync("{packages,apps}/*/src/**/*.ts", { cwd: ROOT })
      .filter((path) => !/[\\/]storage-conformance[\\/]/.test(path))
      .filter((path) => !path.endsWith(".test.ts") && !/[\\/]testing[\\/]/.test(path))
      .flatMap((path) => readFileSync(join(ROOT, path), "utf8").match(/\bWORKRAIL_[A-Z]+(_[A-Z]+)*\b/g) ?? []);
    const known = SETTING_NAMES.flatMap(namesOf).map(variableOf);
    expect(named.filter((variable) => !known.includes(variable))).toEqual([]);
  });
});

it("packages/runtime/config.schema.json matches the settings", async () => {
  expect(JSON.parse(readFileSync(join(ROOT, "packages/runtime/config.schema.json"), "utf8"))).toEqual(await configJsonSchema());
});

function typeOf(type: SettingType): string {
  switch (type.kind) {
    case "whole":
      return `whole number, from ${inWords(type.least)}${type.most === undefined ? "" : ` to ${inWords(type.most)}`}`;
    case "choice":
      return type.choices.map(code).join(", ");
    case "flag":
      return "`true`, `false`";
    case "address":
      return "address with http or https";
    case "text":
    case "path":
      return type.kind;
  }
}

function defaultOf({ default: standard, otherwise = "" }: Setting): string {
  if (standard === undefined) return otherwise.replaceAll(/\b(memory|fail)\b/g, "`$1`");
  return typeof standard === "number" ? inWords(standard) : code(typeof standard === "string" ? standard : JSON.stringify(standard));
}

function inWords(number: number): string {
  return number.toLocaleString("en-US");
}

function withoutLinks(cell = ""): string {
  return cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function code(text: string): string {
  return `\`${text}\``;
}
