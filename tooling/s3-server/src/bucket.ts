/** One version of an object. */
export interface Version {
  readonly id: string;
  /** `undefined`: a delete marker. */
  readonly bytes: Buffer | undefined;
  readonly at: Date;
  /** Checksum headers that came with the object. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Objects of one bucket, by key; with `isVersioned`, with all their versions. */
export class Bucket {
  readonly #isVersioned: boolean;
  /** Versions of each key, the newest last. */
  readonly #objects = new Map<string, Version[]>();
  #versions = 0;

  constructor(isVersioned: boolean) {
    this.#isVersioned = isVersioned;
  }

  get isVersioned(): boolean {
    return this.#isVersioned;
  }

  get(key: string): Version | undefined {
    const newest = this.#objects.get(key)?.at(-1);
    return newest?.bytes === undefined ? undefined : newest;
  }

  put(key: string, version: Omit<Version, "id">): Version {
    const made = { ...version, id: `v${++this.#versions}` };
    const before = this.#isVersioned ? (this.#objects.get(key) ?? []) : [];
    this.#objects.set(key, [...before, made]);
    return made;
  }

  /** Removes a version, or the object: in a versioned bucket by a delete marker. True when that left one. */
  delete(key: string, versionId: string | undefined, at: Date): boolean {
    if (versionId !== undefined) {
      const rest = (this.#objects.get(key) ?? []).filter(({ id }) => id !== versionId);
      if (rest.length === 0) this.#objects.delete(key);
      else this.#objects.set(key, rest);
      return false;
    }
    if (this.#isVersioned) this.put(key, { bytes: undefined, at, checksums: {} });
    else this.#objects.delete(key);
    return this.#isVersioned;
  }

  /** Makes everything in the bucket older. */
  age(ms: number): void {
    for (const [key, versions] of this.#objects) {
      const older = versions.map((version) => ({ ...version, at: new Date(version.at.getTime() - ms) }));
      this.#objects.set(key, older);
    }
  }

  /** Lists objects in the order of their keys. */
  list(prefix: string): readonly (readonly [string, Version])[] {
    return this.listVersions(prefix).filter(([key, version]) => this.get(key) === version);
  }

  /** Lists all versions in the order of their keys. */
  listVersions(prefix: string): readonly (readonly [string, Version])[] {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    return keys.flatMap((key) => (this.#objects.get(key) ?? []).toReversed().map((version) => [key, version] as const));
  }
}
