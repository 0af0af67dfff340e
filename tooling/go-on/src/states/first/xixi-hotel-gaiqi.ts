import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Turn {
  readonly who: string;
  readonly at: string;
  readonly say: string;
}
const turn = (who: string, at: string, say: string): Turn => ({ who, at, say });

const policy = `# 云栖酒店集团 在线客服处理规范(2025年第2版)

## 一、总则
1. 客服一次只处理一位客人的事项，语气亲切，称呼"您"。
2. 查询订单之前须核对订单号与预订手机号后四位。
3. 凡是会改动订单的操作(改期、换房型、加床、取消)，须先把日期、房型、价格逐项复述给客人；客人明确回复"确认"以前，不得提交。
4. 客服不得承诺规范之外的优惠，不得评论其他平台的价格。
5. 工具一次只能调用一个，调用期间不回复客人。

## 二、改期
1. 预付价订单不可改期，灵活价(FLEX24、FLEX48)可改期一次。
2. 改期后房价按新日期当天的牌价重新计算，差价多退少补。
3. 差价只能走原支付渠道，或者由客人选择到店付；礼品卡不用于差价。
4. 新日期任意一晚无房时，整单不能改期，可建议换房型。
5. 法定假日(5月1日至5日)改期须在原入住日前48小时提出。

## 三、取消
1. FLEX24 在入住日前24小时可免费取消，FLEX48 为48小时。
2. 超过时限取消，收取首晚房费。
3. 客人因天气、航班取消而不能到店的，凭证明可申请减免，由值班经理批准。

## 四、加床与儿童
1. 高级双床房可加一张床，每晚120元，套房免费加一张。
2. 身高1.2米以下儿童不占床免早餐费，每间限一名。
3. 婴儿床免费，视库存提供。

## 五、积分与会员
1. 银卡会员延迟退房至13点，金卡至14点，视房态。
2. 积分可兑换房晚，每晚9000分起；已付款订单的差价不可用积分抵扣。
3. 会员等级在离店后48小时更新。

## 六、发票
1. 电子普通发票在离店后开具，专用发票须提供抬头、税号、地址电话、开户行。
2. 代订平台付款的订单由平台开票。

## 七、隐私
1. 不得向第三人透露客人是否入住、房号、同行人。
2. 来电自称家属、同事的，一律请其直接联系客人。
3. 公安机关查询转值班经理。

## 八、转接
1. 客人要求赔偿超过500元、涉及人身安全或媒体的，转人工主管。
2. 其余事项自行处理完毕。
`;

const rooms = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) =>
    JSON.stringify({
      date: `2025-05-${String(1 + (i % 9)).padStart(2, "0")}`,
      hotel: pick(["HZ-XIXI", "HZ-XIXI", "HZ-WULIN"]),
      type: pick(["高级大床", "高级双床", "豪华大床", "湿地景观套房", "亲子主题"]),
      rate_code: pick(["FLEX24", "FLEX48", "PREPAY", "MEMBER"]),
      price: 468 + whole(60) * 10,
      left: whole(9),
      breakfast: pick([0, 1, 2]),
    }),
  ).join("\n");

