import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const API = `"""Lists orders, newest first."""

from orders.store import ORDERS


def list_orders(page=1, size=10):
    ordered = sorted(ORDERS, key=lambda order: order["created"], reverse=True)
    begin = (page - 1) * size
    return {"orders": ordered[begin : begin + size], "page": page}
`;

const STORE = `"""Orders as the shop writes them. Several may have the same time."""

ORDERS = [{"id": number, "created": f"2026-01-{1 + number // 4:02}T08:00:00Z", "total": number * 5} for number in range(1, 41)]
`;

const TEST = `import unittest

from orders import api


class PagesTest(unittest.TestCase):
    def test_numbered_pages_stay(self):
        self.assertEqual([order["id"] for order in api.list_orders(page=2, size=3)["orders"]][:1], [38])


if __name__ == "__main__":
    unittest.main()
`;

const CURSOR_TEST = `import unittest

from orders import api, store


class CursorTest(unittest.TestCase):
    def all_ids(self, size):
        ids, cursor = [], None
        while True:
            answer = api.list_orders_after(cursor, size)
            ids += [order["id"] for order in answer["orders"]]
            cursor = answer["next"]
            if cursor is None:
                return ids

    def test_each_order_once(self):
        ids = self.all_ids(7)
        self.assertEqual(len(ids), len(set(ids)), f"{len(ids) - len(set(ids))} orders came twice")
        self.assertEqual(len(ids), 40, f"{40 - len(ids)} orders are missing")

    def test_refuses_a_forged_cursor(self):
        with self.assertRaisesRegex(ValueError, "not one of our cursors"):
            api.list_orders_after("garbage", 5)


if __name__ == "__main__":
    unittest.main()
`;

