import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** One Markdown handover of a game localisation into Japanese, with a decision table and the last session at its end. */

const glossary = many(
  801,
  95,
  (i, pick) =>
    `| ${pick(["Ember", "Ash", "Wick", "Tallow", "Hollow", "Mire", "Lantern", "Bell", "Salt", "Moth"])} ${pick(["Warden", "Gate", "Road", "Charm", "Keeper", "Market", "Song", "Shrine", "Ferry"])} ${i} | ${pick(["残り火の", "灰の", "灯心の", "獣脂の", "虚ろの", "泥沼の", "灯籠の", "鐘の", "塩の", "蛾の"])}${pick(["番人", "門", "街道", "護符", "守り手", "市", "歌", "社", "渡し"])} | ${pick(["固有名詞", "アイテム", "地名", "敵", "スキル"])} | ${pick(["確定", "確定", "確定", "仮", "要確認"])} |`,
).join("\n");

const strings = many(
  802,
  110,
  (i, pick) =>
    `| ${pick(["ui", "quest", "item", "bark", "tutorial"])}.${String(1000 + i)} | ${pick(["Do you want to leave?", "The bell rings twice.", "You found a moth.", "Not enough oil.", "Someone is at the gate.", "Rest until dawn"])} | ${pick(["立ち去りますか？", "鐘が二度鳴った。", "蛾を見つけた。", "油が足りない。", "門に誰かいる。", "夜明けまで休む"])} | ${pick(["済", "済", "済", "校正待ち"])} | ${pick(["", "", "字数ok", "改行注意", "v1.2から流用"])} |`,
).join("\n");

const lqa = many(
  803,
  60,
  (i, pick, whole) =>
    `- LQA-${200 + i} [${pick(["閉", "閉", "閉", "保留"])}] ${pick(["第1章", "第2章", "第3章", "メニュー", "図鑑", "戦闘"])}：${pick(["改行位置がおかしい", "ルビが重なる", "話者名が英語のまま", "句点抜け", "半角カナ混入", "文字がはみ出す"])}（${pick(["Switch", "PC", "両方"])}、ビルド #${280 + whole(38)}）`,
).join("\n");

const book = `# 『Lanternfall』日本語版 引き継ぎ書

最終更新：6月24日　担当：日本語チーム（翻訳エージェント）

## 1. 概要

英語のインディーRPGを日本語にする案件。今回の目標は、パッチ1.3の日本語テキスト全9,640行を7月10日に開発元へ納品すること。1.2までの分は発売済み。

- ファイルは \`loc/ja/\` 以下、1章1ファイルのCSV。
- 列：key / en / ja / speaker / note
- 連絡はすべて共有シート「質問票」に書く。開発元の返事は翌営業日。
- 変数 {player_name} や <wave> などのタグは絶対に変更しないこと。1.1で一度消してしまい、発売日にクラッシュした。
- 三点リーダーは「……」、ダッシュは「――」。

## 2. 進み具合

| ファイル | 行数 | 状態 |
|---|---|---|
| ch01_dialogue.csv | 1,204 | 完了 |
| ch02_dialogue.csv | 1,377 | 完了 |
| ch03_dialogue.csv | 1,150 | 完了 |
| ch04_dialogue.csv | 1,018 | 完了・凍結（下記） |
| ch05_dialogue.csv | 1,290 | 完了、校正待ち |
| ch06_dialogue.csv | 1,466 | 作業中 |
| ui_strings.csv | 1,310 | 翻訳済、字数超過あり |
| items.csv | 825 | 完了 |

第4章は音声収録済みのため、台詞の変更は一切禁止。誤字を見つけても直さず、質問票に書くだけにする。

## 3. 用語集（抜粋）

| 英 | 日 | 種類 | 状態 |
|---|---|---|---|
${glossary}

## 4. 決定記録

| 番号 | 日付 | 決定 | 状態 |
|---|---|---|---|
| D-003 | 4/02 | 章題は漢字のみ | 有効 |
| D-009 | 4/11 | 主人公の一人称は「俺」 | D-017で廃止 |
| D-012 | 4/28 | 地名は意訳する（音訳しない） | 有効 |
| D-015 | 5/09 | 商人は関西弁にしない | 有効 |
| D-017 | 5/20 | 主人公の一人称は「僕」に統一（開発元の年齢設定が16歳に変更） | 有効 |
| D-020 | 6/03 | 数字は全角、二桁以上は半角 | 有効 |

## 5. 文字列一覧（作業ツールの出力そのまま）

| key | en | ja | 状態 | 備考 |
|---|---|---|---|---|
${strings}

## 6. LQA

${lqa}

制限：ボタンの文字数は全角8文字まで（携帯モードで9文字目から切れる）。会話窓は全角22文字×3行。

## 7. 未処理

- [x] 図鑑の並び順を五十音に
- [x] 実績名の申請
- [ ] フォントにない漢字11字の一覧を開発元の Petra に送る（「蠟」「燻」ほか、\`missing_glyphs.txt\` にある）
- [ ] エンドロールの表記は開発元待ち

## 8. 前回のセッション（6月24日）

午前、ビルド #318 に ui_strings.csv を入れたら取り込みに失敗した。「line 1: unknown column」と出るが、列は正しい。原因は BOM 付き UTF-8 で保存していたこと。表計算ソフトで開くと付くので、必ず BOM なしで書き出す。#319 で通った。

午後は ch06_dialogue.csv を 611行目まで訳した。次は ch06_dialogue.csv の 612行目（灯台の場面、話者は老女ヨルン）から再開する。ヨルンは古風な語尾「〜じゃ」ではなく、丁寧語で。それが終わったら ui_strings の字数超過23件を直す。ボタンだけ先に。

夕方、監修の三浦さんから連絡：「Mist」の訳は「霧」ではなく「靄（もや）」にそろえてほしい、とのこと。5章と6章に合わせて37か所。まだ置換していない（第4章にも2か所あるが、上の理由で触らない）。
`;