/** A hotel booking agent's state in a conversation with a guest who moves a stay to other dates, stopped while it waits for her confirmation. */
export const state: WorkingState = {
  name: "xixi-hotel-gaiqi",
  language: "zh",
  kind: "酒店预订客服; 规范全文、与客人的对话、工具记录",
  focus: "等客人确认后提交改期",
  human:
    '客人周女士(金卡，订单HT-50381，杭州西溪店两间房)要把5月1日至3日改为5月6日至9日。她还没有确认，明确回复"确认"以前不得提交改期。她前夫在打听行程，任何人来问，不得透露入住信息和房号。原来的家庭房报错ROOM_SOLD_OUT(5月7日无房)，已商定改成两间高级双床房，其中一间加床。差价612元走原来的微信支付，不能用积分。确认后：调用modify_booking,房价代码FLEX24；成功后再调用add_extra_bed,三晚，每晚120元。免费取消截止到5月5日18:00。待补：专用发票的税号和开户行，客人稍后发。客人刚说：要夜里11点半以后才到，请保留房间。',
  questions: [
    { q: "客人要办什么?", kind: "goal", answer: ["HT-50381", "5月6日"] },
    {
      q: "现在可以提交吗?",
      kind: "prohibition",
      answer: [
        '(?:确认\\S{0,4}|确认"?)(?:以前|之前|前)[\\s\\S]{0,20}?(?:不得|不能|不要|别)提交|(?:不得|不能|不要|别)提交[\\s\\S]{0,40}?确认',
      ],
    },
    { q: "谁来问也不能说什么?", kind: "prohibition", answer: ["前夫[\\s\\S]{0,120}?(?:不得|不要|不能|别)[\\s\\S]{0,20}?(?:透露|告诉)"] },
    { q: "改成什么房?", kind: "decision", answer: ["两间高级双床"] },
    { q: "第一次改期为什么失败?", kind: "error", answer: ["ROOM_SOLD_OUT", "家庭房|亲子家庭|FAMILY"] },
    { q: "确认后先调用什么，用哪个房价代码?", kind: "next", answer: ["modify_booking[\\s\\S]{0,80}?FLEX24"] },
    { q: "成功之后呢?", kind: "next", answer: ["add_extra_bed"] },
    { q: "发票还缺什么?", kind: "todo", answer: ["税号[\\s\\S]{0,60}?(?:稍后|待|还没|未|缺)|(?:稍后|待|还没|未|缺)[\\s\\S]{0,60}?税号"] },
    { q: "客人最后说什么时候到?", kind: "recent", answer: ["11点半[\\s\\S]{0,40}?(?:到|保留)"] },
    { q: "差价多少，怎么付?", kind: "fact", answer: ["612元[\\s\\S]{0,60}?微信|微信[\\s\\S]{0,60}?612元"] },
  ],
  context: {
    role: "云栖酒店集团在线客服",
    policy_text: policy,
    customer: {
      name: "周女士",
      phone_tail: "3307",
      tier: "金卡",
      points: 15_240,
      since: "2019-08",
      tags: ["带孩子", "低楼层"],
      past_orders: many(901, 16, (i, pick, whole) => ({
        id: `HT-${30_000 + i * 977 + whole(900)}`,
        hotel: pick(["杭州武林店", "苏州平江店", "上海徐汇店", "杭州西溪店"]),
        nights: 1 + whole(3),
        paid: 400 + whole(150) * 10,
        status: pick(["已离店", "已离店", "已取消"]),
      })),
    },
    dialogue: [
      turn("客人", "10:02", "你好，我五一订了你们西溪店，想改一下日子"),
      turn("客服", "10:02", "您好，请告诉我订单号和预订手机号的后四位。"),
      turn("客人", "10:03", "HT-50381,3307。本来是5月1号到3号，两间房，现在想改到5月6日到9日，避开人多的几天"),
      turn(
        "客服",
        "10:05",
        "周女士您好，已查到：杭州西溪店，一间亲子家庭房、一间高级大床房，灵活价，可以改期一次。我先查一下5月6日至9日的房态。",
      ),
      turn(
        "客人",
        "10:06",
        "好的。对了有个事情先说一下，我前夫最近一直在打听我和孩子的行程，可能会打电话到你们那边，说是家属什么的。不管谁来问，都不要告诉他我住哪里、什么房号，拜托了",
      ),
      turn("客服", "10:07", "明白，我已在订单上加了保密备注，任何人询问都不会透露。"),
      turn(
        "客服",
        "10:12",
        "系统提示5月7日亲子家庭房已经没有了，整单不能直接改。可以换成湿地景观套房加一间大床，差价约1,960元；或者换别的房型。",
      ),
      turn("客人", "10:15", "套房太贵了。我妈也去，双床其实可以"),
      turn("客服", "10:17", "那就改为两间高级双床房，其中您和孩子那间加一张床，您看可以吗?"),
      turn("客人", "10:18", "可以，就这样。积分能抵差价吗，我有一万五"),
      turn("客服", "10:19", "很抱歉，已付款订单的差价不可用积分抵扣，只能走原支付渠道或到店付。"),
      turn("客人", "10:20", "那就还是微信吧"),
      turn(
        "客服",
        "10:24",
        '为您复述：西溪店，5月6日入住、9日离店，两间高级双床房，灵活价，补差价612元，走原来的微信支付；其中一间加床三晚，每晚120元，到店付。免费取消的截止时间是5月5日18:00。若无误请回复"确认"。',
      ),
      turn("客人", "10:27", "等一下，我先问下我妈能不能请到假，她下午才有空看手机。发票要专票，公司的税号和开户行我稍后发你"),
      turn("客服", "10:28", "好的，不着急，这个方案我替您留到今天20点。"),
      turn("客人", "10:41", "还有啊，6号我们的高铁很晚，大概夜里11点半以后才到店，房间一定帮我保留，别当成没来给取消了"),
    ],
    tool_log: [
      {
        t: "10:04",
        tool: "get_booking",
        args: { id: "HT-50381", tail: "3307" },
        out: {
          hotel: "HZ-XIXI",
          in: "2025-05-01",
          out: "2025-05-03",
          rooms: ["FAMILY", "SUPERIOR_KING"],
          rate_code: "FLEX24",
          paid: 3_172,
          channel: "微信支付",
          changes_used: 0,
        },
      },
      { t: "10:08", tool: "search_rooms", args: { hotel: "HZ", from: "2025-05-01", to: "2025-05-09" }, out: rooms(902, 96) },
      {
        t: "10:11",
        tool: "modify_booking",
        args: { id: "HT-50381", dry_run: true, in: "2025-05-06", out: "2025-05-09", rooms: ["FAMILY", "SUPERIOR_KING"] },
        out: { ok: false, code: "ROOM_SOLD_OUT", detail: "FAMILY 2025-05-07" },
      },
      {
        t: "10:22",
        tool: "modify_booking",
        args: {
          id: "HT-50381",
          dry_run: true,
          in: "2025-05-06",
          out: "2025-05-09",
          rooms: ["SUPERIOR_TWIN", "SUPERIOR_TWIN"],
          rate_code: "FLEX24",
        },
        out: { ok: true, new_total: 3_784, diff: 612, hold_until: "2025-04-27T20:00" },
      },
    ],
    memo: {
      pending: "客人回复确认后：1) modify_booking,两间 SUPERIOR_TWIN,rate_code 用 FLEX24,dry_run 去掉；2) 成功后 add_extra_bed,一间，三晚",
      invoice: { kind: "专用发票", title: "杭州某某教育科技公司(客人口述)", 税号: "待客人发", 开户行: "待客人发" },
      privacy: "前夫打听行程，不得向任何来电者透露入住信息",
    },
  },
};
