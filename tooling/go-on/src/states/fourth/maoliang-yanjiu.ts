import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const brands = ["山语", "喵小仓", "北极屋", "鲜朝夕", "尾巴日记", "谷川", "奶泡猫", "十二味"] as const;

/** A lead agent with sub-agents that studies the market of freeze-dried cat food in three Chinese cities. */
export const state: WorkingState = {
  name: "maoliang-yanjiu",
  language: "zh",
  kind: "tree of sub-agents with tasks and results; Chinese",
  focus: "修正价格数据并写完董事会报告",
  human:
    "目标：给董事会的冻干猫粮市场研究报告，12页以内，6月20日前交给周敏。禁止联系竞品的经销商（合规部规定）。不得引用欧睿的数据（没有授权）。已定：只做成都、武汉、西安三城，杭州已去掉（样本店不足）。错误：子代理 price-scan 把618促销价和日常价混算，均价偏低约两成。下一步：让 price-scan 用5月1日至5月20日的数据重跑，剔除促销价；然后写第4章渠道，宠物医院单独成节。待办：武汉门店访谈还差7家（共20家）。最新：周敏说结论要给出两个价格带，不要一个。主力规格按500克折算单价。",
  questions: [
    { q: "目标是什么，何时交给谁？", answer: ["董事会", "6月20日[\\s\\S]{0,20}?周敏|周敏[\\s\\S]{0,20}?6月20日"], kind: "goal" },
    { q: "不能联系谁？", answer: ["(?:禁止|不得|不要|不能)[\\s\\S]{0,10}?联系[\\s\\S]{0,10}?经销商"], kind: "prohibition" },
    {
      q: "哪家的数据不能用？",
      answer: ["(?:禁止|不得|不能|不要)[\\s\\S]{0,10}?欧睿|欧睿[\\s\\S]{0,20}?(?:禁止|不得|不能|没有授权)"],
      kind: "prohibition",
    },
    { q: "做哪几个城市，去掉了哪个？", answer: ["成都、武汉、西安", "杭州[\\s\\S]{0,30}?去掉|去掉[\\s\\S]{0,30}?杭州"], kind: "decision" },
    { q: "价格数据有什么错？", answer: ["促销价和日常价混"], kind: "error" },
    { q: "用哪段时间的数据重跑？", answer: ["5月1日至5月20日"], kind: "next" },
    { q: "之后写哪一章？", answer: ["第4章[\\s\\S]{0,40}?宠物医院"], kind: "next" },
    { q: "哪项工作还没做完？", answer: ["武汉[\\s\\S]{0,30}?还差7家"], kind: "todo" },
    { q: "周敏最新的要求？", answer: ["两个价格带"], kind: "recent" },
    { q: "单价按什么规格折算？", answer: ["500克折算"], kind: "fact" },
  ],
  context: {
    root: {
      id: "lead",
      role: "研究主管",
      status: "running",
      task: "冻干猫粮市场研究，给董事会的报告，12页以内，图表不超过8张。6月20日前交给周敏。",
      instructions_from_user: [
        {
          at: "05-26 09:02",
          from: "周敏",
          text: "这次研究请注意两点。第一，合规部有规定，禁止联系竞品的经销商，装成顾客去打听也不行。第二，去年报告里用过欧睿的图，我们没有授权，这次不得引用欧睿的数据，免费摘要也算。",
        },
        { at: "05-27 18:40", from: "周敏", text: "四个城市先铺开：成都、武汉、西安、杭州。" },
        { at: "06-03 10:15", from: "周敏", text: "同意你的建议，杭州去掉，样本店太少没有意义，只做成都、武汉、西安。" },
        {
          at: "06-11 21:30",
          from: "周敏",
          text: "看了初稿，整体可以。结论部分老板想看到两个价格带，不要只给一个，一个走量一个做形象。其他明天再说。",
        },
      ],
      plan: ["1 市场概况（已写）", "2 消费者（已写）", "3 价格（等数据重跑）", "4 渠道（未写）", "5 竞品（已写）", "6 结论（初稿）"],
      children: [
        {
          id: "desk-01",
          role: "桌面研究",
          status: "done",
          task: "收集公开的行业资料，海关进口数据，上市公司年报。",
          result: {
            summary: "共整理公开资料64份。进口冻干生骨肉连续三年下降，国产代工集中在山东和河北。",
            sources: many(701, 64, (index, pick, whole) => ({
              n: index + 1,
              标题: `${pick(["年报摘录", "海关月度数据", "行业协会通讯", "展会访谈", "招股书章节", "地方统计公报"])}-${2021 + whole(4)}-${1 + whole(12)}`,
              可信度: pick(["高", "中", "中", "低"]),
              摘要: pick([
                "代工产能利用率约六成",
                "线上占比继续上升",
                "鸡肉原料价格回落",
                "冻干设备投资回收期拉长",
                "新品牌数量减少",
                "宠物主更看重成分表",
              ]),
            })),
          },
          children: [],
        },
        {
          id: "price-scan",
          role: "价格采集",
          status: "done_with_error",
          task: "采集八个品牌线上线下价格。主力规格不同，一律按500克折算单价。",
          result: {
            summary: "采集完成，共416条，全品类均价每500克 118.6 元。",
            rows: many(
              702,
              208,
              (_i, pick, whole) =>
                `${pick(brands)}|${pick(["鸡肉", "鹌鹑", "鳕鱼", "牛肉", "鸭肉"])}|${pick(["天猫", "京东", "抖音", "门店"])}|${pick(["成都", "武汉", "西安"])}|${60 + whole(160)}.${whole(10)}|${pick(["日常", "日常", "活动"])}`,
            ),
          },
          review: {
            by: "lead",
            at: "06-11 16:20",
            verdict: "退回",
            text: "复核发现错误：price-scan 把618促销价和日常价混在一起计算，均价偏低约两成，第3章的图全部不能用。需要重跑：只取5月1日至5月20日的数据，剔除促销价，其余参数不变。",
          },
          children: [
            {
              id: "price-scan/ocr",
              role: "价签识别",
              status: "done",
              task: "识别门店照片里的价签",
              result: {
                照片: 382,
                识别率: "96%",
                失败清单: many(
                  703,
                  60,
                  (_i, pick, whole) => `${pick(["CD", "WH", "XA"])}_${1000 + whole(8999)}.jpg ${pick(["反光", "模糊", "遮挡"])}`,
                ),
              },
              children: [],
            },
          ],
        },
        {
          id: "store-visit",
          role: "门店访谈",
          status: "in_progress",
          task: "三城各访谈20家门店店主，每家15分钟，不录音。",
          result: {
            progress: "成都20家完成，西安20家完成，武汉完成13家，还差7家（光谷片区店主约在周末）。",
            interviews: many(704, 53, (index, pick, whole) => ({
              编号: `${index < 20 ? "CD" : index < 40 ? "XA" : "WH"}-${String(index + 1).padStart(2, "0")}`,
              店型: pick(["宠物店", "宠物店", "宠物医院", "商超"]),
              月销冻干: `${5 + whole(90)}袋`,
              店主说: pick([
                "老客复购多，新客看直播价",
                "医生推荐的卖得动",
                "毛利比膨化粮高",
                "小包装走得快",
                "夏天销量差一些",
                "顾客常问有没有检测报告",
                "牌子太多，货架放不下",
              ]),
            })),
          },
          children: [],
        },
        {
          id: "channel",
          role: "渠道分析",
          status: "done",
          task: "整理渠道结构，供第4章使用。",
          result: {
            summary: "三城渠道结构：线上58%，宠物店27%，宠物医院11%，商超4%。宠物医院份额小但客单价最高，增长最快。",
            note_to_lead: "建议写第4章渠道时把宠物医院单独成节，不要并入宠物店，董事会一定会问。",
            table: many(705, 48, (_i, pick, whole) => [
              pick(["成都", "武汉", "西安"]),
              pick(["线上", "宠物店", "宠物医院", "商超"]),
              pick(brands),
              1 + whole(40),
            ]),
          },
          children: [],
        },
        {
          id: "consumer",
          role: "消费者问卷",
          status: "done",
          task: "线上问卷，三城合计600份。",
          result: {
            summary: "有效问卷587份，每月买冻干的比例41%。",
            answers: many(
              706,
              90,
              (index, pick, whole) =>
                `${index + 1},${pick(["女", "男"])},${20 + whole(30)},${pick(["1只", "2只", "3只以上"])},${pick(["成分", "价格", "口碑", "医生推荐"])},${50 + whole(400)}`,
            ),
          },
          children: [],
        },
        {
          id: "hangzhou",
          role: "杭州执行",
          status: "cancelled",
          task: "杭州门店和价格",
          result: { summary: "样本店只有4家愿意配合，已取消。" },
          children: [],
        },
      ],
      next_actions: ["重跑 price-scan（见复核意见）", "写第4章渠道，宠物医院单独成节", "更新第3章的图", "结论按周敏意见修改"],
    },
    budget: { tokens_used: 1284000, limit: 2000000 },
    saved_at: "2025-06-11T21:48:00+08:00",
  },
};
