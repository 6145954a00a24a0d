// Geometry of a prediction's board by numbers.

#include <QtTest>

#include "core/plot/prediction/support/DemoPrediction.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

using namespace trainscope;
using namespace trainscope::plot;

namespace {

FigureStyle pagesOf(double width) {
    FigureStyle style;
    style.theme = &lightTheme();
    style.width = width;
    style.measure = [](std::string_view text, TextRole, bool) {
        return 5.0 * static_cast<double>(text.size());
    };
    return style;
}

PredictionGeometry builtOf(double width, std::vector<PredictionPanel> panels = {}) {
    if (panels.empty())
        panels.assign(kPredictionPanels.begin(), kPredictionPanels.end());
    return buildPrediction(test::demoPrediction(), pagesOf(width), panels);
}

const FigureHit* targetOf(const PredictionGeometry& geometry, const std::string& title) {
    const auto found = std::find_if(geometry.targets.begin(), geometry.targets.end(),
        [&](const FigureHit& hit) { return hit.title == title; });
    return found == geometry.targets.end() ? nullptr : &*found;
}

bool says(const PredictionGeometry& geometry, const std::string& wanted) {
    return std::any_of(
        geometry.scene.items.begin(), geometry.scene.items.end(), [&](const SceneItem& item) {
            const auto* label = std::get_if<Label>(&item);
            return label != nullptr && label->text.find(wanted) != std::string::npos;
        });
}

} // namespace

