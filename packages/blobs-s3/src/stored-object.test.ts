import type { BlobRef } from "@workrail/core";
import { assert, nat, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, folderOf, keyOf, newObject, pointedTo, pointerTo, quarantineKeyOf } from "./stored-object.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

const STORE = "0123456789abcdef".repeat(2);
const ref = string({ unit: anyCharacter, minLength: 1, maxLength: 400 }).map((text) => text as BlobRef);
const bytes = uint8Array({ maxLength: 300 });

describe("stored objects", () => {
  it("are read from their pointer", () => {
    assert(
      property(ref, bytes, (of, content) => {
        const object = newObject(STORE, of, content);
        expect(pointedTo(pointerTo(object))).toEqual(object);
        expect(object).toMatchObject({ digest: digestOf(content), sizeBytes: content.length });
      }),
    );
  });

  it("have unique keys of safe characters, in the folder of their ref", () => {
    assert(
      property(ref, ref, bytes, (one, other, content) => {
        const objects = [one, one, other].map((of) => newObject(STORE, of, content));
        const keys = objects.flatMap((object) => [keyOf(object), quarantineKeyOf(object)]);
        expect(new Set(keys).size).toBe(6);
        for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}\/(blobs|quarantine)\/[0-9a-f]{64}\/[0-9a-f]{64}\.[0-9a-f]{16}$/u);
        expect(objects[0]?.name.startsWith(`${folderOf(one)}/`)).toBe(true);
        expect(folderOf(one) === folderOf(other)).toBe(one === other);
      }),
    );
  });

  it("are not read from other bytes or a damaged pointer", () => {
    assert(
      property(ref, bytes, nat(), (of, content, at) => {
        expect(pointedTo(content)).toBeUndefined();
        const pointer = pointerTo(newObject(STORE, of, content));
        expect(pointedTo(pointer.subarray(0, at % pointer.length))).toBeUndefined();
        expect(pointedTo(Uint8Array.of(...pointer, 10))).toBeUndefined();
      }),
    );
  });
});
