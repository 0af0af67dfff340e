import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "../settings.ts";
import { isAllowed } from "./allowed-value.ts";
import { CONFIG_FILE } from "./config-file.ts";
import { configSchema } from "./config-schema.ts";
import { type Configuration, readConfiguration } from "./read-configuration.ts";
import { canBeIn, namesOf, optionOf, SETTING_NAMES, type SettingName, type SettingPlace, SETTINGS, variableOf } from "./setting-table.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-config-"));
});

afterEach(() => fs.rmSync(dataDir, { recursive: true, force: true }));

function write(text: string): void {
  fs.writeFileSync(path.join(dataDir, CONFIG_FILE), text);
}

type Sample = string | number | boolean;

/** Returns three valid values of a setting, without the default if there are enough others. */
function samplesOf(name: SettingName): readonly [Sample, Sample, Sample] {
  const { type, default: standard } = SETTINGS[name];
  const take = (values: readonly [Sample, ...Sample[]]): [Sample, Sample, Sample] => {
    const [first = values[0], ...others] = values.filter((value) => value !== standard);
    return [first, others[0] ?? first, others[1] ?? first];
  };
  switch (type.kind) {
    case "whole":
      return take([type.least, type.least + 1, type.least + 2, type.least + 3]);
    case "choice":
      return take(type.choices as [string, ...string[]]);
    case "flag":
      return take([true, false]);
    case "address":
      return ["http://a.example/v1", "https://b.example/v1", "http://c.example:1/v1"];
    case "text":
      return ["one", "two", "three"];
    case "path":
      return [path.resolve("/one"), path.resolve("/two"), path.resolve("/three")];
  }
}

/** Reads the configuration with a setting given in some of the places. */
function withSet(name: SettingName, set: Partial<Record<SettingPlace, Sample>>): Configuration {
  if (set.file !== undefined) write(JSON.stringify({ [name]: set.file }));
  return readConfiguration({
    env: set.environment === undefined ? {} : { [variableOf(name)]: String(set.environment) },
    args: set["command line"] === undefined ? [] : [`${optionOf(name)}=${String(set["command line"])}`],
    settings: set.program === undefined ? {} : { [name]: set.program },
    // A directory given as parameter would override all other sources.
    dataDir: name === "dataDir" ? undefined : dataDir,
  });
}

function settingOf({ settings }: Configuration, name: SettingName): unknown {
  return settings.find((setting) => setting.name === name);
}

describe.each(SETTING_NAMES.map((name) => [name] as const))("the setting %s", (name) => {
  const [inFile, inEnvironment, onCommandLine] = samplesOf(name);
  const places = (["file", "environment", "command line", "program"] as const).filter((place) => canBeIn(name, place));
  const all = { file: inFile, environment: inEnvironment, "command line": onCommandLine, program: inFile };

  it("has its default when not set", () => {
    expect(settingOf(readConfiguration({ env: {}, dataDir }), name)).toEqual({
      name,
      value: name === "dataDir" ? dataDir : SETTINGS[name].default,
      origin: "default",
    });
  });

  it.each(places)("can be set in: %s", (place) => {
    const configuration = withSet(name, { [place]: all[place] });
    expect(configuration.issues).toEqual([]);
    expect(settingOf(configuration, name)).toMatchObject({ value: all[place], origin: place });
  });

  it("is taken from the program first, then from the command line, the environment and the file", () => {
    for (let count = places.length; count > 0; count -= 1) {
      const set = Object.fromEntries(places.slice(0, count).map((place) => [place, all[place]]));
      const best = places[count - 1] ?? "file";
      expect(settingOf(withSet(name, set), name)).toMatchObject({ value: all[best], origin: best });
    }
  });
});

describe("settings of a program", () => {
  it("are checked like all others, and an undefined one is absent", () => {
    const settings = { maxDepth: 0, maxKeys: undefined, secrets: "OFF" } as never;
    const { issues, values } = readConfiguration({ env: {}, dataDir, settings });
    expect(issues.map(({ field, severity }) => [field, severity])).toEqual([
      ["settings.maxDepth", "error"],
      ["settings.secrets", "error"],
    ]);
    expect(values.maxKeys).toBe(SETTINGS.maxKeys.default);
  });

  it.each([
    ["maxCheckpoint", "Did you mean maxCheckpoints?"],
    ["dataDir", "Give dataDir beside settings."],
    ["qwertz", "Leave it out."],
  ])("have no setting %s", (name, hint) => {
    const { issues } = readConfiguration({ env: {}, dataDir, settings: { [name]: "x" } });
    expect(issues).toMatchObject([{ severity: "error", field: `settings.${name}`, hint }]);
    expect(() => readSettings({}, { dataDir, settings: { [name]: "x" } })).toThrow(`There is no setting "${name}".`);
  });

  it("must be an object", () => {
    expect(() => readSettings({}, { dataDir, settings: ["maxDepth"] as never })).toThrow("settings must be an object.");
  });
});