class tst_PredictionFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 2, 1 and 1 of 4 s; the axis reaches to 5 s, the longest whisker.
    void partsAreAsLongAsTheyTake() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Step});
        const auto* gemm = targetOf(geometry, "TP 8 · GEMM");
        const auto* tensor = targetOf(geometry, "TP 8 · Tensor parallel");
        const auto* bubble = targetOf(geometry, "TP 8 · Bubble");
        QVERIFY(gemm != nullptr && tensor != nullptr && bubble != nullptr);
        QCOMPARE(gemm->outline.width, 2.0 * tensor->outline.width);
        QCOMPARE(tensor->outline.width, bubble->outline.width);
        QCOMPARE(tensor->outline.x, gemm->outline.right());
        QCOMPARE(bubble->outline.x, tensor->outline.right());
        QCOMPARE(gemm->facts.back().second, std::string("50.0 %"));
        const double second = tensor->outline.width;
        const double left = gemm->outline.x;
        int caps = 0;
        for (const auto& item : geometry.scene.items) {
            const auto* line = std::get_if<Line>(&item);
            const bool isCap = line != nullptr && line->from.x == line->to.x
                && line->color == lightTheme().text && line->width < 2.0 && line->width > 1.0;
            if (!isCap)
                continue;
            const double at = (line->from.x - left) / second;
            QVERIFY(std::abs(at - 3.0) < 1e-6 || std::abs(at - 5.0) < 1e-6);
            ++caps;
        }
        QCOMPARE(caps, 2);
        QVERIFY(says(geometry, "4.4 s"));
        QVERIFY(says(geometry, "out of memory"));
    }

    // 60 and 90 GB against 80.
    void memoryBeyondTheGpuIsMarked() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Memory});
        const auto* first = targetOf(geometry, "stage 0 · Activations");
        const auto* second = targetOf(geometry, "stage 1 · Activations");
        QVERIFY(first != nullptr && second != nullptr);
        QCOMPARE(second->outline.width / first->outline.width, 70.0 / 40.0);
        const double perGb = first->outline.width / 40.0;
        QVERIFY(says(geometry, "GPU has 80 GB"));
        QVERIFY(says(geometry, "90 GB OOM"));
        QVERIFY(!says(geometry, "60 GB OOM"));
        const auto over = std::find_if(
            geometry.scene.items.begin(), geometry.scene.items.end(), [](const SceneItem& item) {
                const auto* rect = std::get_if<FillRect>(&item);
                return rect != nullptr && rect->hatch == Hatch::Diagonal;
            });
        QVERIFY(over != geometry.scene.items.end());
        const Rect& hatched = std::get<FillRect>(*over).rect;
        QVERIFY(std::abs(hatched.width - 10.0 * perGb) < 1e-6);
        QVERIFY(std::abs(hatched.right() - second->outline.right()) < 1e-6);
    }

    // 4 s · 9 kJ and 5 s · 8 kJ are the front.
    void theFrontIsALine() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Front});
        const auto* fast = targetOf(geometry, "TP 8");
        const auto* lean = targetOf(geometry, "TP 4");
        const auto* other = targetOf(geometry, "TP 2");
        QVERIFY(fast != nullptr && lean != nullptr && other != nullptr);
        QVERIFY(fast->outline.x < lean->outline.x && lean->outline.x < other->outline.x);
        QVERIFY(lean->outline.y > fast->outline.y && fast->outline.y > other->outline.y);
        int lines = 0;
        for (const auto& item : geometry.scene.items) {
            const auto* line = std::get_if<Polyline>(&item);
            if (line == nullptr)
                continue;
            ++lines;
            QCOMPARE(line->points.size(), std::size_t{2});
            QVERIFY(line->points[0].x < line->points[1].x);
        }
        QCOMPARE(lines, 1);
        QCOMPARE(fast->facts.front().second, std::string("4 s (3 to 5)"));
    }

    void everythingIsInside_data() {
        QTest::addColumn<double>("width");
        for (const double width : {280.0, 440.0, 760.0, 1600.0})
            QTest::addRow("%.0f", width) << width;
    }
    void everythingIsInside() {
        QFETCH(double, width);
        const auto geometry = builtOf(width);
        QCOMPARE(geometry.panels.size(), kPredictionPanels.size());
        for (const auto& target : geometry.targets) {
            QVERIFY(target.outline.x >= 0.0);
            QVERIFY2(target.outline.right() <= width + 1e-6, target.title.c_str());
            QVERIFY(target.outline.bottom() <= geometry.scene.height);
        }
        for (std::size_t a = 0; a < geometry.panels.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const Rect& one = geometry.panels[a].rect;
                const Rect& two = geometry.panels[b].rect;
                QVERIFY(one.x >= two.right() || two.x >= one.right() || one.y >= two.bottom()
                    || two.y >= one.bottom());
            }
        }
        for (const auto& item : geometry.scene.items) {
            const auto* label = std::get_if<Label>(&item);
            if (label == nullptr)
                continue;
            const double wide = 5.0 * static_cast<double>(label->text.size());
            const double left = label->align == Align::Left ? label->anchor.x
                : label->align == Align::Centre             ? label->anchor.x - wide / 2.0
                                                            : label->anchor.x - wide;
            QVERIFY2(left >= -0.1 && left + wide <= width + 0.1, label->text.c_str());
        }
    }

    void panelsAreChosen() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Cards, PredictionPanel::Heat});
        QCOMPARE(geometry.panels.size(), std::size_t{2});
        QVERIFY(says(geometry, "3 s to 5 s"));
        QVERIFY(says(geometry, "40 % to 62.5 %"));
        QVERIFY(says(geometry, "70 °C"));
        QVERIFY(!says(geometry, "GEMM"));
        QVERIFY(hitPrediction(geometry, {0.0, 0.0}) == std::nullopt);
    }

    void csvHasTheNumbers() {
        const auto csv = QString::fromStdString(predictionCsv(test::demoPrediction()));
        const QStringList lines = csv.split(QLatin1Char('\n'));
        QCOMPARE(lines.front(), QStringLiteral("panel,name,part,unit,value,low,high"));
        for (const char* line :
            {"figures,step_time,,s,4,3,5", "step,measured,,s,4.4,,", "step,TP 8,gemm,s,2,,",
                "memory,stage 1,activations,B,70000000000,,", "node,slot 1,temperature,°C,70,,",
                "layouts,TP 4,step_time,s,5,4,6", "layouts,TP 4,Energy of a step,J,8000,,"})
            QVERIFY2(lines.contains(QString::fromUtf8(line)), qPrintable(csv));
    }

    void nothingIsSaidInWords() {
        PredictionFigureData empty;
        empty.emptyText = "No model is chosen.";
        QVERIFY(empty.isEmpty());
        const auto geometry = buildPrediction(empty, pagesOf(400.0), {PredictionPanel::Step});
        QVERIFY(says(geometry, "No model is chosen."));
    }
};

TRAINSCOPE_TEST(tst_PredictionFigure)
#include "tst_PredictionFigure.moc"
