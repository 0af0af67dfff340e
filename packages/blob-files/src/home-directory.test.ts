import os from "node:os";
import { expect, it } from "vitest";
import { homeDirectory } from "./home-directory.ts";

it.skipIf(process.platform === "win32")("homeDirectory is that of the user account when HOME is empty", () => {
  const before = process.env["HOME"];
  try {
    process.env["HOME"] = "/somewhere";
    expect(homeDirectory()).toBe("/somewhere");
    process.env["HOME"] = "";
    expect(homeDirectory()).toBe(os.userInfo().homedir);
  } finally {
    if (before === undefined) delete process.env["HOME"];
    else process.env["HOME"] = before;
  }
});
