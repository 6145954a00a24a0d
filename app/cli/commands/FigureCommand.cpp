#include "app/cli/commands/Command.h"
#include "app/cli/figures/ComparisonFigure.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/cli/figures/GuiApplication.h"
#include "app/cli/figures/LayoutFigure.h"
#include "app/cli/figures/RunComparisonFigure.h"
#include "app/cli/figures/ScheduleFigure.h"
#include "app/painting/TimelineFigure.h"
#include "core/plot/figures/Figure.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

Result<QStringList> writeTimeline(
    const FigureArguments& options, const app::FigureOptions& figure, const Console& console) {
    const auto request = timelineRequest(options);
    if (!request.hasValue())
        return request.error();
    const auto isCancelled = [&console] { return console.isCancelled(); };
    auto written = app::exportTimeline(
        request.value(), QString::fromStdString(options.out), figure, isCancelled);
    if (!written.hasValue() || options.csv.empty())
        return written;
    auto numbers = app::exportTimelineCsv(request.value(), QString::fromStdString(options.csv),
        app::timelineColumns(QString::fromStdString(options.out), figure), isCancelled);
    return numbers.hasValue() ? written : numbers.error();
}

Result<QStringList> writeFigure(FigureArguments& options, const Console& console) {
    const auto* theme = plot::findTheme(options.theme);
    if (theme == nullptr)
        return Error{ErrorCode::Usage,
            "There is no theme '" + options.theme + "'; there are paper, light and dark.", {}};
    if (auto format = app::figureFormatOf(QString::fromStdString(options.out)); !format.hasValue())
        return format.error();
    app::FigureOptions figure;
    figure.widthMm = options.widthMm;
    figure.heightMm = options.heightMm;
    figure.theme = theme;
    if (options.kind == "timeline")
        return writeTimeline(options, figure, console);
    if (isRunComparison(options.kind))
        return writeRunComparison(options, figure, console);
    if (options.kind == "schedule")
        return writeScheduleFigure(options, figure, console);
    if (options.kind == "placement")
        return writePlacementFigure(options, figure, console);
    return isLayoutKind(options.kind) ? writeLayoutFigure(options, figure, console)
                                      : writeComparison(options, figure, console);
}

ExitStatus drawFigure(FigureArguments options, const Console& console) {
    needApplication();
    const auto written = writeFigure(options, console);
    if (!written.hasValue())
        return console.fail(written.error());
    for (const auto& warning : written.value())
        console.warn(warning.toStdString());
    console.out() << options.out << '\n';
    if (!options.csv.empty())
        console.out() << options.csv << '\n';
    return ExitStatus::Done;
}

void addComparisonOptions(CLI::App& command, FigureArguments& options) {
    command
        .add_option("--statistic", options.statistic,
            "mean, peak, p99, min, total (counters) or energy; sweeps show mean and peak without")
        ->type_name("S");
    command.add_flag("--log", options.log, "Logarithmic colours or amplitudes");
    command.add_flag("--whole-run", options.wholeRun,
        "Warm-up and unsettled time too; without, steady iterations only");
    command
        .add_option("--per", options.per,
            "A bar of kernels per run, stage or rank; of comparisons what numbers are divided by: "
            "gpu, node or token")
        ->type_name("P");
    command.add_flag("--normalise", options.normalise,
        "Stacks as shares of their sum; efficiency relative to the first");
    command
        .add_option("--iteration", options.iteration,
            "Comparisons: align at this iteration; without, all steady ones are laid over each "
            "other. Schedule: show this one; without, the one with most of it traced")
        ->type_name("K");
    command.add_flag("--stacked", options.stacked,
        "Comparisons: curves of runs below each other instead of over each other");
    command.add_flag("--stretch", options.stretched,
        "Comparisons: iterations stretched to one length instead of seconds");
    command
        .add_option("--saved", options.saved,
            "Comparisons: the runs and settings that the database keeps under this name")
        ->type_name("NAME");
    command
        .add_option("--sort", options.sortedBy,
            "Comparisons: the runs behind the first by this quantity, the best first")
        ->type_name("QUANTITY");
    command
        .add_option("--categories", options.categories,
            "Kernel categories: default, charllm, or a JSON file")
        ->type_name("C");
    command.add_option("--model", options.model, "Only runs of models whose name contains this")
        ->type_name("M");
    command
        .add_option("--optimization", options.optimisation,
            "Only runs with base, cc (overlap), act (recomputation) or cc+act")
        ->type_name("O");
}