describe("the values of a setting", () => {
  const tried = [
    0,
    1,
    1.5,
    -1,
    100,
    101,
    36_501,
    2 ** 31,
    2 ** 53,
    Number.NaN,
    true,
    "",
    "5",
    "one",
    "FAIL",
    null,
    [1],
    {},
    "http://a.example",
    "ftp://a.example",
    "http:",
  ];
  const samples = SETTING_NAMES.flatMap((name) => samplesOf(name).map(String));

  it.each(SETTING_NAMES.filter((name) => canBeIn(name, "file")))("are the same in the schema and in the reader: %s", (name) => {
    for (const value of [...tried, ...samples, ...samplesOf(name)]) {
      expect([value, configSchema.safeParse({ [name]: value }).success]).toEqual([value, isAllowed(name, value)]);
    }
  });
});

const CHECKED = SETTING_NAMES.filter((name) => !["text", "path"].includes(SETTINGS[name].type.kind));

describe("an invalid setting", () => {
  it.each(["lockTimeoutMs", "condenserTimeoutMs", "embedderTimeoutMs"] as const)(
    "is %s with more than the longest time of a timer",
    (name) => {
      expect(isAllowed(name, 2_147_483_647)).toBe(true);
      const { issues } = readConfiguration({ env: { [variableOf(name)]: "3000000000" }, dataDir });
      expect(issues).toMatchObject([{ severity: "error", message: expect.stringContaining("and 2147483647, not ") }]);
    },
  );

  it.each(SETTING_NAMES.filter((name) => !canBeIn(name, "file")))("is %s in the file, with advice on how to set it", (name) => {
    write(JSON.stringify({ [name]: "x" }));
    const { issues } = readConfiguration({ env: {}, dataDir });
    expect(issues).toMatchObject([{ severity: "error", field: name, line: 1, hint: expect.stringContaining(variableOf(name)) }]);
  });

  it.each(SETTING_NAMES.filter((name) => !canBeIn(name, "command line")))(
    "is %s as an option, because other users can read options",
    (name) => {
      const { issues } = readConfiguration({ env: {}, args: [`${optionOf(name)}=x`], dataDir });
      expect(issues).toMatchObject([{ severity: "error", message: `There is no option ${optionOf(name)}.` }]);
    },
  );

  it.each(CHECKED)("is reported with its source, and replaced by the default: %s", (name) => {
    const severity = SETTINGS[name].lenient === true ? "warning" : "error";
    write(`{\n  // by hand\n  "${name}": "wrong"\n}\n`);
    const configuration = readConfiguration({ env: { [variableOf(name)]: "wrong" }, args: [`${optionOf(name)}=wrong`], dataDir });
    const known = configuration.issues.filter(({ message }) => !message.startsWith("There is no option"));
    expect(known.map((issue) => ({ ...issue, message: "", hint: "" }))).toEqual([
      ...(canBeIn(name, "command line") ? [{ severity, field: optionOf(name), message: "", hint: "" }] : []),
      { severity, field: variableOf(name), message: "", hint: "" },
      { severity, field: name, file: path.join(dataDir, CONFIG_FILE), line: 3, column: 3, message: "", hint: "" },
    ]);
    expect(settingOf(configuration, name)).toEqual({ name, value: SETTINGS[name].default, origin: "default" });
  });
});

describe("the names of settings", () => {
  it("follow one rule in all places", () => {
    expect(namesOf("dataDir").map((name) => [name, variableOf(name), optionOf(name)])).toEqual([
      ["dataDir", "WORKRAIL_DATA_DIR", "--data-dir"],
      ["storagePath", "WORKRAIL_STORAGE_PATH", "--storage-path"],
    ]);
    expect([variableOf("contextCompression"), optionOf("contextCompression")]).toEqual([
      "WORKRAIL_CONTEXT_COMPRESSION",
      "--context-compression",
    ]);
  });

  it("are read from the command line with an equals sign between name and value, and without", () => {
    const { values } = readConfiguration({ env: {}, args: ["--storage-path", dataDir, "--max-depth", "5", "--max-keys=6"] });
    expect(values).toMatchObject({ dataDir, maxDepth: 5, maxKeys: 6 });
  });

  it.for<[string, readonly string[], string, string]>([
    ["a slip", ["--max-dept=5"], "There is no option --max-dept.", "Did you mean --max-depth?"],
    ["something else", ["--frobnicate", "5"], "There is no option --frobnicate.", "`workrail config list` lists all settings."],
    ["no option", ["5"], "There is no option 5.", "`workrail config list` lists all settings."],
    ["no value", ["--max-depth"], "--max-depth needs a value.", "Did you mean --max-depth?"],
  ])("are suggested on the command line for %s", ([, args, message, hint]) => {
    expect(readConfiguration({ env: {}, args, dataDir }).issues).toMatchObject([{ severity: "error", message, hint }]);
  });

  it("are suggested in the environment for likely typing errors, and other variables are ignored", () => {
    const env = { WORKRAIL_RETENTION_DAY: "0", WORKRAIL_SOMETHING_OF_MINE: "1", WORKRAIL_MAX_DEPHT: "" };
    expect(readConfiguration({ env, dataDir }).issues).toEqual([
      {
        severity: "warning",
        message: "WORKRAIL_RETENTION_DAY is ignored, because there is no such setting.",
        hint: "Did you mean WORKRAIL_RETENTION_DAYS?",
        field: "WORKRAIL_RETENTION_DAY",
      },
    ]);
  });
});

