// The scenes of a small call tree, its roofline and table, a layout, a prediction, a schedule and a
// placement; see support/Golden.h.

#include "app/painting/support/Golden.h"
#include "core/analysis/operators/support/HandTree.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "core/plot/operators/OperatorsFigure.h"
#include "core/plot/prediction/support/DemoPrediction.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using analysis::FrameKind;
using analysis::StepPass;

namespace {

plot::FlameFigureData flameData() {
    HandTree made;
    const auto layer = made.frame(0, FrameKind::Module, "nn.Module: Block_0", StepPass::Forward);
    const auto mm = made.frame(layer, FrameKind::Operator, "aten::mm", StepPass::Forward);
    made.work(mm, "void gemm<float>(int)", 50'000);
    const auto backward = made.frame(mm, FrameKind::Operator, "MmBackward0", StepPass::Backward);
    made.work(backward, "void gemm<float>(int)", 30'000);
    made.work(backward, "fill", 200);
    const auto step = made.frame(0, FrameKind::Annotation, "Optimizer.step", StepPass::Optimizer);
    made.work(step, "multi_tensor_apply", 19'800);
    auto work = std::make_shared<plot::CalledWork>();
    work->tree = made.tree();
    work->categories = {"", "", "", "gemm", "", "gemm", "elementwise", "", "optimizer"};
    plot::FlameFigureData data;
    data.head.title = "Call tree · job";
    data.head.caption = "100 µs of kernel time.";
    data.work = work;
    return data;
}

std::vector<plot::MeasuredOperator> operators() {
    const auto one = [](const char* name, StepPass pass, std::int64_t us, double intensity,
                         double speed, double fraction) {
        plot::MeasuredOperator made;
        made.name = name;
        made.pass = pass;
        made.sums.calls = made.works = 4;
        made.time = made.busy = {us * 1000};
        made.efficiency.flopPerSecond = speed;
        made.efficiency.bytesPerSecond = speed / intensity;
        made.efficiency.intensity = intensity;
        made.efficiency.rooflineFraction = fraction;
        made.efficiency.savable = (1.0 - fraction) * made.time.seconds();
        made.efficiency.knownShare = 1.0;
        return made;
    };
    std::vector<plot::MeasuredOperator> all{
        one("aten::mm", StepPass::Forward, 900, 400.0, 6.4e14, 0.65),
        one("aten::native_layer_norm", StepPass::Backward, 300, 0.5, 8e11, 0.48)};
    all.emplace_back();
    all.back().name = "custom::op";
    all.back().time = all.back().busy = {100'000};
    return all;
}

plot::LayoutFigureData dataOf(int nodes, const test::Shape& shape) {
    plot::LayoutFigureData data;
    data.title = "run";
    data.caption = "Over the whole run.";
    data.notes = {"Layout from the launch configuration."};
    data.layout = test::demoLayout(shape);
    data.cluster = test::demoCluster(nodes, shape.gpus);
    data.colours = test::demoHeat(nodes * shape.gpus);
    for (int node = 0; node < nodes; ++node)
        data.nodes.push_back(
            {"stage " + std::to_string(node) + " · 3.6 kW", "NVSwitch 174 GB/s", 0.4});
    for (int node = 1; node < nodes; ++node)
        data.edges.push_back({{node - 1, node, "pp", {}, {}}, 6e9 + 1e8 * node, "6.1 GB / step"});
    return data;
}

plot::FigureStyle styleOf(const char* themeName, double width) {
    plot::FigureStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = width;
    style.measure = goldenPitch(*style.theme);
    return style;
}

plot::PlacementFigureData placement() {
    plot::PlacementFigureData data;
    data.title = "Placement · job";
    data.caption = "An estimate.";
    analysis::Placement placed;
    placed.helps = true;
    placed.stages = {{20, 21, 1.0, 1.0, 60.0, 0}, {20, 19, 0.9, 0.9, 76.0, 0}};
    for (int rank = 0; rank < 16; ++rank) {
        analysis::GpuPlace gpu;
        gpu.node = rank / 8;
        gpu.local = gpu.slot = rank % 8;
        gpu.isRear = gpu.slot >= 4;
        gpu.rankBefore = gpu.rankAfter = rank;
        gpu.stageBefore = rank / 8;
        gpu.stageAfter = gpu.isRear ? 1 : 0;
        placed.gpus.push_back(gpu);
    }
    data.placement = placed;
    return data;
}

} // namespace

class tst_GoldenOperators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawings_data() {
        QTest::addColumn<QByteArray>("scene");
        const auto row
            = [](const char* name, const plot::Picture& made, const plot::FigureStyle& style) {
                  QTest::newRow(name) << sceneText(made.scene, style.measure);
              };
        auto flame = flameData();
        const auto paper = styleOf("paper", 420.0);
        const auto dark = styleOf("dark", 420.0);
        const auto light = styleOf("light", 420.0);
        row("dark-operators-flame", plot::buildFlame(flame, dark), dark);
        flame.colouring = plot::FlameColouring::Category;
        row("paper-operators-flame", plot::buildFlame(flame, paper), paper);
        plot::RooflineFigureData roofline;
        roofline.head.title = "Roofline · job";
        roofline.roofs = {{"BF16, FP16", 989.4e12}, {"FP8", 1978.9e12}};
        roofline.bandwidth = 3.35e12;
        roofline.operators = operators();
        row("light-operators-roofline", plot::buildRoofline(roofline, light), light);
        plot::OperatorTableFigureData table;
        table.head.title = "Operators · job";
        table.nameTitle = "Operator";
        table.operators = operators();
        row("paper-operators-table", plot::buildOperatorTable(table, paper), paper);
        auto layout = dataOf(2, {2, 4, 2, 2});
        layout.query.rank = 5;
        layout.colours.values[2] = std::nullopt;
        const auto wide = styleOf("light", 620.0);
        row("light-layout", plot::buildLayoutFigure(layout, wide), wide);
        const auto page = styleOf("paper", 500.0);
        row("paper-prediction",
            plot::buildPrediction(demoPrediction(), page,
                {plot::kPredictionPanels.begin(), plot::kPredictionPanels.end()}),
            page);
        row("paper-schedule", plot::buildScheduleFigure(demoSchedule(true), paper), paper);
        row("dark-schedule-plan", plot::buildScheduleFigure(demoSchedule(false), dark), dark);
        row("light-placement", plot::buildPlacementFigure(placement(), light), light);
    }

    void drawings() {
        QFETCH(const QByteArray, scene);
        const QString difference = differenceFromGolden(
            QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".txt"), scene);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenOperators)
#include "tst_GoldenOperators.moc"
