// Geometry of the rank grid and of the schedule's chart, by numbers.

#include <QtTest>

#include "core/plot/layout/RankGridDiagram.h"
#include "core/plot/layout/ScheduleChart.h"

#include <algorithm>

using namespace trainscope;
using namespace trainscope::plot;

namespace {

DiagramStyle styleOf(double width, double height) {
    return {&darkTheme(), width, height, [](std::string_view text, TextRole, bool) {
                return 7.0 * static_cast<double>(text.size());
            }};
}

layout::Layout layoutOf(int nodes, int gpus, int tp, int cp, int pp) {
    layout::LayoutRequest request;
    request.nodes = nodes;
    request.gpusPerNode = gpus;
    request.tensor = tp;
    request.context = cp;
    request.pipeline = pp;
    return layout::makeLayout(request).value();
}

template <typename T>
std::vector<T> itemsOf(const PlotScene& scene) {
    std::vector<T> result;
    for (const auto& item : scene.items) {
        if (const auto* one = std::get_if<T>(&item))
            result.push_back(*one);
    }
    return result;
}

bool overlap(const Rect& a, const Rect& b) {
    constexpr double kRounding = 1e-6;
    return a.x < b.right() - kRounding && b.x < a.right() - kRounding
        && a.y < b.bottom() - kRounding && b.y < a.bottom() - kRounding;
}

} // namespace

