// Figures of a replayed step of two ranks by numbers: where the pieces of the path lie, how long
// bars are, and what the tables hold.

#include "core/plot/replay/ReplayFigure.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

#include <sstream>

using namespace trainscope::plot;
using namespace trainscope::test;
namespace analysis = trainscope::analysis;
using trainscope::DurationNs;
using trainscope::TimeNs;
using trainscope::TimeRange;

namespace {

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;

TimeRange between(std::int64_t fromMs, std::int64_t toMs) {
    return {TimeNs{kBegin + fromMs * 1'000'000}, TimeNs{kBegin + toMs * 1'000'000}};
}

analysis::StepOperation operation(std::uint32_t track, std::uint32_t name, std::uint16_t category) {
    analysis::StepOperation one;
    one.track = track;
    one.name = name;
    one.category = category;
    return one;
}

// A launch of 10 ms on rank 0, 20 ms of delay and 30 of a product, then 40 ms of an all-reduce on
// rank 1; a second iteration as long.
std::shared_ptr<analysis::StepReplay> plantedReplay() {
    auto graph = std::make_shared<analysis::StepGraph>();
    graph->tracks
        = {{0, -1, -1, {}, "thread 1"}, {0, 0, -1, {}, "stream 7"}, {1, 1, -1, {}, "stream 9"}};
    graph->names = {"cudaLaunchKernel", "gemm_kernel", "nccl_all_reduce"};
    graph->categories = {"host", "gemm", "all_reduce"};
    graph->operations = {operation(0, 0, 0), operation(1, 1, 1), operation(2, 2, 2)};
    graph->iterations.resize(2);
    graph->iterations[0].measured.index = 5;
    graph->iterations[1].measured.index = 6;
    auto replay = std::make_shared<analysis::StepReplay>();
    for (const int i : {0, 1}) {
        const std::int64_t at = 100 * i;
        const auto add = [&](std::uint32_t op, bool isDelay, std::int64_t from, std::int64_t to) {
            replay->path.pieces.push_back({op, isDelay, between(at + from, at + to), i});
        };
        add(0, false, 0, 10);
        add(1, true, 10, 30);
        add(1, false, 30, 60);
        add(2, false, 60, 100);
    }
    replay->path.seconds = 0.1;
    replay->path.byRank = {{0, 0.06}, {1, 0.04}};
    replay->path.top = {{"nccl_all_reduce", "all_reduce", 1, 0.04, 0.025, {}},
        {"gemm_kernel", "gemm", 0, 0.03, 0.0, {}}};
    replay->measuredS = 0.1;
    replay->replayedS = 0.099;
    replay->changedS = 0.05;
    replay->changedLowS = 0.04;
    replay->changedHighS = 0.07;
    replay->energy = analysis::EstimatedEnergy{80.0, 70.0, 90.0};
    replay->waits = {{"AllReduce along dp", 1, 0.02, "lower_clock", 0.9,
        "because its clock was lower", {{"lower_clock", 0.018}, {"host", 0.001}}, {1, 0}, {0}, {}}};
    replay->graph = graph;
    return replay;
}

ReplayFigureData dataOf(std::shared_ptr<analysis::StepReplay> replay) {
    ReplayFigureData data;
    data.runName = "job";
    data.emptyText = "Nothing to draw.";
    data.replay = std::move(replay);
    return data;
}

FigureStyle wide() {
    return styleWith(lettersOf(6.0), lightTheme(), 1000.0);
}

std::vector<std::string> linesOfText(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

class tst_ReplayFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void piecesLieOnTheirTracks() {
        const auto data = dataOf(plantedReplay());
        const auto picture = buildCriticalPath(data, wide());
        QCOMPARE(picture.areas.size(), std::size_t{4}); // three tracks, the bars
        const double perMs = picture.areas[0].width / 100.0;
        struct Piece {
            std::size_t row;
            double from;
            double to;
            const char* title;
        };
        for (const auto& [row, from, to, title] :
            {Piece{0, 0, 10, "cudaLaunchKernel"}, Piece{1, 10, 30, "delay before gemm_kernel"},
                Piece{1, 30, 60, "gemm_kernel"}, Piece{2, 60, 100, "nccl_all_reduce"}}) {
            const Rect& area = picture.areas[row];
            const auto hit
                = picture.hitAt({area.x + (from + to) / 2.0 * perMs, area.y + area.height / 2.0});
            QVERIFY(hit.has_value());
            QCOMPARE(hit->title, std::string(title));
            QVERIFY(std::abs(hit->outline.x - (area.x + from * perMs)) < 1e-6);
            QVERIFY(std::abs(hit->outline.width - (to - from) * perMs) < 1e-6);
        }
        // From row to row where the path goes on to another track, at 10 and at 60 ms.
        int links = 0;
        for (const Line& line : itemsOf<Line>(picture.scene)) {
            const bool isAcross = line.from.x == line.to.x
                && std::abs(std::abs(line.to.y - line.from.y)
                       - (picture.areas[1].y - picture.areas[0].y))
                    < 1e-6;
            links += isAcross ? 1 : 0;
        }
        QCOMPARE(links, 2);
        QVERIFY(hasLabel(picture.scene, "rank 1 · nccl_all_reduce"));
        QVERIFY(hasLabel(picture.scene, "40 ms  gain if gone 25 ms"));
    }

    // A figure that has to be low loses bars, and nothing lies over anything.
    void aLowPathShowsFewerBars() {
        auto replay = plantedReplay();
        while (replay->path.top.size() < 10)
            replay->path.top.push_back(replay->path.top.front());
        const auto data = dataOf(replay);
        const auto whole = buildCriticalPath(data, wide());
        FigureStyle style = wide();
        style.height = 0.7 * whole.scene.height;
        const auto low = buildCriticalPath(data, style);
        QVERIFY(low.targets.size() < whole.targets.size());
        const Rect bars = low.areas.back();
        QVERIFY(bars.y >= low.areas[2].bottom());
        QVERIFY(bars.bottom() <= low.scene.height);
        QVERIFY(low.areas[0].height >= low.areas[2].height * 0.99);
        for (const Label& label : itemsOf<Label>(low.scene)) {
            if (label.text.starts_with("The path of"))
                QVERIFY(label.anchor.y > bars.bottom());
        }
    }

    void barsAreAsLongAsTheirSteps() {
        const auto data = dataOf(plantedReplay());
        const auto picture = buildReplay(data, wide());
        QCOMPARE(picture.targets.size(), std::size_t{3}); // measured, replayed, changed
        QVERIFY(hasLabel(picture.scene, "50 ms  -50.0 %"));
        QVERIFY(hasLabel(picture.scene, "100 ms  80 J"));
        const auto bars = itemsOf<FillRect>(picture.scene);
        std::vector<double> widths;
        for (const FillRect& bar : bars) {
            if (bar.rect.x == picture.areas[0].x)
                widths.push_back(bar.rect.width);
        }
        QCOMPARE(widths.size(), std::size_t{3});
        QVERIFY(std::abs(widths[0] - picture.areas[0].width) < 1e-6);
        QVERIFY(std::abs(widths[2] / widths[0] - 0.5) < 1e-9);
        QCOMPARE(factOf(told(picture.targets[2]), "nine of ten lie within"),
            std::string("40 ms to 70 ms"));
    }

    void waitsNameTheCulprit() {
        const auto picture = buildWaits(dataOf(plantedReplay()), wide());
        QVERIFY(hasLabel(picture.scene, "AllReduce along dp"));
        QVERIFY(hasLabel(picture.scene, "20 ms  rank 1: lower clock (90 %) · 1 → 0"));
    }

    void tables() {
        const auto data = dataOf(plantedReplay());
        const auto path = linesOfText(criticalPathCsv(data));
        QCOMPARE(path.size(), std::size_t{9});
        QCOMPARE(
            path[2], std::string("job,5,0,stream 7,delay,gemm_kernel,,1700000000010000000,0.02"));
        QCOMPARE(path[8],
            std::string("job,6,1,stream 9,all_reduce,nccl_all_reduce,,1700000000160000000,0.04"));
        const auto steps = linesOfText(replayCsv(data));
        QCOMPARE(steps[1], std::string("job,measured,0.1,,,80"));
        QCOMPARE(steps[2], std::string("job,measured without profiler,,,,"));
        QCOMPARE(steps[5], std::string("job,changed,0.05,0.04,0.07,"));
        const auto waits = linesOfText(waitsCsv(data));
        QCOMPARE(waits.size(), std::size_t{3});
        QCOMPARE(waits[1],
            std::string("job,AllReduce along dp,1,0.02,lower_clock,0.9,1 > 0,lower_clock,0.018"));
    }

    void nothing() {
        const auto data = dataOf(nullptr);
        for (const auto build : {buildCriticalPath, buildReplay, buildWaits})
            QVERIFY(hasLabel(build(data, wide()).scene, "Nothing to draw."));
        QCOMPARE(linesOfText(criticalPathCsv(data)).size(), std::size_t{1});
    }
};

TRAINSCOPE_TEST(tst_ReplayFigure)
#include "tst_ReplayFigure.moc"