export const cursorPages: Scenario = {
  name: "cursor-pages",
  about: "A feature in Python with a compaction in the middle: the host's summary contains nothing useful.",
  hosts: ["claude-code"],
  files: {
    "orders/__init__.py": "",
    "orders/api.py": API,
    "orders/store.py": STORE,
    "tests/__init__.py": "",
    "tests/test_pages.py": TEST,
    ".gitignore": "__pycache__/\n",
    "docs/api.md": "# Orders\n\n`GET /orders?page=2&size=10`\n",
  },
  before: [
    {
      prompt: `We need cursor pagination for orders: list_orders_after(cursor, size) in orders/api.py. Cursors must be opaque to clients. Clients of the numbered pages exist, so list_orders(page, size) must go on working unchanged until version 3. orders/store.py is generated, do not edit it.

Tests first please, unittest only.`,
      turns: [
        planning("> tests/test_cursor.py", "- list_orders_after in orders/api.py", "- Opaque cursor: encode and check", "- docs/api.md"),
        reading("orders/api.py", "orders/store.py", "tests/test_pages.py"),
        running("python3 -m unittest -q"),
        writing("tests/test_cursor.py", CURSOR_TEST),
        running("python3 -m unittest -q 2>&1 | tail -8"),
        planning("x tests/test_cursor.py", "> list_orders_after in orders/api.py", "- Opaque cursor: encode and check", "- docs/api.md"),
        editing(
          "orders/api.py",
          {
            old: "from orders.store import ORDERS",
            new: `from orders.store import ORDERS


def list_orders_after(cursor, size=10):
    """A page of orders older than the cursor, and the cursor of the next one."""
    ordered = sorted(ORDERS, key=lambda order: order["created"], reverse=True)
    rest = [order for order in ordered if cursor is None or order["created"] < cursor]
    page = rest[:size]
    return {"orders": page, "next": page[-1]["created"] if len(rest) > size else None}`,
          },
          "The simplest form first: the cursor is the time of the last order.",
        ),
        running("python3 -m unittest -q 2>&1 | grep -E 'FAIL|Error|OK'"),
        {
          text: "As I feared: several orders share a time, and a cursor of the time alone skips the rest of them. I take the pair (created, id) as the key: id is unique and the order stays the same for the clients. An offset would be simpler but shifts when orders arrive between two pages.",
          calls: [
            {
              tool: "edit",
              path: "orders/api.py",
              old: '    ordered = sorted(ORDERS, key=lambda order: order["created"], reverse=True)\n    rest = [order for order in ordered if cursor is None or order["created"] < cursor]\n    page = rest[:size]\n    return {"orders": page, "next": page[-1]["created"] if len(rest) > size else None}',
              new: '    ordered = sorted(ORDERS, key=_key, reverse=True)\n    rest = [order for order in ordered if cursor is None or _key(order) < _decode(cursor)]\n    page = rest[:size]\n    return {"orders": page, "next": _encode(page[-1]) if len(rest) > size else None}\n\n\ndef _key(order):\n    return (order["created"], order["id"])\n\n\ndef _encode(order):\n    return base64.urlsafe_b64encode(json.dumps(_key(order)).encode()).decode()\n\n\ndef _decode(cursor):\n    return tuple(json.loads(base64.urlsafe_b64decode(cursor)))',
            },
          ],
        },
        running("python3 -m unittest -q 2>&1 | grep -E 'FAIL|Error|OK'"),
        editing("orders/api.py", {
          old: "from orders.store import ORDERS\n\n\ndef list_orders_after",
          new: "import base64\nimport json\n\nfrom orders.store import ORDERS\n\n\ndef list_orders_after",
        }),
        running("python3 -m unittest -q 2>&1 | grep -E 'FAIL|Error|OK'"),
        saying(
          "Each order comes once now. Left: a forged cursor raises binascii.Error instead of ValueError with our words, and docs/api.md.",
        ),
      ],
    },
    { prompt: "/compact", turns: [] },
    {
      prompt: "ok, next. one more requirement: size is at most 50, larger ones are cut without an error",
      turns: [
        reading("orders/api.py"),
        editing(
          "orders/api.py",
          { old: "    page = rest[:size]", new: "    page = rest[: min(size, MOST)]" },
          "The cut goes where the page is made.",
        ),
        running("python3 -m unittest -q 2>&1 | grep -E 'FAIL|Error|OK'"),
        saying(
          "Still red: NameError: name 'MOST' is not defined, and test_refuses_a_forged_cursor. Next step: MOST = 50 below the imports of orders/api.py and use it for `next` too, then _decode catches binascii.Error and JSONDecodeError and raises ValueError('not one of our cursors'). docs/api.md comes last. Undecided: should cursors be signed? Today a client can build one; it sees nothing it could not see anyway.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "no signing. go on",
      turns: [
        reading("orders/api.py"),
        editing("orders/api.py", {
          old: "from orders.store import ORDERS\n\n\ndef list_orders_after",
          new: "from orders.store import ORDERS\n\nMOST = 50\n\n\ndef list_orders_after",
        }),
        editing("orders/api.py", {
          old: "    return tuple(json.loads(base64.urlsafe_b64decode(cursor)))",
          new: '    try:\n        return tuple(json.loads(base64.urlsafe_b64decode(cursor)))\n    except ValueError as error:\n        raise ValueError("not one of our cursors") from error',
        }),
        running("python3 -m unittest -q 2>&1 | grep -E 'FAIL|Error|OK'"),
        reading("docs/api.md", "tests/test_cursor.py"),
        editing("docs/api.md", {
          old: "`GET /orders?page=2&size=10`",
          new: "`GET /orders?page=2&size=10`\n\n`GET /orders?after=CURSOR&size=10`; `size` is at most 50.",
        }),
        running("git status --short"),
        saying("All green, the page is written."),
      ],
    },
  ],
  questions: [
    { ask: "What is to be built?", expect: "list_orders_after" },
    { ask: "What must go on working, until when?", expect: /until version 3/i },
    { ask: "Which file must not be edited?", expect: "orders/store.py" },
    { ask: "What may cursors not be for clients?", expect: /opaque/i },
    { ask: "What was required later?", expect: /at most 50/i },
    { ask: "Which test fails?", expect: /test_refuses_a_forged_cursor/ },
    { ask: "With which message does the other failure come?", expect: /name 'MOST' is not defined/ },
    { ask: "Why the pair of time and id?", expect: /share a time|id is unique|\(created, id\)/ },
    { ask: "How are the tests run?", expect: "python3 -m unittest" },
    { ask: "What is undecided?", expect: /cursors be signed/i },
  ],
};
