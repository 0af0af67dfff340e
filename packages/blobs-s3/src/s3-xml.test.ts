import { expect, it } from "vitest";
import { elementsOf, entriesOf, escaped } from "./s3-xml.ts";

it("reads the entries of an answer, whatever else it holds", () => {
  const answer = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><IsTruncated>true</IsTruncated>
<Contents><Key>a&amp;b&lt;&#x41;&#10;</Key><Owner><ID>1</ID></Owner><Size>3</Size></Contents><Contents><Key>c</Key><Size>0</Size></Contents></ListBucketResult>`;
  expect(entriesOf(answer, "Contents")).toEqual([
    { Key: "a&b<A\n", ID: "1", Size: "3" },
    { Key: "c", Size: "0" },
  ]);
  expect(elementsOf(answer)["IsTruncated"]).toBe("true");
  expect(entriesOf(answer, "Error")).toEqual([]);
});

it("escapes written text so that it is read back unchanged", () => {
  const text = `a<b>&"c"&amp;`;
  expect(elementsOf(`<Key>${escaped(text)}</Key>`)["Key"]).toBe(text);
});
