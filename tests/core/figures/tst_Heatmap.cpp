// Heat maps: the numbers, where they are drawn, what the pointer finds, and the CSV.

#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/plot/figures/Figure.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

// Two runs of four GPUs on two nodes and one out of memory. Mean temperatures: rank r of run k is
// 50 + 10 r + k; rank 2 of the second run was not measured. NVLink: 10^(r+9) bytes.
void fill(SweepDatabase& database) {
    for (int k = 0; k < 3; ++k) {
        SweepRun run;
        run.name = "gpt_" + std::to_string(k + 1) + "_00000";
        run.launch = launchOf("gpt", 1 << k, 4 >> k, false, false);
        run.status = k == 2 ? RunStatus::Oom : RunStatus::Ok;
        run.gpus = 4;
        run.perNode = 2;
        for (int rank = 0; rank < 4; ++rank) {
            const double level = k == 2 ? 20.0 : 50.0 + 10.0 * rank + k;
            if (k != 1 || rank != 2)
                run.series.push_back({"gpu_temperature", rank, {level - 1, level + 1, level + 5}});
            const double bytes = std::pow(10.0, rank + 9);
            run.series.push_back({"nvlink_rx", rank, {7.0, 7.0 + bytes / 2, 7.0 + bytes}});
        }
        database.add(run);
    }
}

FigureStyle heatmapStyle(double width = 400.0, double height = 0.0) {
    return styleWith(fixedPitch, paperTheme(), width, height);
}

std::vector<std::string> textsOf(const PlotScene& scene) {
    std::vector<std::string> texts;
    for (const Label& label : itemsOf<Label>(scene))
        texts.push_back(label.text);
    return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

} // namespace

