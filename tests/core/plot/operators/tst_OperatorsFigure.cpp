// The geometry of flame graphs, rooflines, tables and differences by numbers, and what they say.

#include "core/analysis/operators/support/HandTree.h"
#include "core/plot/operators/OperatorsFigure.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/plot/support/Targets.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using analysis::FrameKind;
using analysis::StepPass;
using trainscope::test::HandTree;

namespace {

constexpr double kPadding = 8.0; // twice the theme's step
constexpr double kWidth = 816.0;
constexpr double kContent = kWidth - 2.0 * kPadding;

FigureStyle styleOf(double width = kWidth, double height = 0.0) {
    return test::styleWith(test::lettersOf(6.0), lightTheme(), width, height);
}

// 100 µs: a module with 90 of them in two operators, and the optimizer.
FlameFigureData flame() {
    HandTree made;
    const auto module = made.frame(0, FrameKind::Module, "nn.Module: Linear_0", StepPass::Forward);
    const auto relu = made.frame(module, FrameKind::Operator, "aten::relu", StepPass::Forward);
    made.work(relu, "relu_kernel", 30'000);
    const auto mm = made.frame(module, FrameKind::Operator, "aten::addmm", StepPass::Forward,
        R"({"Input Dims":[[8,512],[512,64]],"Input type":["c10::BFloat16","c10::BFloat16"]})");
    made.work(mm, "void gemm<float>(int)", 60'000);
    made.work(
        made.frame(0, FrameKind::Operator, "aten::adam", StepPass::Optimizer), "adam", 10'000);
    auto work = std::make_shared<CalledWork>();
    work->tree = made.tree();
    FlameFigureData data;
    data.head.title = "Call tree";
    data.work = work;
    return data;
}

const Rect* rectOf(const Picture& geometry, std::size_t index) {
    for (const auto& target : geometry.targets) {
        if (target.shown.choice == index)
            return &target.rect;
    }
    return nullptr;
}

bool isAt(const Rect* rect, double x, double width) {
    return rect != nullptr && std::abs(rect->x - x) < 1e-9 && std::abs(rect->width - width) < 1e-9;
}

MeasuredOperator measured(const char* name, std::int64_t us, double intensity, double speed) {
    MeasuredOperator one;
    one.name = name;
    one.time = one.busy = {us * 1000};
    one.sums.calls = one.works = 1;
    one.efficiency.intensity = intensity;
    one.efficiency.flopPerSecond = speed;
    one.efficiency.knownShare = 1.0;
    return one;
}

// Place of a label, turned around its anchor, as points a unit apart.
struct Box {
    Box(const Label& label, const FigureStyle& style)
        : text(label.text)
        , m_anchor(label.anchor)
        , m_width(style.measure(label.text, label.role, label.bold))
        , m_size(style.theme->size(label.role))
        , m_angle(label.rotation * std::numbers::pi / 180.0)
        , m_shift(label.align == Align::Left     ? 0.0
                  : label.align == Align::Centre ? m_width / 2.0
                                                 : m_width) { }

    [[nodiscard]] bool meets(const Rect& rect) const {
        return hasPoint([&rect](const Point& at) { return rect.contains(at); });
    }
    [[nodiscard]] bool meets(const Box& other) const {
        return hasPoint([&other](const Point& at) { return other.contains(at); });
    }
    [[nodiscard]] bool isIn(const Rect& rect) const {
        return !hasPoint([&rect](const Point& at) { return !rect.contains(at); });
    }

    std::string text;

private:
    // From the capitals' height to what hangs below the line.
    [[nodiscard]] double top() const { return -0.74 * m_size; }
    [[nodiscard]] double bottom() const { return 0.22 * m_size; }
    template <typename Test>
    [[nodiscard]] bool hasPoint(const Test& test) const {
        for (double x = 0.0; x <= m_width; x += 1.0) {
            for (double y = top(); y <= bottom(); y += 1.0) {
                const double along = x - m_shift;
                if (test(Point{m_anchor.x + along * std::cos(m_angle) - y * std::sin(m_angle),
                        m_anchor.y + along * std::sin(m_angle) + y * std::cos(m_angle)}))
                    return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool contains(const Point& at) const {
        const double dx = at.x - m_anchor.x;
        const double dy = at.y - m_anchor.y;
        const double x = dx * std::cos(m_angle) + dy * std::sin(m_angle) + m_shift;
        const double y = dy * std::cos(m_angle) - dx * std::sin(m_angle);
        return x >= 0.0 && x <= m_width && y >= top() && y <= bottom();
    }

    Point m_anchor;
    double m_width;
    double m_size;
    double m_angle;
    double m_shift;
};

RooflineFigureData crowdedRoofline() {
    RooflineFigureData data;
    data.roofs = {{"BF16", 989.4e12}, {"FP8", 1978.9e12}};
    data.bandwidth = 3.35e12;
    const char* const names[] = {"aten::mm", "aten::_flash_attention_forward",
        "aten::native_layer_norm", "aten::copy_", "aten::_fused_adamw_"};
    for (int i = 0; i < 40; ++i) {
        const double intensity = std::pow(10.0, -1.0 + 0.1 * i);
        const double roof = std::min(3.35e12 * intensity, 989.4e12);
        const double share = i % 4 == 0 && i < 16 ? 1.0 : 0.05 * (i % 9 + 1);
        data.operators.push_back(measured(names[i % 5], 1'000 / (i + 1), intensity, roof * share));
    }
    for (int i = 0; i < 30; ++i)
        data.operators.push_back(
            measured("aten::add", 40 - i, 0.4 + 0.01 * i, 1e11 * (1.0 + 0.2 * (i % 7))));
    return data;
}

} // namespace

class tst_OperatorsFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void framesAreAsWideAsTheirTime() {
        const auto data = flame();
        const auto geometry = buildFlame(data, styleOf());
        QVERIFY(isAt(rectOf(geometry, 0), kPadding, kContent));
        QVERIFY(isAt(rectOf(geometry, 1), kPadding, 0.9 * kContent));
        // The longer operator stands first.
        QVERIFY(isAt(rectOf(geometry, 4), kPadding, 0.6 * kContent));
        QVERIFY(isAt(rectOf(geometry, 2), kPadding + 0.6 * kContent, 0.3 * kContent));
        QVERIFY(isAt(rectOf(geometry, 6), kPadding + 0.9 * kContent, 0.1 * kContent));
        QCOMPARE(geometry.targets.size(), std::size_t{8});
        QVERIFY(rectOf(geometry, 4)->y > rectOf(geometry, 1)->y);
        QCOMPARE(geometry.scene.height, geometry.preferredHeight);
    }

    void aFrameFillsTheWidth() {
        auto data = flame();
        data.root = 4;
        const auto geometry = buildFlame(data, styleOf());
        for (const std::size_t index : {0U, 1U, 4U, 5U})
            QVERIFY(isAt(rectOf(geometry, index), kPadding, kContent));
        QVERIFY(rectOf(geometry, 2) == nullptr);
    }

    void shortOnesAreDrawnTogether() {
        HandTree made;
        made.work(0, "long", 9'900'000);
        for (int i = 0; i < 200; ++i)
            made.work(0, "short" + std::to_string(i), 500);
        auto work = std::make_shared<CalledWork>();
        work->tree = made.tree();
        FlameFigureData data;
        data.work = work;
        const auto geometry = buildFlame(data, styleOf());
        QCOMPARE(geometry.targets.size(), std::size_t{3});
        QVERIFY(isAt(&geometry.targets[2].rect, kPadding + 0.99 * kContent, 0.01 * kContent));
        const auto hit
            = geometry.hitAt({kPadding + 0.995 * kContent, geometry.targets[2].rect.y + 1.0});
        QVERIFY(hit && !hit->choice && !hit->run.isValid());
    }

    void whatAFrameSays() {
        const auto data = flame();
        const auto geometry = buildFlame(data, styleOf());
        const Rect* rect = rectOf(geometry, 4);
        const auto hit = geometry.hitAt({rect->x + 1.0, rect->y + 1.0});
        QVERIFY(hit.has_value());
        QCOMPARE(hit->title, std::string("aten::addmm"));
        QCOMPARE(hit->choice.value_or(0), std::size_t{4});
        const auto told = [&hit](const std::string& label) { return test::factOf(*hit, label); };
        QCOMPARE(told("Inputs"), std::string("[8, 512], [512, 64] bf16"));
        QCOMPARE(told("Kernel time"), std::string("60 µs"));
        QCOMPARE(told("Of all kernel time"), std::string("60 %"));
        QCOMPARE(frameTitle(FrameKind::Module, "nn.Module: Linear_0"), std::string("Linear_0"));
        QCOMPARE(frameTitle(FrameKind::Kernel, "void gemm<float>(int)"), std::string("gemm"));
        const auto lines = flameCsv(data);
        QCOMPARE(std::count(lines.begin(), lines.end(), '\n'), 9);
    }

    // A decade is a decade everywhere, and what reaches the bandwidth lies on the slope.
    void pointsOverTheRoofs() {
        RooflineFigureData data;
        data.roofs = {{"BF16", 1e15}};
        data.bandwidth = 2e12;
        data.operators = {measured("a", 100, 1.0, 2e12), measured("b", 50, 10.0, 2e13),
            measured("c", 25, 100.0, 2e13), measured("unknown", 5, 0.0, 0.0)};
        data.operators[3].efficiency = {};
        QVERIFY(!data.isEmpty());
        const auto geometry = buildRoofline(data, styleOf());
        QCOMPARE(geometry.targets.size(), std::size_t{3});
        const auto at = [&](std::size_t index) {
            const Rect* rect = rectOf(geometry, index);
            return Point{rect->x + rect->width / 2.0, rect->y + rect->height / 2.0};
        };
        QVERIFY(std::abs((at(1).x - at(0).x) - (at(2).x - at(1).x)) < 1e-6);
        QVERIFY(std::abs(at(1).y - at(2).y) < 1e-6);
        QVERIFY(at(0).y > at(1).y);
        // Diameters as the roots of the times, the longest the largest.
        QVERIFY(std::abs(rectOf(geometry, 2)->width / rectOf(geometry, 0)->width - 0.5) < 1e-9);
        const auto slope = std::find_if(
            geometry.scene.items.begin(), geometry.scene.items.end(), [](const auto& item) {
                const auto* line = std::get_if<Line>(&item);
                return line != nullptr && line->from.y != line->to.y && line->from.x != line->to.x;
            });
        QVERIFY(slope != geometry.scene.items.end());
        const auto& [from, to, color, width, dashed] = std::get<Line>(*slope);
        for (const std::size_t index : {0U, 1U}) {
            const double y = from.y + (to.y - from.y) * (at(index).x - from.x) / (to.x - from.x);
            QVERIFY(std::abs(y - at(index).y) < 1e-6);
        }
    }

    void namesDoNotOverlap_data() {
        // named: at least
        const auto row = test::columns<double, bool, std::size_t>("width", "printed", "named");
        row("89 mm", 252.3, true, 4);
        row("178 mm", 504.6, true, 8);
        row("window", 1100.0, false, 10);
    }

    // Points along the memory's line, on and under the roofs, and a crowd.
    void namesDoNotOverlap() {
        QFETCH(double, width);
        QFETCH(bool, printed);
        QFETCH(std::size_t, named);
        auto style = styleOf(width);
        style.theme = printed ? &paperTheme() : &lightTheme();
        style.measure = [theme = style.theme](std::string_view text, TextRole role, bool) {
            return 0.52 * theme->size(role) * static_cast<double>(text.size());
        };
        const auto data = crowdedRoofline();
        const auto geometry = buildRoofline(data, style);
        std::vector<Box> boxes;
        std::size_t names = 0;
        for (const Label& label : test::itemsOf<Label>(geometry.scene)) {
            boxes.emplace_back(label, style);
            names += label.text.starts_with("aten::") ? 1U : 0U;
            QVERIFY2(
                boxes.back().isIn({0.0, 0.0, width, geometry.scene.height}), label.text.c_str());
        }
        QVERIFY2(names >= named, std::to_string(names).c_str());
        // On the narrowest there is no room between the roofs.
        for (const char* told : {"memory 3.35 TB/s", "FP8 1.98 PFLOP/s", "BF16 989 TFLOP/s"}) {
            const bool isTold = std::any_of(
                boxes.begin(), boxes.end(), [told](const Box& box) { return box.text == told; });
            QVERIFY2(isTold || (width < 300.0 && *told == 'B'), told);
        }
        for (const Box& one : boxes) {
            for (const auto& target : geometry.targets)
                QVERIFY2(!one.meets(target.rect), one.text.c_str());
            for (const Box& other : boxes)
                QVERIFY2(
                    &one == &other || !one.meets(other), (one.text + " and " + other.text).c_str());
        }
        QVERIFY(RooflineFigureData().isEmpty());
    }

    void rowsOfATable() {
        OperatorTableFigureData data;
        data.nameTitle = "Operator";
        data.operators
            = {measured("aten::mm", 100, 10.0, 1e13), measured("aten::add", 25, 0.1, 1e11)};
        data.operators[0].efficiency.rooflineFraction = 0.5;
        data.operators[0].efficiency.savable = 50e-6;
        for (const double width : {kWidth, 240.0}) {
            const auto geometry = buildOperatorTable(data, styleOf(width));
            QCOMPARE(geometry.targets.size(), std::size_t{2});
            std::vector<double> bars;
            for (const auto& item : geometry.scene.items) {
                const auto* bar = std::get_if<FillRect>(&item);
                if (bar != nullptr && bar->hatch == Hatch::None)
                    bars.push_back(bar->rect.width);
            }
            QCOMPARE(bars.size(), std::size_t{2});
            QVERIFY(std::abs(bars[1] / bars[0] - 0.25) < 1e-9);
            for (const Label& label : test::itemsOf<Label>(geometry.scene)) {
                const double wide = 6.0 * static_cast<double>(label.text.size());
                const double left
                    = label.align == Align::Right ? label.anchor.x - wide : label.anchor.x;
                QVERIFY2(left >= 0.0 && left + wide <= width, label.text.c_str());
            }
        }
    }

    void differencesLieAtTheirSide() {
        DifferenceFigureData data;
        const auto compared = [](const char* name, double a, double b) {
            analysis::ComparedOperator one;
            one.name = name;
            if (a > 0.0)
                one.times.a = analysis::ComparedSide{a, 1.0, 1};
            if (b > 0.0)
                one.times.b = analysis::ComparedSide{b, 1.0, 1};
            return one;
        };
        data.operators = {compared("mm", 4.0, 2.0), compared("new", 0.0, 1.0)};
        const auto geometry = buildDifference(data, styleOf());
        const double middle = geometry.areas[0].x + geometry.areas[0].width / 2.0;
        std::vector<Rect> bars;
        for (const auto& item : geometry.scene.items) {
            const auto* bar = std::get_if<FillRect>(&item);
            if (bar != nullptr && bar->hatch == Hatch::None && bar->rect.y >= geometry.areas[0].y
                && bar->rect.bottom() <= geometry.targets.back().rect.bottom())
                bars.push_back(bar->rect);
        }
        QCOMPARE(bars.size(), std::size_t{2});
        QVERIFY(std::abs(bars[0].right() - middle) < 1e-9);
        QVERIFY(std::abs(bars[0].width - geometry.areas[0].width / 2.0) < 1e-9);
        QVERIFY(std::abs(bars[1].x - middle) < 1e-9);
        QVERIFY(std::abs(bars[1].width - bars[0].width / 2.0) < 1e-9);
        const auto csv = differenceCsv(data);
        VERIFY_SAYS(csv, "\nmm,,,,,4,2,-2,0.5,faster,1,1,1,1\n");
        VERIFY_SAYS(csv, "\nnew,,,,,,1,1,,new,,1,,1\n");
    }

    // Words about operators: the basis of a figure, and shares of the peak.

    // Lists of an optimizer have no types; what they are in rests on the same assumption.
    void whatIsAssumed() {
        HandTree made;
        const auto step = made.frame(0, FrameKind::Annotation, "Optimizer.step");
        made.work(
            made.frame(step, FrameKind::Operator, "aten::_fused_adamw_", StepPass::Optimizer,
                R"({"Input Dims":[[[2,3]],[[2,3]],[[2,3]],[[2,3]],[],[[]]],)"
                R"("Input type":["TensorList","TensorList","TensorList","TensorList","",""]})"),
            "adam", 10'000);
        const auto product = made.frame(0, FrameKind::Operator, "aten::mm", StepPass::Forward,
            R"({"Input Dims":[[8,512],[512,64]],"Input type":["c10::BFloat16","c10::BFloat16"]})");
        made.work(product, "gemm", 10'000);
        const auto known = analysis::efficiencies(made.tree(), nullptr);
        QVERIFY(known[0].isTypeAssumed && known[step].isTypeAssumed);
        QVERIFY(known[product].flop && !known[product].isTypeAssumed);
        const auto facts = factsOf(known[step]);
        QCOMPARE(facts.back().first, std::string("Type of lists"));
        QVERIFY(factsOf(known[product]).back().first != "Type of lists");
    }

    void sharesOfThePeakInWords() {
        analysis::OperatorMfu mfu;
        mfu.mfu = 0.4123;
        mfu.hfu = 0.52;
        mfu.knownShare = 0.98;
        QCOMPARE(mfuText(mfu, std::nullopt),
            std::string("MFU by operators 41.2 %; work is known of 98 % of the kernels' time"));
        mfu.recomputedFlop = 1e12;
        QCOMPARE(mfuText(mfu, 0.401),
            std::string("MFU by operators 41.2 %, with recomputation 52.0 %; work is known of 98 % "
                        "of the kernels' time; MFU by the model's formula 40.1 %"));
    }
};

TRAINSCOPE_TEST(tst_OperatorsFigure)
#include "tst_OperatorsFigure.moc"
