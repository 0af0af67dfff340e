import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets } from "@workrail/secrets";
import { readConversation } from "./read-conversation.ts";
import { readTurns } from "./read-turns.ts";
import { fileTopic, topicOf } from "./topic.ts";
import { transcriptPath } from "./transcript-path.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

function topic(given: string | undefined, conversation: unknown = "hello"): string {
  return topicOf(given, readTurns(readConversation(conversation)), findSecrets).topic;
}

describe("a topic", () => {
  it.each([
    ["words", "Authentication Implementation", "authentication-implementation"],
    ["punctuation and blanks", "  Fix: the (login)   redirect!! ", "fix-the-login-redirect"],
    ["a path upwards", "../../etc/passwd", "etc-passwd"],
    ["a path of Windows", "C:\\Windows\\System32", "c-windows-system32"],
    ["control characters and line breaks", "a\0b\u0007c\r\nd\u2028e", "a-b-c-d-e"],
    ["what turns the direction of a text", "safe\u202egpj.exe", "safe-gpj-exe"],
    ["apostrophes", "Don't lose the user’s data", "dont-lose-the-users-data"],
    ["accents", "Café Über Straße", "café-über-straße"],
    ["accents that are characters of their own", "Cafe\u0301", "café"],
    ["Japanese", "データベース接続を追加", "データベース接続を追加"],
    ["Cyrillic", "Добавить Аутентификацию", "добавить-аутентификацию"],
    ["Hindi, whose vowels are marks", "डेटाबेस कनेक्शन जोड़ें", "डेटाबेस-कनेक्शन-जोड़ें"],
    ["Arabic", "إضافة قاعدة بيانات", "إضافة-قاعدة-بيانات"],
    ["Persian, with joiners that are not seen", "می\u200cخواهم", "میخواهم"],
    ["emoji among words", "🚀 Ship it 👩‍👩‍👧 now ❤️", "ship-it-now"],
    ["a keycap", "Step 1️⃣", "step-1"],
    ["wide letters", "ＡＢＣ　１２３", "abc-123"],
    ["a name that Windows keeps for a device", "CON", "con"],
    ["dots and blanks at the end", "report. . .", "report"],
  ])("is made of %s", (_, given, expected) => {
    expect(topic(given)).toBe(expected);
  });

  it("has at most 100 characters, and ends with a word", () => {
    const long = topic("implement the authentication of users ".repeat(10));
    expect(long).toBe("implement-the-authentication-of-users-implement-the-authentication-of-users-implement-the");
    expect(Array.from(topic("x".repeat(300)))).toHaveLength(100);
    expect(Array.from(topic("𝒳読".repeat(300)))).toHaveLength(100);
  });

  it("has at most 50 characters in the name of a file", () => {
    expect(fileTopic("implement-the-authentication-of-users-implement-the-authentication")).toBe(
      "implement-the-authentication-of-users-implement",
    );
    expect(Array.from(fileTopic("接".repeat(100)))).toHaveLength(50);
  });

  it("is the first thing the user said when none is given", () => {
    const messages = [
      { role: "system", content: "You are helpful" },
      { role: "user", content: [{ type: "text", text: "```\n---\nAdd database connection\nand more" }] },
    ];
    expect(topic(undefined, messages)).toBe("add-database-connection");
    expect(topic("", messages)).toBe("add-database-connection");
    expect(topic("!!! 🎉", messages)).toBe("add-database-connection");
    expect(topic(undefined, "User: Implement authentication\nAI: Let's")).toBe("implement-authentication");
    expect(topic(undefined, "System: be nice\nUser:\n\n  Fix it")).toBe("fix-it");
  });

  it("is the first message of any speaker when the user wrote nothing", () => {
    expect(topic(undefined, [{ role: "assistant", content: "Hello there" }])).toBe("hello-there");
    expect(topic(undefined, "Notes of a meeting\nsecond line")).toBe("notes-of-a-meeting");
  });

  it("leaves out tags that hosts put around user input", () => {
    expect(topic(undefined, [{ role: "user", content: "<command-name>deploy</command-name> the shop" }])).toBe("deploy-the-shop");
  });

  it("contains no secret", () => {
    const secret = `ghp_${"aB3dE6gH9".repeat(4)}`;
    const found = topic(undefined, [{ role: "user", content: `Use ${secret} please` }]);
    expect(found).not.toContain(secret.toLowerCase().slice(0, 30));
    expect(found).toBe("use-token-1-please");
  });

  it("falls back to a fixed word, and reports it, for a conversation without letters and digits", () => {
    const turns = readTurns(readConversation("🎉🎉 !!!"));
    expect(topicOf(undefined, turns, findSecrets)).toEqual({ topic: "conversation", isFallback: true });
  });

  it("falls back silently when the conversation is empty", () => {
    expect(topicOf(undefined, readTurns(readConversation([])), findSecrets)).toEqual({ topic: "conversation", isFallback: false });
  });

  it("is a valid file name on every file system", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (given) => {
        const found = topic(given);
        expect(found).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*$/u);
        expect(found).not.toMatch(/--|-$/u);
        expect(Array.from(found).length).toBeLessThanOrEqual(100);
        const [name = ""] = transcriptPath(found, new Date(0)).names;
        expect(name).toMatch(/^session-19700101-000000-[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*\.md$/u);
        expect(new TextEncoder().encode(name.replace(".md", "-1000.md")).length).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe("the path of a transcript", () => {
  it("contains the UTC time in seconds and the topic, in a folder per day", () => {
    const { folders, names } = transcriptPath("authentication-implementation", new Date("2025-01-15T14:30:22.123Z"));
    expect(folders).toEqual([".codearchitect", "sessions", "2025-01-15"]);
    expect([...names][0]).toBe("session-20250115-143022-authentication-implementation.md");
  });

  it("has a counter up to 1,000 when the name is taken", () => {
    const names = [...transcriptPath("topic", new Date("2025-01-15T23:59:59.999Z")).names];
    expect(names.slice(1, 3)).toEqual(["session-20250115-235959-topic-1.md", "session-20250115-235959-topic-2.md"]);
    expect(names.at(-1)).toBe("session-20250115-235959-topic-1000.md");
    expect(names).toHaveLength(1_001);
  });
});
