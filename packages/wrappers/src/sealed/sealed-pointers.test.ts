import { OBJECT_POINTER, decodeBlob, encodeUtf8, isObjectPointer, type BlobRef, type BlobStore, type Digest } from "@workrail/core";
import { describe, expect, it } from "vitest";

import { plainBlob } from "./forms.ts";
import { type BlobSealer, SealedBlobStore } from "./sealed-blob-store.ts";

const POINTER = encodeUtf8(`${OBJECT_POINTER}somewhere`);
const REF = "ref" as BlobRef;
const REFUSAL = { code: "STORAGE_UNAVAILABLE", details: { reason: "object-storage-not-set" } };

describe("a pointer to object storage", () => {
  it("is distinguished from the bytes of a blob", () => {
    expect([isObjectPointer(POINTER), isObjectPointer(encodeUtf8(OBJECT_POINTER))]).toEqual([true, true]);
    expect([isObjectPointer(POINTER.subarray(1)), isObjectPointer(POINTER.subarray(0, 5)), isObjectPointer(new Uint8Array())]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("is not reported as a damaged checkpoint when no object storage is set", async () => {
    const codec = { id: "none", encode: async (bytes: Uint8Array) => bytes, decode: async (bytes: Uint8Array) => bytes };
    const ports = { codec, digests: { sha256: () => "" as Digest }, limits: { maxContextBytes: 1_000 } };
    await expect(decodeBlob(ports, POINTER)).rejects.toMatchObject(REFUSAL);
  });

  it("is neither opened nor sealed as the blob of a sealed store", async () => {
    const inner = { get: async () => POINTER } as Partial<BlobStore> as BlobStore;
    const sealed = new SealedBlobStore(inner, {} as BlobSealer);
    await expect(sealed.get(REF)).rejects.toMatchObject(REFUSAL);
    await expect(plainBlob({ from: undefined, to: undefined }, REF, POINTER)).rejects.toMatchObject(REFUSAL);
  });
});