class TestLayoutDiagrams : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsOfAGrid() {
        const auto layout = layoutOf(4, 8, 4, 2, 2);
        const RankGridData data{&layout, RankColour::Pipeline, {}, 0, 1, false, {}, {}};
        const auto diagram = buildRankGrid(data, styleOf(900, 300));
        QCOMPARE(diagram.cells.size(), std::size_t{32});
        for (std::size_t a = 0; a < diagram.cells.size(); ++a) {
            const Rect& cell = diagram.cells[a];
            QVERIFY(cell.x >= 0 && cell.right() <= 900 && cell.y >= 0 && cell.bottom() <= 300);
            for (std::size_t b = 0; b < a; ++b)
                QVERIFY(!overlap(cell, diagram.cells[b]));
            QCOMPARE(
                rankAt(diagram, cell.x + cell.width / 2, cell.y + cell.height / 2).value_or(-1),
                static_cast<int>(a));
        }
        // Stage 1 lies below stage 0, the next tensor-parallel rank right of the one before.
        QVERIFY(diagram.cells[16].y > diagram.cells[0].bottom());
        QCOMPARE(diagram.cells[16].x, diagram.cells[0].x);
        QVERIFY(diagram.cells[1].x > diagram.cells[0].x);
        // Numbers in all cells, 2 stages, 4 blocks.
        QCOMPARE(itemsOf<Label>(diagram.scene).size(), std::size_t{32 + 2 + 4});
        QVERIFY(!rankAt(diagram, 1, 1).has_value());
    }

    void aThousandRanks() {
        const auto layout = layoutOf(128, 8, 8, 1, 16);
        const RankGridData data{&layout, RankColour::Node, {}, 0, 1, false, {}, {}};
        const auto diagram = buildRankGrid(data, styleOf(1600, 900));
        QCOMPARE(diagram.cells.size(), std::size_t{1024});
        for (const Rect& cell : diagram.cells)
            QVERIFY(cell.width > 5.0 && cell.height > 5.0 && cell.right() <= 1600);
        // Narrow cells have no number, and names stay apart: 16 stages, 8 replicas.
        QCOMPARE(itemsOf<Label>(diagram.scene).size(), std::size_t{16 + 8});
    }

    void valuesOnAScale() {
        const auto layout = layoutOf(1, 4, 4, 1, 1);
        RankGridData data{
            &layout, RankColour::Value, {10.0, 20.0, std::nullopt}, 10, 20, false, {}, {}};
        const auto fills = itemsOf<FillRect>(buildRankGrid(data, styleOf(400, 100)).scene);
        QCOMPARE(fills.size(), std::size_t{4});
        QVERIFY(fills[0].fill == viridis(0.0));
        QVERIFY(fills[1].fill == viridis(1.0));
        QVERIFY(fills[2].hatch == Hatch::Diagonal);
        QVERIFY(fills[3].hatch == Hatch::Diagonal);
    }

    // Rank 5 of TP 2, DP 2, PP 2: its tensor group {4, 5}, data group {5, 7}, pipeline {1, 5}.
    void groupsOfARankAreLit() {
        const auto layout = layoutOf(1, 8, 2, 1, 2);
        RankGridData data{&layout, RankColour::Tensor, {}, 0, 1, false, 5, {}};
        const auto litOf = [&] {
            std::vector<int> lit;
            const auto fills = itemsOf<FillRect>(buildRankGrid(data, styleOf(400, 100)).scene);
            for (std::size_t rank = 0; rank < fills.size(); ++rank) {
                const int tensor = layout.grid.position(static_cast<int>(rank)).tensor;
                if (fills[rank].fill == seriesColor(static_cast<std::size_t>(tensor)))
                    lit.push_back(static_cast<int>(rank));
            }
            return lit;
        };
        QCOMPARE(litOf(), (std::vector<int>{1, 4, 5, 7}));
        data.group = layout::GroupKind::Data;
        QCOMPARE(litOf(), (std::vector<int>{5, 7}));
    }

    void barsOfASchedule() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 2, 2, 1, {{1, 1, 1}}, 0.0})
                                  .value();
        // 0 to 9 on 900 units of width beside the names.
        const auto style = styleOf(900 + 7.0 * 7 + 3 * darkTheme().spacing, 100);
        const auto chart = buildScheduleChart(schedule, 0, 0, style);
        QCOMPARE(schedule.makespan, 9.0);
        QCOMPARE(chart.area.width, 900.0);
        QCOMPARE(chart.tasks.size(), std::size_t{8});
        for (std::size_t i = 0; i < chart.tasks.size(); ++i) {
            const auto& task = schedule.tasks[chart.tasks[i]];
            QVERIFY(std::abs(chart.bars[i].x - chart.area.x - 100 * task.start) < 1e-9);
            QVERIFY(std::abs(chart.bars[i].width - 100 * (task.end - task.start)) < 1e-9);
            const Rect& bar = chart.bars[i];
            QCOMPARE(taskAt(chart, bar.x + 1, bar.y + 1).value_or(99), chart.tasks[i]);
        }
        QCOMPARE(itemsOf<Label>(chart.scene).size(), std::size_t{8 + 2});
        QVERIFY(!taskAt(chart, chart.area.right() - 1, chart.bars.back().y + 1).has_value());
    }

    void aWindowOfASchedule() {
        const auto schedule
            = layout::makeSchedule({layout::ScheduleKind::GPipe, 1, 10, 1, {{1, 1, 0}}, 0.0})
                  .value();
        const auto chart = buildScheduleChart(schedule, 2.5, 4.5, styleOf(500, 60));
        QCOMPARE(chart.tasks, (std::vector<std::size_t>{2, 3, 4}));
        QCOMPARE(chart.bars.front().x, chart.area.x);
        QCOMPARE(chart.bars.back().right(), chart.area.right());
    }

    // 64 stages × 2,048 micro-batches: what is narrower than a pixel is joined, and no bar is lost.
    void denseSchedules() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 64, 2048, 1, {}, 0.0})
                                  .value();
        const auto chart = buildScheduleChart(schedule, 0, 0, styleOf(1600, 900));
        QCOMPARE(chart.tasks.size(), schedule.tasks.size());
        const auto rows = itemsOf<Bars>(chart.scene);
        QCOMPARE(rows.size(), std::size_t{64});
        for (const Bars& row : rows) {
            QVERIFY(!row.bars.empty() && row.bars.size() <= 2 * 1600);
            for (const Bar& bar : row.bars)
                QVERIFY(bar.left >= row.area.x && bar.right <= row.area.right() + 1e-9);
        }
        QVERIFY(itemsOf<Label>(chart.scene).size() <= 64);
    }
};

QTEST_GUILESS_MAIN(TestLayoutDiagrams)
#include "tst_LayoutDiagrams.moc"
