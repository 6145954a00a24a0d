// The board of a comparison: where things lie, by numbers, what the pointer finds, and the texts.

#include "core/plot/comparison/ComparisonText.h"
#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/support/Targets.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

FigureStyle styleOf(double width) {
    return styleWith(fixedPitch, lightTheme(), width);
}

Picture drawn(const ComparisonData& data, double width, std::vector<ComparisonPanel> panels = {}) {
    return buildComparison(data, styleOf(width), {std::move(panels)});
}

using Weight = analysis::Difference::Weight;

bool isClose(double a, double b) {
    return std::abs(a - b) < 1e-6;
}

} // namespace

class tst_ComparisonGeometry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Panels lie in the board, below or beside each other, in their order.
    void panels_data() {
        // beside: panels in the row of the breakdown
        const auto row = columns<double, int>("width", "beside");
        row("narrow", 480.0, 1);
        row("two", 800.0, 2);
        row("wide", 1200.0, 2);
    }
    void panels() {
        QFETCH(double, width);
        QFETCH(int, beside);
        auto data = demoComparison();
        data.operators = {{"aten::mm", {2.0, 1.0}}};
        const auto geometry = drawn(data, width);
        QCOMPARE(geometry.areas.size(), kComparisonPanels.size());
        int row = 0;
        for (std::size_t i = 0; i < geometry.areas.size(); ++i) {
            const Rect& rect = geometry.areas[i];
            QVERIFY(rect.x >= 0.0 && rect.right() <= width);
            QVERIFY(rect.y >= 0.0 && rect.bottom() <= geometry.scene.height);
            for (std::size_t k = 0; k < i; ++k) {
                const Rect& other = geometry.areas[k];
                QVERIFY(
                    rect.x >= other.right() || other.x >= rect.right() || rect.y >= other.bottom());
            }
            row += isClose(rect.y, geometry.areas[2].y) ? 1 : 0;
        }
        QCOMPARE(row, beside);
        for (const auto& item : itemsOf<Label>(geometry.scene)) {
            const double wide = fixedPitch(item.text, item.role, item.bold);
            const double left = item.align == Align::Left ? item.anchor.x
                : item.align == Align::Right              ? item.anchor.x - wide
                                                          : item.anchor.x - wide / 2.0;
            QVERIFY2(left >= -0.5 && left + wide <= width + 0.5, item.text.c_str());
        }
    }

    // Cut in their middles both would read "experiment…batch".
    void chipsNeverReadAlike() {
        auto data = demoComparison();
        data.runs = {demoRun(0, "1 × H100"), demoRun(1, "1 × H100")};
        data.runs[0].named.name = "experiment_of_march_with_the_current_eager_code_and_batch";
        data.runs[1].named.name = "experiment_of_march_with_the_current_fused_code_and_batch";
        for (const double width : {260.0, 480.0, 1200.0}) {
            const auto geometry = drawn(data, width, {ComparisonPanel::Verdict});
            std::vector<std::string> chips;
            for (const auto& label : itemsOf<Label>(geometry.scene)) {
                if (label.role == TextRole::Secondary && !label.bold)
                    chips.push_back(label.text);
            }
            QCOMPARE(chips.size(), std::size_t{2});
            VERIFY_SAYS(chips[0], "eager");
            VERIFY_SAYS(chips[1], "fused");
        }
    }

    // 2 s and 1 s of one operator, half a second of another that A does not call.
    void operatorsWithTheirDifference() {
        auto data = demoComparison();
        data.operators = {{"aten::mm", {2.0, 1.0}}, {"aten::add", {std::nullopt, 0.5}}};
        const auto geometry = drawn(data, 600.0, {ComparisonPanel::Operators});
        for (const char* text : {"aten::mm", "2 s", "1 s", "−1 s", "aten::add", "—", "500 ms",
                 "+500 ms", "B − A", "Operators that differ most"})
            QVERIFY2(hasLabel(geometry.scene, text), text);
        const std::string csv = comparisonCsv(data, {ComparisonPanel::Operators});
        QCOMPARE(csv,
            std::string("run,operator,seconds_per_step [s]\nrun-A,aten::mm,2\nrun-B,aten::mm,1\n"
                        "run-B,aten::add,0.5\n"));
    }

    void onlyChosenPanels() {
        const auto geometry = drawn(demoComparison(), 900.0, {ComparisonPanel::Curves});
        QCOMPARE(geometry.areas.size(), std::size_t{1});
        auto data = demoComparison();
        data.curves.reset();
        QVERIFY(drawn(data, 900.0, {ComparisonPanel::Curves}).areas.empty());
    }

    // 10 s are as wide as the plot, parts as wide as their seconds, one scale for both runs.
    void stacks() {
        const auto data = demoComparison();
        const auto geometry = drawn(data, 1000.0, {ComparisonPanel::Breakdown});
        const auto parts = rectsOf(geometry);
        QCOMPARE(parts.size(), std::size_t{4}); // the stage's is not shown
        const double second = parts[0].width / 6.0;
        QVERIFY(isClose(parts[1].width, 4.0 * second));
        QVERIFY(isClose(parts[1].x, parts[0].right()));
        QVERIFY(isClose(parts[2].x, parts[0].x));
        QVERIFY(isClose(parts[2].width, 4.0 * second));
        const auto hit = geometry.hitAt(centreOf(parts[1]));
        QVERIFY(hit.has_value());
        QCOMPARE(hit->title, std::string("A · AllReduce exposed"));
        QCOMPARE(factOf(*hit, "Per step"), std::string("4 s"));
        QCOMPARE(factOf(*hit, "Share of the step"), std::string("40.0 %"));
        BoardChoice choice{{ComparisonPanel::Breakdown}};
        choice.perStage = true;
        QCOMPARE(buildComparison(data, styleOf(1000.0), choice).targets.size(), std::size_t{5});
    }

    // Bars from 0 to 100 W; the spread of B reaches from 78 to 82 W.
    void bars() {
        const auto data = demoComparison();
        const auto geometry = drawn(data, 600.0, {ComparisonPanel::Bars});
        std::vector<Rect> drawn;
        for (const auto& fill : itemsOf<FillRect>(geometry.scene)) {
            if (fill.fill == seriesColor(0) || fill.fill == seriesColor(1))
                drawn.push_back(fill.rect);
        }
        QCOMPARE(drawn.size(), std::size_t{2});
        QVERIFY(isClose(drawn[1].width, 2.0 * drawn[0].width));
        const double watt = drawn[0].width / 40.0;
        const auto lines = itemsOf<Line>(geometry.scene);
        const auto spread = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
            return isClose(line.from.x, drawn[1].x + 78.0 * watt)
                && isClose(line.to.x, drawn[1].x + 82.0 * watt);
        });
        QVERIFY(spread != lines.end());
    }

    // 60 and 66 °C are 6 °C apart; degrees have no ratio.
    void degreesAreSubtracted() {
        const auto& all = analysis::comparedQuantities();
        const auto of = [&all](const char* key) {
            analysis::Difference change;
            change.quantity = static_cast<std::size_t>(
                std::ranges::find(all, key, &analysis::QuantityInfo::key) - all.begin());
            change.a = 60.0;
            change.b = 66.0;
            return change;
        };
        QCOMPARE(plot::changeText(of("mean_temperature_c")), std::string("+6.0 °C"));
        auto power = of("mean_power_w");
        power.ratio = 1.1;
        QCOMPARE(plot::changeText(power), std::string("1.10 ×"));
    }

    void cards() {
        auto data = demoComparison();
        data.quantities.push_back(demoQuantity(50.0, 51.0, Weight::Within));
        data.quantities.push_back(demoQuantity(0.10, 0.145, Weight::Unknown, "throttled_fraction"));
        const auto geometry = drawn(data, 900.0, {ComparisonPanel::Cards});
        QCOMPARE(geometry.targets.size(), std::size_t{3});
        for (const char* text :
            {"2.00 ×", "A better", "1.02 ×", "within spread", "+4.5 pp", "spread unknown"})
            QVERIFY2(hasLabel(geometry.scene, text), text);
        // The bar of A shows its spread: what is not known is that of B.
        data.quantities.back().measures[1]->spread.reset();
        QVERIFY(
            hasLabel(drawn(data, 900.0, {ComparisonPanel::Cards}).scene, "spread of B unknown"));
    }

    // The names of a sweep differ at their ends, which no row cuts off.
    void sixtyRunsAreToldApart() {
        constexpr std::size_t runs = 60;
        ComparisonData data;
        auto quantity = demoQuantity(40.0, 80.0, Weight::Beyond);
        for (std::size_t run = 0; run < runs; ++run) {
            data.runs.push_back(demoRun(run % 26, "8 × H200"));
            data.runs.back().named.name
                = "sweep-of-march/gpt3-175b-on-h200/gpt3-175b_" + std::to_string(run) + "_00000";
        }
        quantity.measures.assign(runs, analysis::Measure{50.0, {}});
        quantity.whyAbsent.resize(runs);
        quantity.changes.resize(runs);
        data.quantities = {quantity};
        const auto geometry = drawn(data, 900.0, {ComparisonPanel::Cards});
        for (std::size_t run = 0; run < runs; ++run)
            QVERIFY(hasLabel(geometry.scene, "gpt3-175b_" + std::to_string(run)));
        // Rows of one height below each other.
        std::vector<double> tops;
        for (const auto& target : geometry.targets) {
            if (target.shown.isOwn)
                tops.push_back(target.rect.y);
        }
        QCOMPARE(tops.size(), runs);
        for (std::size_t run = 2; run < runs; ++run)
            QVERIFY(isClose(tops[run] - tops[run - 1], tops[1] - tops[0]));
        QVERIFY(tops[1] - tops[0] >= lightTheme().smallSize);
    }

    // Means at 100 and 200 W of 400 W; the difference is shaded in its first five columns only.
    void curves() {
        const auto data = demoComparison();
        const auto geometry = drawn(data, 700.0, {ComparisonPanel::Curves});
        const Rect plot = geometry.targets.front().rect;
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{3});
        const double height = columns[0].area.height;
        QVERIFY(isClose(columns[0].area.width, plot.width));
        const auto yOf
            = [&](double value) { return columns[0].area.bottom() - height * value / 400.0; };
        QVERIFY(std::abs(static_cast<double>(columns[0].top[3]) - yOf(150.0)) < 1e-3);
        QVERIFY(std::abs(static_cast<double>(columns[0].bottom[3]) - yOf(50.0)) < 1e-3);
        QVERIFY(std::isnan(columns[1].top[10]) && !std::isnan(columns[1].top[9]));
        const auto lines = itemsOf<Polyline>(geometry.scene);
        QCOMPARE(lines.size(), std::size_t{3});
        QCOMPARE(lines[1].points.size(), std::size_t{10});
        QVERIFY(std::abs(lines[1].points[0].y - yOf(200.0)) < 1e-3);
        QVERIFY(isClose(lines[0].points.back().x, plot.x + plot.width * 19.5 / 20.0));
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE(!std::isnan(columns[2].top[i]), i < 5);
        BoardChoice choice{{ComparisonPanel::Curves}};
        choice.stacked = true;
        const auto stacked = itemsOf<Columns>(buildComparison(data, styleOf(700.0), choice).scene);
        QVERIFY(stacked[1].area.y >= stacked[0].area.bottom());
    }

    void hitOnCurves() {
        const auto data = demoComparison();
        const auto geometry = drawn(data, 700.0, {ComparisonPanel::Curves});
        const Rect plot = geometry.targets.front().rect;
        const auto hit = geometry.hitAt({plot.x + plot.width * 2.25 / 10.0, plot.y + 5.0});
        QVERIFY(hit.has_value());
        QCOMPARE(factOf(*hit, "A"), std::string("100 W (50 W to 150 W)"));
        QCOMPARE(factOf(*hit, "B − A"), std::string("+100 W, beyond the spread"));
        QCOMPARE(hit->metric, std::string("gpu_power"));
        // The middle of the column from 2 to 2.5 s after the begin of A's iteration at 1 s.
        QCOMPARE(hit->range->begin.ns, std::int64_t{3'250'000'000});
        const auto later = geometry.hitAt({plot.x + plot.width * 0.9, plot.y + 5.0});
        QCOMPARE(factOf(*later, "B"), std::string());
    }

    // Numbers are bold, and so are their units; a name with digits is not.
    void verdict() {
        const auto geometry = drawn(demoComparison(), 900.0, {ComparisonPanel::Verdict});
        const auto labels = itemsOf<Label>(geometry.scene);
        const auto isBold = [&](const std::string& text) {
            return std::any_of(labels.begin(), labels.end(),
                [&](const Label& label) { return label.text == text && label.bold; });
        };
        QVERIFY(isBold("0.41 J") && isBold("0.57 J") && !isBold("."));
        QVERIFY(!isBold("4xH200") && !isBold("token,"));
    }

    void values_data() {
        const auto row = columns<QString, double, QString>("unit", "value", "text");
        row("watts", "W", 22800.0, "22.8 kW");
        row("seconds", "s", 7.204, "7.2 s");
        row("milliseconds", "s", 0.0412, "41.2 ms");
        row("counted", "1/s", 36412.0, "36.4 k");
        row("small", "1/J", 2.4249, "2.42");
        row("hundreds", "1/s", 1138.4, "1138");
        row("bytes", "B", 31.5e9, "31.5 GB");
        row("zero", "1", 0.0, "0");
    }
    void values() {
        QFETCH(QString, unit);
        QFETCH(double, value);
        QFETCH(QString, text);
        FigureAxis axis;
        axis.siUnit = unit.toStdString();
        QCOMPARE(QString::fromStdString(quantityValueText(axis, value)), text);
    }

    // Every number of the figures, a block for each.
    void csv() {
        const auto data = demoComparison();
        const std::string text = comparisonCsv(data, {});
        for (const char* line :
            {"run-B,mean_power_w,W,80,2,8,2,40,beyond\n", "run-A,,all_reduce,4\n",
                "run-A,0.25,100,50,150,,\n", "run-B,0.25,200,150,250,100,1\n", "run-B,GPUs,8\n"})
            QVERIFY2(text.find(line) != std::string::npos, line);
    }

    void names() {
        for (const auto panel : kComparisonPanels)
            QVERIFY(fromString<plot::ComparisonPanel>(toString(panel)) == panel);
        QVERIFY(!fromString<plot::ComparisonPanel>("nothing").has_value());
        QVERIFY(fromString<plot::ComparisonAlignment>("start") == ComparisonAlignment::Start);
    }
};

TRAINSCOPE_TEST(tst_ComparisonGeometry)
#include "tst_ComparisonGeometry.moc"
