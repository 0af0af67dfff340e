import { describe, expect, it } from "vitest";
import { credentialsFromEnvironment } from "./s3-credentials.ts";
import { readS3Place } from "./s3-place.ts";

const read = (address: string, environment: Record<string, string> = {}) => readS3Place(address, environment, "WORKRAIL_BLOBS");

describe("readS3Place", () => {
  it("finds AWS's endpoint by the region, with the bucket in the host's name", () => {
    expect(read("s3://team-blobs/work/rail?region=eu-central-1")).toEqual({
      endpoint: "https://s3.eu-central-1.amazonaws.com",
      region: "eu-central-1",
      bucket: "team-blobs",
      prefix: "work/rail/",
      style: "host",
    });
  });

  it("takes another endpoint, with the bucket in the path", () => {
    expect(read("s3://blobs?endpoint=http://garage.local:3900")).toEqual({
      endpoint: "http://garage.local:3900",
      region: "us-east-1",
      bucket: "blobs",
      prefix: "",
      style: "path",
    });
    expect(read("s3://blobs/?endpoint=https://minio.example&style=host").style).toBe("host");
  });

  it("takes parts missing in the address from AWS's variables", () => {
    const environment = { AWS_ENDPOINT_URL: "https://one.example", AWS_DEFAULT_REGION: "a-1" };
    expect(read("s3://blobs", environment)).toMatchObject({ endpoint: "https://one.example", region: "a-1" });
    const specific = { ...environment, AWS_ENDPOINT_URL_S3: "https://two.example", AWS_REGION: "b-2" };
    expect(read("s3://blobs", specific)).toMatchObject({ endpoint: "https://two.example", region: "b-2" });
    expect(read("s3://blobs?endpoint=https://three.example&region=c-3", specific)).toMatchObject({
      endpoint: "https://three.example",
      region: "c-3",
    });
  });

  it("puts a bucket with dots into the path, because no certificate covers its name", () => {
    expect(read("s3://blobs.example.com?region=a-1").style).toBe("path");
  });

  it.each([
    ["https://blobs", "is not an address that begins with s3://"],
    ["blobs", "is not an address that begins with s3://"],
    ["s3://", "has no valid bucket name"],
    ["s3://Blobs_1?region=a", "has no valid bucket name"],
    ["s3://blobs", "has no valid region, and neither has AWS_REGION"],
    ["s3://blobs/a b?region=a", "has a prefix with characters other than letters, digits, '.', '_', '-' and '/'"],
    ["s3://blobs/a//b?region=a", "has a prefix with characters other than letters, digits, '.', '_', '-' and '/'"],
    ["s3://blobs?regoin=a", 'has the unknown parameter "regoin"'],
    ["s3://blobs?region=a&style=dns", "has a style other than path and host"],
    ["s3://blobs?endpoint=ftp://host", "has an endpoint that is not an address of http or https"],
    ["s3://blobs?endpoint=https://host/path", "has an endpoint with a path"],
    ["s3://blobs?endpoint=https://user:hidden@host", "has an endpoint with a user name or a password"],
    ["s3://key:hidden@blobs?region=a", "holds a user name or a password, which belong in the environment"],
  ])("refuses %s", (address, why) => {
    expect(() => read(address)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message: `WORKRAIL_BLOBS ${why}.` }));
    expect(() => read(address)).not.toThrow(/hidden/u);
  });
});

describe("credentialsFromEnvironment", () => {
  it("reads AWS's variables, with a session token if there is one", () => {
    const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
    expect(credentialsFromEnvironment(keys)).toEqual({ accessKeyId: "id", secretAccessKey: "secret", sessionToken: undefined });
    expect(credentialsFromEnvironment({ ...keys, AWS_SESSION_TOKEN: "token" }).sessionToken).toBe("token");
  });

  it("refuses missing ones, without a word of the others", () => {
    expect(() => credentialsFromEnvironment({ AWS_SECRET_ACCESS_KEY: "secret" })).toThrow(/AWS_ACCESS_KEY_ID is not set/u);
    expect(() => credentialsFromEnvironment({ AWS_ACCESS_KEY_ID: "hidden" })).toThrow(/^(?!.*hidden).*AWS_SECRET_ACCESS_KEY is not set/u);
  });
});