void addOptions(CLI::App& command, FigureArguments& options) {
    command.add_option("DB", options.database, "The run database")->required();
    command.add_option("--kind", options.kind, "What to draw: " + figureKinds())
        ->type_name("K")
        ->check([](const std::string& kind) {
            return kind == "timeline" || isRunComparison(kind) || isLayoutKind(kind)
                    || kind == "schedule" || kind == "placement" || plot::figureKindFromString(kind)
                ? std::string()
                : "There is no figure '" + kind + "'; there are " + figureKinds() + ".";
        })
        ->capture_default_str();
    command
        .add_option(
            "--run", options.runs, "A run; of kinds that compare runs all that fit without it")
        ->type_name("N")
        ->expected(1)
        ->take_all();
    command.add_option("--out", options.out, "The figure; its suffix says png, pdf or svg")
        ->required()
        ->type_name("F");
    command
        .add_option("--width-mm", options.widthMm, "Width in mm; 84.6 is a column, 177.8 a page")
        ->capture_default_str()
        ->type_name("W")
        ->check(CLI::Range(10.0, 2000.0));
    command
        .add_option(
            "--height-mm", options.heightMm, "Height in mm; as the content needs unless given")
        ->type_name("H")
        ->check(CLI::Range(10.0, 2000.0));
    command.add_option("--theme", options.theme, "paper, light or dark")
        ->type_name("T")
        ->capture_default_str();
    command
        .add_option("--metric", options.metrics,
            "A lane or panel for this metric, or a lane for kernels; of --kind comparison a "
            "quantity; may be given several times")
        ->type_name("M")
        ->expected(1)
        ->take_all();
    command.add_option("--rank", options.rank, "Only this rank; of layouts: mark its groups")
        ->type_name("R");
    command
        .add_option("--from", options.fromSeconds,
            "Begin of the window, in seconds since the run's start; of schedules the step's")
        ->type_name("S");
    command
        .add_option("--to", options.toSeconds,
            "End of the window, in seconds since the run's start; of schedules the step's")
        ->type_name("S");
    command
        .add_option("--colour", options.colour,
            "Layout: what colours the GPUs: stage, tensor, data, expert, context, node or a metric")
        ->type_name("C");
    command
        .add_option("--at", options.atSeconds,
            "Layout: the metric at that moment, in seconds since the run's start")
        ->type_name("S");
    command.add_flag("--planned", options.plannedOnly, "Schedule: the plan alone");
    command.add_flag("--align-clocks", options.alignClocks,
        "Timeline: the traces of all ranks on one clock (see align)");
    command
        .add_option("--csv", options.csv,
            "Where the numbers go; of kinds that compare runs beside the figure without it")
        ->type_name("FILE");
}

} // namespace

void addFigureCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("figure", "Draw a figure as PNG, PDF or SVG");
    auto options = std::make_shared<FigureArguments>();
    addOptions(*command, *options);
    addComparisonOptions(*command, *options);
    command->footer(
        R"(Figures have their true size in mm, embedded fonts, and the same bytes for the same input.
A warning tells when text is smaller than 6 pt.

Examples:
  trainscope-cli figure runs.trainscope --kind timeline --run gpt3-175b_3_00000 --out timeline.pdf
  trainscope-cli figure runs.trainscope --run a --run b --metric gpu_power --from 10 --to 20 \
      --width-mm 84.6 --out power.svg --csv power.csv
  trainscope-cli figure runs.trainscope --kind heatmap --metric nvlink_rx --log --out nvlink.pdf
  trainscope-cli figure runs.trainscope --kind parallelism-sweep --model gpt3 --out layouts.pdf
  trainscope-cli figure runs.trainscope --kind comparison --run a --run b --out a-and-b.pdf
  trainscope-cli figure runs.trainscope --kind layout --colour gpu_temperature --at 60 --out heat.pdf

  trainscope-cli figure runs.trainscope --kind schedule --run tp8-pp4 --iteration 3 --out pipeline.pdf)");
    command->callback([options, &context] {
        context.action = [options, &context] { return drawFigure(*options, context.console); };
    });
}

} // namespace trainscope::cli
