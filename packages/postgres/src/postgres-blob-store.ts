import { hash, randomUUID } from "node:crypto";
import { blobRefOf } from "@workrail/blob-files";
import type { BlobInfo, BlobKey, BlobRef, BlobStore, QuarantinedBlob } from "@workrail/core";
import { sql } from "kysely";
import { ask } from "./ask.ts";
import { isListed } from "./queries/checkpoint-conditions.ts";
import { prepared, preparedRows } from "./queries/prepared.ts";
import { builder } from "./queries/query-builder.ts";
import type { StoredTables } from "./schema.ts";
import type { Transactions } from "./transactions.ts";

/** Blobs that are listed at once. */
const PAGE = 1_000;

const SIZE = sql<number>`octet_length(bytes)`.as("size");

const BYTES = prepared((tenant: string, { ref }: { readonly ref: BlobRef }) => {
  return builder.selectFrom("blob").select("bytes").where("tenant_id", "=", tenant).where("ref", "=", ref);
});

const INSERT = preparedRows((rows: readonly StoredTables["blob"][]) => {
  const insertion = builder.insertInto("blob").values(rows);
  return insertion.onConflict((conflict) => conflict.doNothing()).returning("ref");
});

const REPLACE = preparedRows((rows: readonly StoredTables["blob"][]) => {
  const insertion = builder.insertInto("blob").values(rows);
  return insertion.onConflict((conflict) => {
    return conflict.columns(["tenant_id", "ref"]).doUpdateSet((eb) => ({ bytes: eb.ref("excluded.bytes") }));
  });
});

/** Blobs in a table of the catalog's database. Within a change of the catalog, they change in its transaction. */
export class PostgresBlobStore implements BlobStore {
  readonly sharesTransaction = true;
  readonly #tenant: string;
  readonly #transactions: Transactions;
  readonly #namesSessions: boolean;

  /** @param namesSessions false for a store from before migration 0006. */
  constructor(tenant: string, transactions: Transactions, namesSessions: boolean) {
    this.#tenant = tenant;
    this.#transactions = transactions;
    this.#namesSessions = namesSessions;
  }

  /** The ref is that of a data directory, because a sealed blob opens only under its ref. */
  refOf(key: BlobKey): BlobRef {
    return this.#namesSessions ? blobRefOf(key) : (hash("sha256", `${key.sessionId}/${key.checkpointId}`, "hex") as BlobRef);
  }

  async put(key: BlobKey, bytes: Uint8Array, options: { readonly ifAbsent?: boolean } = {}): Promise<BlobRef | undefined> {
    const ref = this.refOf(key);
    if (options.ifAbsent !== true) {
      await this.replace(ref, bytes);
      return ref;
    }
    const insert = INSERT([{ tenant_id: this.#tenant, ref, bytes }]);
    const rows = await this.#transactions.run((connection) => ask(connection, insert));
    return rows.length === 0 ? undefined : ref;
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    const replace = REPLACE([{ tenant_id: this.#tenant, ref, bytes }]);
    await this.#transactions.run((connection) => ask(connection, replace));
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    const [row] = await this.#transactions.reading((connection) => ask(connection, BYTES(this.#tenant, { ref })));
    return row === undefined ? undefined : Uint8Array.from(row.bytes);
  }

  async remove(refs: readonly BlobRef[]): Promise<void> {
    await this.#delete("blob", refs);
  }

  /** The database may keep deleted bytes until its pages and its log are written anew. */
  async erase(refs: readonly BlobRef[]): Promise<void> {
    await this.#delete("blob", refs);
    await this.#delete("quarantine", refs);
  }

  async quarantine(ref: BlobRef): Promise<string | undefined> {
    const place = `${ref}.${randomUUID()}`;
    const move = builder
      .with("moved", (db) => db.deleteFrom("blob").where("tenant_id", "=", this.#tenant).where("ref", "=", ref).returning("bytes"))
      .insertInto("quarantine")
      .columns(["tenant_id", "place", "ref", "bytes"])
      .expression((eb) =>
        eb
          .selectFrom("moved")
          .select([eb.val(this.#tenant).as("tenant_id"), eb.val(place).as("place"), eb.val<string>(ref).as("ref"), "bytes"]),
      )
      .returning("place");
    const rows = await this.#transactions.run((connection) => ask(connection, move));
    return rows.length === 0 ? undefined : placeOf(place);
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    for (let after = ""; ;) {
      const query = builder.selectFrom("quarantine").select(["place", SIZE]).where("tenant_id", "=", this.#tenant);
      const rows = await this.#transactions.run((connection) =>
        ask(connection, query.where("place", ">", after).orderBy("place").limit(PAGE)),
      );
      for (const { place, size } of rows) yield { place: placeOf(place), sizeBytes: size };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.place;
    }
  }

  async *list(): AsyncGenerator<BlobInfo> {
    for (let after = ""; ;) {
      const query = builder.selectFrom("blob").select(["ref", SIZE]).where("tenant_id", "=", this.#tenant);
      const rows = await this.#transactions.run((connection) => ask(connection, query.where("ref", ">", after).orderBy("ref").limit(PAGE)));
      for (const { ref, size } of rows) yield { ref: ref as BlobRef, sizeBytes: size };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.ref;
    }
  }

  /** The database removes what interrupted statements wrote. */
  async removeAbandoned(): Promise<number> {
    return 0;
  }

  async #delete(table: "blob" | "quarantine", refs: readonly BlobRef[]): Promise<void> {
    const removal = builder
      .deleteFrom(table)
      .where("tenant_id", "=", this.#tenant)
      .where((eb) => isListed(eb.ref("ref"), refs));
    await this.#transactions.run((connection) => ask(connection, removal));
  }
}

function placeOf(place: string): string {
  return `row ${place} of the table quarantine`;
}
