import { WorkrailError } from "@workrail/core";
import { hash } from "node:crypto";
import { CHECKSUM, checksumOf, type S3Answer, type S3Requests } from "./s3-requests.ts";
import { elementsOf, entriesOf, escaped } from "./s3-xml.ts";

export interface ListedObject {
  /** Key without the prefix of the place. */
  readonly key: string;
  readonly sizeBytes: number;
  /** Age by the clock of the service. */
  readonly ageMs: number;
}

/** Most keys that one request deletes, as S3 has it. */
const MOST_DELETED = 1_000;

/** The operations on objects that blobs need. Keys are without the prefix of the place. */
export class S3Objects {
  readonly #requests: S3Requests;
  readonly #prefix: string;

  constructor(requests: S3Requests, prefix: string) {
    this.#requests = requests;
    this.#prefix = prefix;
  }

  /** Writes an object. The service refuses bytes that do not have the digest (SHA-256 in hexadecimal). */
  async put(key: string, bytes: Uint8Array, digest: string): Promise<void> {
    const headers = { [CHECKSUM]: checksumOf(digest) };
    await this.#requests.send({ method: "PUT", key, body: bytes, digest, headers });
  }

  /**
   * `undefined` when there is no such object.
   *
   * @param expected digest of the bytes. Others are returned only when the service does not know this digest either.
   */
  async get(key: string, expected?: string): Promise<Uint8Array | undefined> {
    const headers = { "x-amz-checksum-mode": "ENABLED" };
    return (await this.#requests.send({ method: "GET", key, headers, expected }))?.bytes;
  }

  /** Tells whether the bucket keeps versions of its objects, given one that exists. */
  async isVersioned(key: string): Promise<boolean> {
    return (await this.#requests.send({ method: "GET", key }))?.headers.has("x-amz-version-id") === true;
  }

  /** Removes objects. A missing one is not an error. A bucket with versions keeps them as such. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += MOST_DELETED) {
      await this.#deleteMany(keys.slice(from, from + MOST_DELETED).map((key) => ({ key })));
    }
  }

  /** Removes all versions of the objects with a prefix, but for those of `kept`. */
  async deleteVersions(prefix: string, kept: ReadonlySet<string>): Promise<void> {
    for await (const [, answer] of this.#pages("ListVersionsResult", { versions: "", prefix: this.#prefix + prefix })) {
      const entries = ["Version", "DeleteMarker"].flatMap((name) => entriesOf(answer, name));
      const versions = entries.map((entry) => ({ key: (entry["Key"] ?? "").slice(this.#prefix.length), versionId: entry["VersionId"] }));
      const needless = versions.filter(({ key }) => !kept.has(key));
      if (needless.length > 0) await this.#deleteMany(needless);
    }
  }

  /** Lists objects in the order of their keys. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const [{ headers }, answer] of this.#pages("ListBucketResult", { "list-type": "2", prefix: this.#prefix + prefix })) {
      const now = Date.parse(headers.get("date") ?? "");
      for (const { Key: key = "", Size: size, LastModified: at = "" } of entriesOf(answer, "Contents")) {
        // Without a time the object counts as new.
        const ageMs = now - Date.parse(at) || 0;
        yield { key: key.slice(this.#prefix.length), sizeBytes: Number(size), ageMs };
      }
    }
  }

  async #deleteMany(objects: readonly { readonly key: string; readonly versionId?: string | undefined }[]): Promise<void> {
    const wanted = objects.map(({ key, versionId }) => {
      const version = versionId === undefined ? "" : `<VersionId>${escaped(versionId)}</VersionId>`;
      return `<Object><Key>${escaped(this.#prefix + key)}</Key>${version}</Object>`;
    });
    const body = new TextEncoder().encode(`<Delete>${wanted.join("")}</Delete>`);
    // The checksum that every service takes here.
    const headers = { "content-md5": hash("md5", body, "base64"), "content-type": "application/xml" };
    const answer = textOf(await this.#requests.send({ method: "POST", query: { delete: "" }, headers, body, root: "DeleteResult" }));
    const [failed] = entriesOf(answer, "Error");
    if (failed !== undefined) throw notDeleted(failed["Code"]);
  }

  /** Asks for all pages of a listing. */
  async *#pages(root: string, query: Readonly<Record<string, string>>): AsyncGenerator<readonly [S3Answer, string]> {
    let next: Readonly<Record<string, string>> | undefined = {};
    while (next !== undefined) {
      const answer: S3Answer | undefined = await this.#requests.send({ method: "GET", query: { ...query, ...next }, root });
      if (answer === undefined) return;
      const text = textOf(answer);
      yield [answer, text];
      const following = nextPage(text);
      if (JSON.stringify(following) === JSON.stringify(next)) throw endless();
      next = following;
    }
  }
}

function nextPage(text: string): Readonly<Record<string, string>> | undefined {
  const found = elementsOf(text);
  if (found["IsTruncated"] !== "true") return undefined;
  const { NextContinuationToken: token, NextKeyMarker: key, NextVersionIdMarker: version } = found;
  if (token !== undefined) return { "continuation-token": token };
  return { "key-marker": key ?? "", ...(version === undefined ? {} : { "version-id-marker": version }) };
}

function textOf(answer: S3Answer | undefined): string {
  return new TextDecoder().decode(answer?.bytes);
}

/** A listing that names the same page again would never end. */
function endless(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The object storage repeats a page of a listing.", {
    details: { reason: "object-storage-refused" },
    hint: "Check whether the service is compatible with S3.",
  });
}

function notDeleted(code: string | undefined): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", `The object storage did not delete an object${code === undefined ? "" : ` (${code})`}.`, {
    details: { reason: "object-storage-refused" },
    hint: "Allow the credentials s3:DeleteObject, and in a bucket with versions s3:DeleteObjectVersion and s3:ListBucketVersions.",
  });
}
