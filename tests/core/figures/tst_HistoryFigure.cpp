// The figure of GPUs over runs: a panel of each value, a line of each GPU, runs of the same work
// beside each other.

#include "core/analysis/machine/PlantedPast.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/figures/Figure.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

class tst_HistoryFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        // Four runs of one work, the last with 630 W instead of 600 W; between them one of another.
        for (const int number : {1, 2, 3, 4, 5}) {
            PlantedTrace trace
                = recordedRun(number, "GPU-3fa1c2d", number == 5 ? 630.0 : 600.0, 60.0);
            if (number == 3)
                trace.run.launch.globalBatch = 128;
            ok(trace.addTo(m_store, std::to_string(number)));
        }
        m_query.kind = FigureKind::History;
    }

    void panelsLinesAndGroups() {
        const FigureData data = got(loadFigure({m_store}, m_query));
        QCOMPARE(data.panels.size(), std::size_t{2}); // no clocks were recorded
        const FigurePanel& power = data.panels[0];
        QCOMPARE(power.left.metric, std::string("gpu_power"));
        QCOMPARE(data.panels[1].left.metric, std::string("gpu_temperature"));
        std::vector<std::string> runs;
        for (const FigureCategory& category : power.categories)
            runs.push_back(data.runs[*category.run].name);
        QCOMPARE(runs, (std::vector<std::string>{"run 1", "run 2", "run 4", "run 5", "run 3"}));
        QCOMPARE(power.categories[0].group, power.categories[3].group);
        QVERIFY(power.categories[3].group != power.categories[4].group);
        QCOMPARE(power.sets.size(), std::size_t{2});
        // The second GPU changed by 5 %, the first by 30 of 650 W.
        QCOMPARE(power.sets[0].name, std::string("GPU-3fa1c2d1"));
        QCOMPARE(power.sets[0].values,
            (std::vector<std::optional<double>>{600.0, 600.0, 600.0, 630.0, 600.0}));
        QCOMPARE(power.sets[1].values[3], std::optional<double>(680.0));
        QVERIFY(power.sets[0].place != power.sets[1].place);
    }

    void picture() {
        const auto data = std::make_shared<const FigureData>(got(loadFigure({m_store}, m_query)));
        const Picture picture
            = buildFigure(*data, styleWith(fixedPitch, paperTheme(), 400.0, 300.0));
        // A curve of each GPU in each panel, broken before the run of other work.
        std::size_t curves = 0;
        for (const Chart& chart : itemsOf<Chart>(picture.scene)) {
            QVERIFY(chart.bars.values.empty());
            for (const ChartCurve& curve : chart.curves)
                curves += curve.points.size() == 4 || curve.points.size() == 1 ? 1 : 100;
        }
        QCOMPARE(curves, std::size_t{8});
        for (const Label& label : itemsOf<Label>(picture.scene))
            QVERIFY(label.text != "–");
    }

    void csv() {
        const std::string text = figureCsv(got(loadFigure({m_store}, m_query)));
        QVERIFY(text.find("power_w_GPU-3fa1c2d1 [W]") != std::string::npos);
        QVERIFY(text.find("run 5,ok,llama3-8b") != std::string::npos);
    }

    void manyGpusAreFewLines() {
        FreshStore store;
        for (int number = 1; number <= 4; ++number) {
            PlantedTrace trace = recordedRun(number, "GPU-3fa1c2d", 600.0, 60.0);
            for (int rank = 2; rank < 12; ++rank) {
                trace.gpus.push_back({rank, 0, rank, trace.run.gpuModel,
                    "GPU-" + std::to_string(rank) + "-0000000"});
                trace.series("gpu_power", rank, trace.run.range.begin.ns, kPastSecond,
                    std::vector<double>(20, number == 4 && rank == 11 ? 500.0 : 600.0));
            }
            trace.run.gpuCount = 12;
            ok(trace.addTo(store, std::to_string(number)));
        }
        const FigureData data = got(loadFigure({store}, m_query));
        QCOMPARE(data.panels[0].sets.size(), std::size_t{8});
        QCOMPARE(data.panels[0].sets[0].name, std::string("GPU-11-00000"));
        QCOMPARE(data.notes,
            (std::vector<std::string>{"The 8 of 12 GPUs that changed most are shown."}));
    }

    void emptyWithoutUuids() {
        FreshStore store;
        ok(recordedRun(1, {}, 600.0, 60.0).addTo(store, "1"));
        const FigureData data = got(loadFigure({store}, m_query));
        QVERIFY(data.isEmpty());
        QVERIFY(data.emptyText.find("UUID") != std::string::npos);
    }

private:
    FreshStore m_store;
    FigureQuery m_query;
};

TRAINSCOPE_TEST(tst_HistoryFigure)
#include "tst_HistoryFigure.moc"
