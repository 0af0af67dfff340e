import { expect, it } from "vitest";
import { placeOf } from "./place-of.ts";

it.each([
  [undefined, "/data"],
  ["postgres://agent:secret@db.example:5433/team?sslmode=require&password=secret", "postgres://agent@db.example:5433/team"],
  ["postgres://db.example/team", "postgres://db.example/team"],
  ["postgres://agent:sec ret@[db", "a database"],
])("the place of the store %s is %s", (store, place) => {
  expect(placeOf({ store, dataDir: "/data" })).toBe(place);
});