describe("config.json", () => {
  const issues = (): readonly object[] => readConfiguration({ env: {}, dataDir }).issues;

  it("may have comments, a trailing comma, a byte order mark, and a $schema", () => {
    write('\uFEFF// mine\n{\n  "$schema": "./schema.json", /* few */ "maxCheckpoints": 5,\n}\n');
    const configuration = readConfiguration({ env: {}, dataDir });
    expect(configuration).toMatchObject({ hasFile: true, issues: [], values: { maxCheckpoints: 5 } });
    expect(settingOf(configuration, "maxCheckpoints")).toMatchObject({ source: `${path.join(dataDir, CONFIG_FILE)}:3` });
  });

  it.each(["", " \n", "// nothing yet\n", "{}"])("may set nothing: %j", (text) => {
    write(text);
    expect(readConfiguration({ env: {}, dataDir })).toMatchObject({ hasFile: true, issues: [] });
  });

  it.each([
    ['{\n  "maxDepth": 5\n  "maxKeys": 6\n}', "It is not JSON with comments, comma expected", 3],
    ['{ "maxDepth": ', "It is not JSON with comments, value expected", 1],
    ["[1]", "It must be one JSON object", undefined],
    ['{\n"maxDepht": 5 }', "There is no setting maxDepht", 2],
    ['{\n\n"maxDepth": null }', "maxDepth must be a whole number from 1, not null", 3],
    ['{ "maxDepth": "5" }', 'maxDepth must be a whole number from 1, not "5"', 1],
    ['{ "maxDepth": [5] }', "maxDepth must be a whole number from 1", 1],
    ['{ "maxDepth": 5,\n"maxDepth": 6 }', "maxDepth is set twice", 2],
    ['{ "condenserUrl": "ftp://user:secret@a.example" }', "condenserUrl must be an address with http or https", 1],
    ['{ "condenserKey": 5 }', "condenserKey must be a text that is not empty", 1],
    ['{ "contextCompression": "advance" }', 'contextCompression must be basic or advanced, not "advance"', 1],
  ])("is reported with the line of each fault: %j", (text, message, line) => {
    write(text);
    const file = path.join(dataDir, CONFIG_FILE);
    const place = line === undefined ? file : `${file}, line ${line}`;
    expect(issues()).toMatchObject([{ severity: "error", message: `${message} (${place}).`, file }]);
  });

  it("suggests the most likely value", () => {
    write('{ "contextCompression": "advance" }');
    expect(issues()).toMatchObject([{ hint: "Did you mean advanced? Correct or remove contextCompression." }]);
  });

  it("is refused as a whole when a part of it is wrong, and every fault is reported", () => {
    write('{ "maxDepth": 0, "maxKeys": "many" }');
    expect(() => readSettings({}, { dataDir })).toThrow(
      expect.objectContaining({
        code: "INVALID_INPUT",
        details: expect.objectContaining({
          field: "maxDepth",
          line: 1,
          issues: [expect.objectContaining({ field: "maxDepth" }), expect.objectContaining({ field: "maxKeys" })],
        }),
      }),
    );
  });

  it("must be a regular file", () => {
    fs.mkdirSync(path.join(dataDir, CONFIG_FILE));
    expect(issues()).toMatchObject([{ severity: "error", message: expect.stringMatching(/^It is a symbolic link.*config\.json/u) }]);
  });

  it.skipIf(process.platform === "win32")("may not be a symbolic link, wherever it leads (not on Windows)", () => {
    const elsewhere = path.join(dataDir, "elsewhere.json");
    fs.writeFileSync(elsewhere, '{ "maxDepth": 5 }');
    for (const target of [elsewhere, "/dev/zero", path.join(dataDir, "nowhere")]) {
      fs.rmSync(path.join(dataDir, CONFIG_FILE), { force: true });
      fs.symlinkSync(target, path.join(dataDir, CONFIG_FILE));
      expect(issues()).toMatchObject([{ severity: "error", message: expect.stringContaining("a symbolic link or not a regular file") }]);
      expect(() => readSettings({}, { dataDir })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    }
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "causes only a warning when the whole directory cannot be read (skipped where everything can be read)",
    () => {
      write("{}");
      fs.chmodSync(dataDir, 0);
      expect(issues()).toMatchObject([{ severity: "warning" }]);
      fs.chmodSync(dataDir, 0o700);
      fs.chmodSync(path.join(dataDir, CONFIG_FILE), 0);
      expect(issues()).toMatchObject([{ severity: "error" }]);
    },
  );
});