class tst_Heatmap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { fill(m_database); }

    void meansByRunAndGpu() {
        const auto data = loadFigure(m_database.store(), {}).value();
        QCOMPARE(data.heatmaps.size(), std::size_t{1});
        const FigureHeatmap& heatmap = data.heatmaps.front();
        QCOMPARE(heatmap.columns, (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(heatmap.rows.size(), std::size_t{3});
        // Two intervals of a second each: (level − 1 + level + 1) / 2.
        QCOMPARE(*heatmap.rows[0].values[3], 80.0);
        QCOMPARE(*heatmap.rows[1].values[1], 61.0);
        QVERIFY(!heatmap.rows[1].values[2]);
        QCOMPARE(heatmap.rows[1].nodes, (std::vector<int>{0, 0, 1, 1}));
        // The run out of memory does not take part in the scale.
        QCOMPARE(heatmap.scale.range.low, 50.0);
        QCOMPARE(heatmap.scale.range.high, 81.0);
        QCOMPARE(data.runs[2].label, std::string("TP4-PP1"));
    }

    void statistics_data() {
        const auto row = columns<int, double>("statistic", "expected");
        row("peak", static_cast<int>(FigureStatistic::Peak), 65.0);
        row("min", static_cast<int>(FigureStatistic::Min), 59.0);
        row("p99", static_cast<int>(FigureStatistic::P99), 61.0);
    }
    void statistics() {
        QFETCH(int, statistic);
        QFETCH(double, expected);
        FigureQuery query;
        query.statistic = static_cast<FigureStatistic>(statistic);
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(*data.heatmaps.front().rows[0].values[1], expected);
    }

    void totalsOnALogScale() {
        FigureQuery query;
        query.metrics = {"nvlink_rx"};
        query.logScale = true;
        const auto data = loadFigure(m_database.store(), query).value();
        const FigureHeatmap& heatmap = data.heatmaps.front();
        QVERIFY(heatmap.statistic == FigureStatistic::Total);
        QCOMPARE(*heatmap.rows[0].values[2], 1e11);
        QVERIFY(heatmap.scale.log);
        // Equal factors are equal steps of colour: the middle of 10^9 … 10^12 is 10^10.5.
        const auto geometry = buildFigure(data, heatmapStyle());
        const auto* strip = stripOf(geometry.scene, 4);
        QVERIFY(strip != nullptr);
        const auto near = [](Color a, Color b) {
            return std::abs(a.r - b.r) < 8 && std::abs(a.g - b.g) < 8 && std::abs(a.b - b.b) < 8;
        };
        QVERIFY(near(strip->cells[0], viridis(0.0)));
        QVERIFY(near(strip->cells[1], viridis(1.0 / 3.0)));
        QVERIFY(near(strip->cells[2], viridis(2.0 / 3.0)));
        QVERIFY(near(strip->cells[3], viridis(1.0)));
        QCOMPARE(int{strip->cells[8].a}, 0); // out of memory
    }

    void whatThePointerFinds() {
        const auto data = loadFigure(m_database.store(), {}).value();
        const auto geometry = buildFigure(data, heatmapStyle());
        const Rect grid = geometry.areas.front();
        const auto at = [&](double column, double row) {
            return geometry.hitAt(
                {grid.x + grid.width * column / 4, grid.y + grid.height * row / 3});
        };
        const auto hit = at(3.5, 0.5);
        QVERIFY(hit.has_value());
        QCOMPARE(hit->title, std::string("TP1-PP4 · rank 3"));
        QCOMPARE(hit->rank, std::optional<int>(3));
        QVERIFY(hit->run == m_database.idOf("gpt_1_00000"));
        QCOMPARE(hit->facts[0].first, std::string("GPU temperature, mean"));
        QCOMPARE(hit->facts[0].second, std::string("80 °C"));
        QCOMPARE(hit->facts[1].second, std::string("1")); // node
        QCOMPARE(hit->outline.x, grid.x + grid.width * 0.75);
        QCOMPARE(at(2.5, 1.5)->facts[0].second, std::string("—"));
        QVERIFY(!geometry.hitAt({grid.x - 2.0, grid.y + 1.0}));
        QVERIFY(!geometry.hitAt({grid.right() + 1.0, grid.y + 1.0}));
    }

    void nodesAreDivided() {
        const auto data = loadFigure(m_database.store(), {}).value();
        const auto geometry = buildFigure(data, heatmapStyle());
        const Rect grid = geometry.areas.front();
        const auto isBorder = [&](const SceneItem& item) {
            const auto* line = std::get_if<Line>(&item);
            return line != nullptr && line->from.x == line->to.x
                && std::abs(line->from.x - (grid.x + grid.width / 2)) < 1e-9
                && line->from.y == grid.y && std::abs(line->to.y - grid.bottom()) < 1e-9;
        };
        QCOMPARE(std::count_if(geometry.scene.items.begin(), geometry.scene.items.end(), isBorder),
            std::ptrdiff_t{1});
    }

    void textsStayInside_data() {
        columns<double, double>("width", "height");
        for (const double width : {160.0, 240.0, 504.0, 1400.0}) {
            for (const double height : {0.0, 80.0, 700.0})
                QTest::addRow("%g × %g", width, height) << width << height;
        }
    }
    void textsStayInside() {
        QFETCH(double, width);
        QFETCH(double, height);
        const auto data = loadFigure(m_database.store(), {}).value();
        const auto geometry = buildFigure(data, heatmapStyle(width, height));
        for (const Label& label : itemsOf<Label>(geometry.scene)) {
            const double taken = fixedPitch(label.text, label.role, label.bold);
            const double left = label.anchor.x
                - (label.align == Align::Right         ? taken
                        : label.align == Align::Centre ? taken / 2
                                                       : 0.0);
            QVERIFY2(left >= -0.01, label.text.c_str());
            QVERIFY2(left + taken <= width + 0.01, label.text.c_str());
            QVERIFY2(label.anchor.y <= geometry.scene.height, label.text.c_str());
        }
        const auto texts = textsOf(geometry.scene);
        QVERIFY(height == 80.0 || has(texts, "OOM"));
    }

    void aThousandGpus() {
        SweepDatabase database;
        SweepRun run;
        run.name = "big";
        run.gpus = 1024;
        for (int rank = 0; rank < run.gpus; ++rank)
            run.series.push_back({"gpu_temperature", rank, {40.0 + rank % 8, 0.0}});
        database.add(run);
        const auto data = loadFigure(database.store(), {}).value();
        const auto geometry = buildFigure(data, heatmapStyle(504.0));
        const auto* strip = stripOf(geometry.scene, 1024);
        QVERIFY(strip != nullptr);
        // Labels do not touch: their distance is more than the widest of them.
        std::vector<double> anchors;
        for (const auto& item : geometry.scene.items) {
            const auto* label = std::get_if<Label>(&item);
            const bool isNumber = label != nullptr && !label->text.empty()
                && label->text.find_first_not_of("0123456789") == std::string::npos
                && label->anchor.y > geometry.areas.front().bottom();
            if (isNumber)
                anchors.push_back(label->anchor.x);
        }
        QVERIFY(anchors.size() >= 4);
        for (std::size_t i = 1; i < anchors.size(); ++i)
            QVERIFY(anchors[i] - anchors[i - 1] > 24.0);
    }

    void numbersBeside() {
        FigureQuery query;
        query.metrics = {"gpu_temperature", "nvlink_rx"};
        query.runs = {m_database.idOf("gpt_2_00000")};
        const auto csv = figureCsv(loadFigure(m_database.store(), query).value());
        const auto lines = QString::fromStdString(csv).split(QLatin1Char('\n'));
        QCOMPARE(lines[0],
            QStringLiteral("run,status,model,cluster,layout,optimisation,micro_batch,rank,node,"
                           "gpu_temperature_mean [°C],nvlink_rx_total [B]"));
        QCOMPARE(
            lines[1], QStringLiteral("gpt_2_00000,ok,gpt,4 GPUs,TP2-PP2,base,1,0,0,51,1000000000"));
        QCOMPARE(
            lines[3], QStringLiteral("gpt_2_00000,ok,gpt,4 GPUs,TP2-PP2,base,1,2,1,,100000000000"));
        QCOMPARE(lines.size(), 6);
    }

    // Four GPUs on two nodes, of which rank 2 has no temperature, and a run that has none at all.
    void whatHasNoValuesHasItsPlace() {
        SweepDatabase database;
        SweepRun run;
        run.name = "a";
        run.gpus = 4;
        run.perNode = 2;
        for (const int rank : {0, 1, 3})
            run.series.push_back({"gpu_temperature", rank, {50.0, 50.0 + rank, 50.0}});
        database.add(run);
        SweepRun other;
        other.name = "b";
        other.gpus = 4;
        other.series.push_back({"gpu_power", 0, {300.0, 300.0, 300.0}});
        database.add(other);
        const auto data = loadFigure(database.store(), {}).value();
        const FigureHeatmap& heatmap = data.heatmaps.front();
        QCOMPARE(heatmap.rows.size(), std::size_t{1});
        QCOMPARE(heatmap.columns, (std::vector<int>{0, 1, 2, 3}));
        QVERIFY(!heatmap.rows[0].values[2]);
        QCOMPARE(heatmap.rows[0].nodes, (std::vector<int>{0, 0, 1, 1}));
        // A heading, four lines and what stands behind the last.
        const auto csv = QString::fromStdString(figureCsv(data)).split(QLatin1Char('\n'));
        QCOMPARE(csv.size(), 6);
        QVERIFY(csv[3].endsWith(QStringLiteral(",2,1,")));
        // The caption speaks of the shown run.
        FigureQuery alone;
        alone.runs = {database.idOf("a")};
        QCOMPARE(data.caption, loadFigure(database.store(), alone).value().caption);
    }

    void nothingToDraw() {
        FigureQuery query;
        query.metrics = {"fan_speed"};
        const auto data = loadFigure(m_database.store(), query).value();
        QVERIFY(data.isEmpty());
        VERIFY_SAYS(data.emptyText, "fan_speed");
        const auto geometry = buildFigure(data, heatmapStyle(300.0, 200.0));
        QCOMPARE(geometry.scene.height, 200.0);
        QVERIFY(!textsOf(geometry.scene).empty());
    }

private:
    static const HeatStrip* stripOf(const PlotScene& scene, int columns) {
        for (const auto& item : scene.items) {
            if (const auto* strip = std::get_if<HeatStrip>(&item);
                strip != nullptr && strip->columns == columns)
                return strip;
        }
        return nullptr;
    }

    SweepDatabase m_database;
};

TRAINSCOPE_TEST(tst_Heatmap)
#include "tst_Heatmap.moc"