export const state: WorkingState = {
  name: "handover-localisation",
  language: "ja",
  kind: "game localisation; one Markdown handover with decision table, Japanese",
  focus: "第6章の翻訳を再開する",
  human:
    "『Lanternfall』パッチ1.3の日本語全9,640行を7月10日に納品。タグや {player_name} は絶対に変更しない。第4章は音声収録済み、変更は一切禁止。D-017：主人公の一人称は「僕」に統一（「俺」は廃止）。次は ch06_dialogue.csv の 612行目から再開（ヨルンは丁寧語）。その後 ui_strings の字数超過23件、ボタンは全角8文字まで。未処理：フォントにない漢字11字の一覧を Petra に送る。#318 取り込み失敗の原因は BOM 付き UTF-8、BOM なしで書き出す。三浦さん：Mist は「霧」ではなく「靄」、5・6章37か所、未置換。",
  questions: [
    { kind: "goal", q: "何をいつ納品するか", answer: ["9,640行を7月10日"] },
    { kind: "prohibition", q: "変えてはいけない記号は", answer: ["player_name\\}[\\s\\S]{0,30}?絶対に変更しない"] },
    { kind: "prohibition", q: "第4章について禁止されていること", answer: ["第4章は音声収録済み[\\s\\S]{0,20}?禁止"] },
    { kind: "decision", q: "主人公の一人称は", answer: ["一人称は「僕」"] },
    { kind: "next", q: "どこから再開するか", answer: ["ch06_dialogue\\.csv の 612行目"] },
    { kind: "next", q: "その次に直すものは", answer: ["字数超過23件"] },
    { kind: "todo", q: "Petraに送るものは", answer: ["漢字11字の一覧"] },
    { kind: "error", q: "取り込み失敗の原因は", answer: ["BOM 付き UTF-8"] },
    { kind: "fact", q: "ボタンの文字数制限", answer: ["ボタン[\\s\\S]{0,12}?全角8文字まで"] },
    { kind: "recent", q: "三浦さんの最後の依頼", answer: ["「霧」ではなく「靄"] },
  ],
  context: {
    format: "markdown",
    path: "docs/HANDOVER.ja.md",
    rev: 41,
    handover: book,
  },
};
