import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FaultPlan, Faults, withFaults } from "./faults.ts";

const plan = (given: Partial<FaultPlan>): FaultPlan => ({ kind: "fails", at: 1, persistent: false, code: "EIO", ...given });

describe("withFaults", () => {
  let folder: string;
  let file: string;
  let faults: Faults;
  let files: typeof fs;

  beforeAll(async () => {
    folder = await fs.mkdtemp(path.join(tmpdir(), "workrail-faults-"));
    file = path.join(folder, "file");
  });
  afterAll(() => fs.rm(folder, { recursive: true }));
  beforeEach(async () => {
    await fs.writeFile(file, "before");
    faults = new Faults();
    files = withFaults(fs, faults);
  });

  const content = (): Promise<string> => fs.readFile(file, "utf8");

  it("passes everything on until it is armed, and after it is disarmed", async () => {
    expect(await files.readFile(file, "utf8")).toBe("before");
    faults.arm(plan({ persistent: true }));
    faults.disarm();
    expect(await files.readFile(file, "utf8")).toBe("before");
    expect(faults.struck).toBe(false);
  });

  it("fails the nth operation, without effect, and none after it", async () => {
    faults.arm(plan({ at: 2, code: "ENOSPC" }));
    await files.readFile(file);
    await expect(files.rm(file)).rejects.toMatchObject({ code: "ENOSPC", syscall: "rm" });
    expect(await content()).toBe("before");
    await files.readFile(file);
    expect(faults.struck).toBe(true);
  });

  it("keeps failing when the fault is persistent", async () => {
    faults.arm(plan({ at: 2, persistent: true }));
    await files.readFile(file);
    for (let count = 0; count < 3; count++) await expect(files.readFile(file)).rejects.toMatchObject({ code: "EIO" });
  });

  it("performs an operation, and reports a failure", async () => {
    faults.arm(plan({ kind: "fails-after" }));
    await expect(files.writeFile(file, "after")).rejects.toMatchObject({ code: "EIO" });
    expect(await content()).toBe("after");
  });

  it("stores a part of the written bytes", async () => {
    faults.arm(plan({ kind: "tears" }));
    await files.stat(file);
    await expect(files.writeFile(file, Buffer.from("after!"))).rejects.toMatchObject({ code: "EIO" });
    expect(await content()).toBe("aft");
  });

  it("writes a part through a file handle, and reports its length", async () => {
    const handle = await files.open(file, "r+");
    faults.arm(plan({ kind: "takes-less" }));
    expect((await handle.write(Buffer.from("AFTER!"))).bytesWritten).toBe(3);
    await handle.close();
    expect(await content()).toBe("AFTore");
  });

  it("performs nothing after a crash except closing", async () => {
    const handle = await files.open(file, "r+");
    faults.arm(plan({ kind: "crashes", at: 2 }));
    await handle.write(Buffer.from("B"));
    await expect(handle.write(Buffer.from("C"))).rejects.toThrow("injected");
    await expect(files.rm(file)).rejects.toThrow("injected");
    await handle.close();
    expect(await content()).toBe("Before");
  });

  it("throws where operations are synchronous", async () => {
    const counter = { count: 0, add: () => ++counter.count, addSoon: async () => ++counter.count };
    const wrapped = withFaults(counter, faults, { throws: true });
    expect(wrapped.add()).toBe(1);
    faults.arm(plan({}));
    expect(() => wrapped.add()).toThrow("injected");
    faults.arm(plan({ kind: "fails-after" }));
    await expect(wrapped.addSoon()).rejects.toThrow("injected");
    expect(counter.count).toBe(2);
  });
});
