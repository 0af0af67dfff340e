import { invalidInput } from "@workrail/core";

/** Bucket of the blobs, and the address of its service. */
export interface S3Place {
  /** Address of the service, without the bucket, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys: empty, or ends with `/`. */
  readonly prefix: string;
  /** `path`: the bucket is the first part of the path. `host`: it is the first part of the host's name. */
  readonly style: "path" | "host";
}

type Environment = Readonly<Record<string, string | undefined>>;

const FORM = "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&style=path";
const PARAMETERS: ReadonlySet<string> = new Set(["endpoint", "region", "style"]);
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u;
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/u;
const REGION = /^[a-z0-9-]{1,64}$/u;

/**
 * Reads an address such as `s3://bucket/prefix?endpoint=https://host&region=eu-central-1`. AWS's environment variables supply the parts
 * that the address omits.
 *
 * @param field name of the setting, for the error.
 * @throws INVALID_INPUT for an address that is wrong or holds a password.
 */
export function readS3Place(address: string, environment: Environment, field: string): S3Place {
  const wrong = (why: string): Error => invalidInput(field, `${field} ${why}.`, `Give an address of the form ${FORM}.`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "s3:") throw wrong("is not an address that begins with s3://");
  if (url.username !== "" || url.password !== "") throw wrong("holds a user name or a password, which belong in the environment");
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw wrong(`has the unknown parameter ${JSON.stringify(unknown)}`);
  const bucket = url.hostname;
  if (!BUCKET.test(bucket) || url.port !== "") throw wrong("has no valid bucket name");
  const prefix = url.pathname.replace(/^\/+|\/+$/gu, "").replace(/$/u, "/");
  if (prefix !== "/" && !PREFIX.test(prefix)) throw wrong("has a prefix with characters other than letters, digits, '.', '_', '-' and '/'");
  const endpoint = url.searchParams.get("endpoint") ?? environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"];
  const given = url.searchParams.get("region") ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"];
  // Most other services accept any region, and expect this one by default.
  const region = given ?? (endpoint === undefined ? undefined : "us-east-1");
  if (region === undefined || !REGION.test(region)) throw wrong("has no valid region, and neither has AWS_REGION");
  const style = url.searchParams.get("style") ?? (endpoint === undefined && !bucket.includes(".") ? "host" : "path");
  if (style !== "path" && style !== "host") throw wrong("has a style other than path and host");
  const base = { region, bucket, prefix: prefix === "/" ? "" : prefix, style } as const;
  return { ...base, endpoint: endpointOf(endpoint ?? `https://s3.${region}.amazonaws.com`, wrong) };
}

function endpointOf(text: string, wrong: (why: string) => Error): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) throw wrong("has an endpoint that is not an address of http or https");
  if (url.username !== "" || url.password !== "") throw wrong("has an endpoint with a user name or a password");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") throw wrong("has an endpoint with a path");
  return url.origin;
}
