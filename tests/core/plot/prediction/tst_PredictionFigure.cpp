// Geometry of a prediction's board by numbers.

#include "core/plot/prediction/PredictionWords.h"
#include "core/plot/prediction/support/DemoPrediction.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

#include <variant>

using namespace trainscope::plot;
using predict::Refusal;

namespace {

FigureStyle pagesOf(double width) {
    return test::styleWith(test::lettersOf(5.0), lightTheme(), width);
}

Picture builtOf(double width, std::vector<PredictionPanel> panels = {}) {
    if (panels.empty())
        panels.assign(kPredictionPanels.begin(), kPredictionPanels.end());
    const auto data = std::make_shared<const PredictionFigureData>(test::demoPrediction());
    Picture picture = buildPrediction(*data, pagesOf(width), panels);
    picture.data = data;
    return picture;
}

std::optional<Hit> targetOf(const Picture& geometry, const std::string& title) {
    for (const Target& target : geometry.targets) {
        auto hit = test::told(target);
        if (hit.title == title)
            return hit;
    }
    return std::nullopt;
}

bool says(const Picture& geometry, const std::string& wanted) {
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
        const auto gemm = targetOf(geometry, "TP 8 · GEMM");
        const auto tensor = targetOf(geometry, "TP 8 · Tensor parallel");
        const auto bubble = targetOf(geometry, "TP 8 · Bubble");
        QVERIFY(gemm.has_value() && tensor.has_value() && bubble.has_value());
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

    // The whisker lies over the last second, from 3 to 5 s, so that its part has no number.
    void noNumberLiesUnderTheWhisker() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Step});
        const auto numbersIn = [&geometry](const Rect& part) {
            return std::count_if(geometry.scene.items.begin(), geometry.scene.items.end(),
                [&part](const SceneItem& item) {
                    const auto* label = std::get_if<Label>(&item);
                    return label != nullptr && part.contains(label->anchor);
                });
        };
        QCOMPARE(numbersIn(targetOf(geometry, "TP 8 · GEMM")->outline), std::ptrdiff_t{1});
        QCOMPARE(
            numbersIn(targetOf(geometry, "TP 8 · Tensor parallel")->outline), std::ptrdiff_t{1});
        QCOMPARE(numbersIn(targetOf(geometry, "TP 8 · Bubble")->outline), std::ptrdiff_t{0});
    }

    // 60 and 90 GB against 80.
    void memoryBeyondTheGpuIsMarked() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Memory});
        const auto first = targetOf(geometry, "stage 0 · Activations");
        const auto second = targetOf(geometry, "stage 1 · Activations");
        QVERIFY(first.has_value() && second.has_value());
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

    // 510, 490 and 540 W against 500: +10, −10 and +40.
    void residualsLieBelowTheirTrack() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Tracks});
        std::vector<const Columns*> columns;
        std::vector<const Polyline*> lines;
        for (const auto& item : geometry.scene.items) {
            if (const auto* some = std::get_if<Columns>(&item))
                columns.push_back(some);
            if (const auto* line = std::get_if<Polyline>(&item))
                lines.push_back(line);
        }
        QCOMPARE(columns.size(), std::size_t{3}); // two bands and the residual
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines[0]->points.size(), std::size_t{3}); // the fourth was not measured
        QCOMPARE(lines[1]->points.size(), std::size_t{4});
        const Columns& residual = *columns.back();
        QVERIFY(residual.area.y > columns.front()->area.bottom());
        const auto zero = residual.bottom[0];
        QCOMPARE(residual.top[1], zero);
        QVERIFY(std::abs(zero - residual.top[0] - (residual.bottom[1] - zero)) < 1e-3F);
        QVERIFY(std::abs(zero - residual.top[2] - 4.0F * (zero - residual.top[0])) < 1e-3F);
        QVERIFY(std::isnan(residual.top[3]));
        QVERIFY(says(geometry,
            "mean 20\u00a0W, 90 % within 40\u00a0W (4.0 % and 8.0 %), bias +13.3\u00a0W"));
        const auto track = targetOf(geometry, "GPU power, predicted − measured");
        QVERIFY(track.has_value());
        QCOMPARE(track->facts.back().second, std::string("2 GPUs"));
        // Other GPUs were measured than predicted.
        auto data = test::demoPrediction();
        auto tracks = *data.tracks;
        tracks.tracks.front().told.gpus = 0;
        data.tracks = std::make_shared<const PredictedTracks>(std::move(tracks));
        const auto ofMeans = buildPrediction(data, pagesOf(900.0), {PredictionPanel::Tracks});
        QCOMPARE(targetOf(ofMeans, "GPU power, predicted − measured")->facts.back().second,
            std::string("the means of the GPUs"));
    }

    // 10¹² tokens at 500 a second on each of 8 GPUs: steps of 4 s of 16 · 4096 tokens take 706
    // days, and 8 kJ each come to 33.9 MWh.
    void cardsInOtherWords() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Cards});
        QVERIFY(says(geometry, "706 days"));
        QVERIFY(says(geometry, "530 days to 883 days"));
        const auto card = targetOf(geometry, "Energy of the training");
        QVERIFY(card.has_value());
        QCOMPARE(card->facts.front().second, std::string("33.9 MWh"));
        QCOMPARE(card->facts[1].second, std::string("29.7 MWh to 38.1 MWh"));
    }

    // Numbers end at the right of their columns, a row below the other.
    void choicesAreATable() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Choices});
        std::vector<Point> memory;
        for (const Label& label : test::itemsOf<Label>(geometry.scene)) {
            if (!label.text.ends_with(" GB"))
                continue;
            QVERIFY(label.align == Align::Right);
            memory.push_back(label.anchor);
        }
        QCOMPARE(memory.size(), std::size_t{3});
        QCOMPARE(memory[0].x, memory[1].x);
        QVERIFY(memory[0].y < memory[1].y && memory[1].y < memory[2].y);
        const auto best = targetOf(geometry, "1  TP 8 · PP 1 · DP 1, micro-batch 1");
        QVERIFY(best.has_value());
        QVERIFY(std::find(best->facts.begin(), best->facts.end(),
                    std::pair<std::string, std::string>("Memory", "60 GB"))
            != best->facts.end());
        QVERIFY(targetOf(geometry, "= 1  TP 2 · PP 1 · DP 4, micro-batch 1").has_value());
        QVERIFY(targetOf(geometry, "2  TP 4 · PP 1 · DP 2, micro-batch 1").has_value());
        QVERIFY(says(geometry, "The best first by step time"));
    }

    // Columns that have no room go below the name of their row.
    void narrowTablesAreStacked() {
        const auto geometry = builtOf(280.0, {PredictionPanel::Changes});
        QVERIFY(says(geometry, "Link bandwidth"));
        QVERIFY(says(geometry, "3.6\u00a0s"));
        QVERIFY(says(geometry, "does\u00a0not\u00a0fit"));
        for (const Label& label : test::itemsOf<Label>(geometry.scene))
            QVERIFY(label.align == Align::Left);
    }

    void theAnswerIsTheHead() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Answer, PredictionPanel::Sources});
        QCOMPARE(geometry.areas.size(), std::size_t{2});
        QVERIFY(says(geometry, "TP 4 · PP 2 · DP 1, micro-batch 1"));
        QVERIFY(says(geometry, "llama3-8b on 8 × H100"));
        QVERIFY(says(geometry, "1T tokens take 706 days"));
        QVERIFY(says(geometry, "Not the best, which is TP 8 · PP 1 · DP 1, micro-batch 1, by"));
        QVERIFY(says(geometry, "Step: from formulas"));
        PredictionFigureData undecided;
        QVERIFY(!undecided.has(PredictionPanel::Answer));
        QVERIFY(!undecided.has(PredictionPanel::Sources));
    }

    void twoClustersAreAComparison() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Verdict});
        QVERIFY(says(geometry, test::demoPrediction().rival->verdict->headline.substr(0, 5)));
        for (const auto& target : geometry.targets)
            QVERIFY(!target.shown.choice);
    }

    void everythingIsInside_data() {
        test::columns<double>("width");
        for (const double width : {280.0, 440.0, 760.0, 1600.0})
            QTest::addRow("%.0f", width) << width;
    }
    void everythingIsInside() {
        QFETCH(double, width);
        const auto geometry = builtOf(width);
        QCOMPARE(geometry.areas.size(), kPredictionPanels.size());
        for (const auto& target : geometry.targets) {
            QVERIFY(target.rect.x >= 0.0);
            QVERIFY2(target.rect.right() <= width + 1e-6, test::told(target).title.c_str());
            QVERIFY(target.rect.bottom() <= geometry.scene.height);
        }
        for (std::size_t a = 0; a < geometry.areas.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const Rect& one = geometry.areas[a];
                const Rect& two = geometry.areas[b];
                QVERIFY(one.x >= two.right() || two.x >= one.right() || one.y >= two.bottom()
                    || two.y >= one.bottom());
            }
        }
        for (const Label& label : test::itemsOf<Label>(geometry.scene)) {
            const double wide = 5.0 * static_cast<double>(label.text.size());
            const double left = label.align == Align::Left ? label.anchor.x
                : label.align == Align::Centre             ? label.anchor.x - wide / 2.0
                                                           : label.anchor.x - wide;
            QVERIFY2(left >= -0.1 && left + wide <= width + 0.1, label.text.c_str());
        }
    }

    void panelsAreChosen() {
        const auto geometry = builtOf(900.0, {PredictionPanel::Cards, PredictionPanel::Heat});
        QCOMPARE(geometry.areas.size(), std::size_t{2});
        QVERIFY(says(geometry, "3 s to 5 s"));
        QVERIFY(says(geometry, "40 % to 62.5 %"));
        QVERIFY(says(geometry, "70 °C"));
        QVERIFY(!says(geometry, "GEMM"));
        QVERIFY(!geometry.hitAt({0.0, 0.0}));
    }

    void csvHasTheNumbers() {
        const auto csv = QString::fromStdString(predictionCsv(test::demoPrediction()));
        const QStringList lines = csv.split(QLatin1Char('\n'));
        QCOMPARE(lines.front(), QStringLiteral("panel,name,part,unit,value,low,high"));
        for (const char* line : {"figures,step_time,,s,4,3,5", "step,measured,,s,4.4,,",
                 "step,TP 8,out of memory,s,4,3,5", "step,TP 8,gemm,s,2,,",
                 "memory,stage 1,activations,B,70000000000,,", "node,slot 1,temperature,°C,70,,",
                 "ranking,\"TP 4 · PP 1 · DP 2, micro-batch 1\",memory,B,50000000000,,",
                 "ranking,\"TP 2 · PP 1 · DP 4, micro-batch 1\",ties,1,1,,",
                 "what_if,link_bandwidth,\"step time, 0.5 times\",s,5,4,6",
                 "what_if,memory_size,\"out of memory, 0.5 times\",1/s,,,",
                 "residual,gpu_power,p90,W,40,,",
                 "measured,gpu_power,at 0.125 of the step,W,500,490,510"})
            QVERIFY2(lines.contains(QString::fromUtf8(line)), qPrintable(csv));
    }

    void nothingIsSaidInWords() {
        PredictionFigureData empty;
        empty.emptyText = "No model is chosen.";
        const auto geometry = buildPrediction(empty, pagesOf(400.0), {PredictionPanel::Step});
        QVERIFY(says(geometry, "No model is chosen."));
    }

    // Words on the layouts of a search that cannot be.

    // 4 + 40 + 30 + 20 + 5 + 1 = 100: what is told adds up to all that was looked at.
    void theyAddUp() {
        predict::SearchResult found;
        found.searched = 100;
        found.feasible.resize(4);
        found.sure = 4;
        const auto refuse = [&found](Refusal reason, std::int64_t count) {
            found.refused[static_cast<std::size_t>(reason)] = count;
        };
        refuse(Refusal::Memory, 40);
        refuse(Refusal::Ranks, 30);
        refuse(Refusal::Batch, 20);
        QCOMPARE(plot::searchWords(found),
            std::string("4 of 100 layouts are possible; ruled out: 40 by memory, 30 by ranks, 20 "
                        "by batch"));
        refuse(Refusal::Heads, 5);
        refuse(Refusal::Slow, 1);
        QCOMPARE(plot::searchWords(found),
            std::string("4 of 100 layouts are possible; ruled out: 40 by memory, 30 by ranks, 20 "
                        "by batch and 6 by other limits"));
        found.sure = 3;
        VERIFY_SAYS(plot::searchWords(found),
            "; 1 of the possible fits perhaps, by the upper bound of its memory");
    }
    void theyCountAsPeopleDo_data() {
        const auto row = test::columns<int, int, QString>("searched", "possible", "words");
        row("one", 1, 1, "1 layout was tried and is possible");
        row("one of many", 5310, 1, "1 of 5,310 layouts is possible");
        row("many", 115240, 10352, "10,352 of 115,240 layouts are possible");
    }
    void theyCountAsPeopleDo() {
        QFETCH(int, searched);
        QFETCH(int, possible);
        predict::SearchResult found;
        found.searched = searched;
        found.feasible.resize(static_cast<std::size_t>(possible));
        found.sure = possible;
        QTEST(QString::fromStdString(plot::searchWords(found)), "words");
    }
};

TRAINSCOPE_TEST(tst_PredictionFigure)
#include "tst_PredictionFigure.moc"
