import type { Digest } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { TextCipher } from "./text-cipher.ts";

describe("texts sealed with a known key", () => {
  const cipher = new TextCipher(Buffer.alloc(32, 0xab));

  it.each([
    ["needle", "s1.fE_fCQIB0SFVRGswhYyuWqpqfTctObBcWOvFaj6tsl_KSTI"],
    ["\ud800", "s1.OQDKG_hm47H0vGC_NoJ_jRn-cQgFxXjTwaz06jiM16-uD7_k6g"],
  ])("are the same in every version: %j", (text, sealed) => {
    expect(cipher.seal(text)).toBe(sealed);
    expect(cipher.open(sealed)).toBe(text);
  });

  it("have the same digests in every version", () => {
    expect(cipher.sealDigest("00".repeat(32) as Digest)).toBe("872e7ae412d340ef9f145653312825c01ec435a9d13512f1adcf86437a59536a");
    expect(cipher.authenticate("needle")).toBe("f85993e6bab31c492a1d6d3d143abc5ca33a416f9cd3b69835af36baeaf343cb");
  });
});
