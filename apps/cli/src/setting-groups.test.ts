import { SETTING_NAMES } from "@workrail/runtime/settings";
import { expect, it } from "vitest";
import { settingGroups } from "./setting-groups.ts";

it("settingGroups puts each setting into one group, and none among the others", () => {
  const groups = settingGroups();
  expect(groups.flatMap(({ names }) => names).toSorted()).toEqual([...SETTING_NAMES].toSorted());
  expect(groups.map(({ title }) => title)).not.toContain("Others");
});
