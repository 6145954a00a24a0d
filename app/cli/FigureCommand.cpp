#include "app/cli/Command.h"
#include "app/cli/FigureRequest.h"
#include "app/painting/TimelineFigure.h"

#include <CLI/CLI.hpp>
#include <QGuiApplication>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

QtMessageHandler nextHandler = nullptr; // NOLINT(*-avoid-non-const-global-variables)

// A machine without a desktop session has no runtime directory; figures need none.
void withoutSessionNoise(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (!text.startsWith(QLatin1String("QStandardPaths:")) && nextHandler != nullptr)
        nextHandler(type, context, text);
}

// Fonts need a QGuiApplication; the offscreen platform needs no display. One per process, kept to
// its end.
void needGuiApplication() {
    if (QCoreApplication::instance() != nullptr)
        return;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    nextHandler = qInstallMessageHandler(withoutSessionNoise);
    static int argc = 1;
    static char name[] = "trainscope-cli";
    static char* argv[] = {name, nullptr};
    static const QGuiApplication application(argc, argv);
}

Result<QStringList> writeFigure(const FigureArguments& options, const Console& console) {
    const auto* theme = plot::findTheme(options.theme);
    if (theme == nullptr)
        return Error{ErrorCode::Usage,
            "There is no theme '" + options.theme + "'; there are paper, light and dark.", {}};
    if (auto format = app::figureFormatOf(QString::fromStdString(options.out)); !format.hasValue())
        return format.error();
    const auto request = timelineRequest(options);
    if (!request.hasValue())
        return request.error();
    app::FigureOptions figure;
    figure.widthMm = options.widthMm;
    figure.heightMm = options.heightMm;
    figure.theme = theme;
    const auto isCancelled = [&console] { return console.isCancelled(); };
    auto written = app::exportTimeline(
        request.value(), QString::fromStdString(options.out), figure, isCancelled);
    if (!written.hasValue() || options.csv.empty())
        return written;
    auto numbers = app::exportTimelineCsv(request.value(), QString::fromStdString(options.csv),
        app::timelineColumns(QString::fromStdString(options.out), figure), isCancelled);
    return numbers.hasValue() ? written : numbers.error();
}

ExitStatus drawFigure(const FigureArguments& options, const Console& console) {
    if (options.kind != "timeline")
        return console.fail({ErrorCode::Usage,
            "There is no figure '" + options.kind + "'; there is timeline.", {}});
    needGuiApplication();
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

void addOptions(CLI::App& command, FigureArguments& options) {
    command.add_option("DB", options.database, "The run database")->required();
    command.add_option("--kind", options.kind, "What to draw: timeline")
        ->type_name("K")
        ->capture_default_str();
    command
        .add_option("--run", options.runs,
            "A run; several are laid over each other, aligned at their starts")
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
        .add_option("--height-mm", options.heightMm, "Height in mm; as the lanes need unless given")
        ->type_name("H")
        ->check(CLI::Range(10.0, 2000.0));
    command.add_option("--theme", options.theme, "paper, light or dark")
        ->type_name("T")
        ->capture_default_str();
    command
        .add_option("--metric", options.metrics,
            "A lane for this metric, or for kernels; may be given several times")
        ->type_name("M")
        ->expected(1)
        ->take_all();
    command.add_option("--rank", options.rank, "Only this rank")->type_name("R");
    command
        .add_option(
            "--from", options.fromSeconds, "Begin of the window, in seconds since the run's start")
        ->type_name("S");
    command
        .add_option(
            "--to", options.toSeconds, "End of the window, in seconds since the run's start")
        ->type_name("S");
    command.add_option("--csv", options.csv, "Also write the numbers behind the figure")
        ->type_name("FILE");
}

} // namespace

void addFigureCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("figure", "Draw a figure as PNG, PDF or SVG");
    auto options = std::make_shared<FigureArguments>();
    addOptions(*command, *options);
    command->footer(
        R"(Figures have their true size in mm, embedded fonts, and the same bytes for the same input.
A warning tells when text is smaller than 6 pt.

Examples:
  trainscope-cli figure runs.trainscope --kind timeline --run gpt3-175b_3_00000 --out timeline.pdf
  trainscope-cli figure runs.trainscope --run a --run b --metric gpu_power --from 10 --to 20 \
      --width-mm 84.6 --out power.svg --csv power.csv)");
    command->callback([options, &context] {
        context.action = [options, &context] { return drawFigure(*options, context.console); };
    });
}

} // namespace trainscope::cli
