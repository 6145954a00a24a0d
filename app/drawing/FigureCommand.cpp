#include "app/cli/commands/Command.h"
#include "app/comparing/SavedComparison.h"
#include "app/drawing/FullProgram.h"
#include "app/engine/EngineLanes.h"
#include "app/engine/KnownEngines.h"
#include "app/painting/FigureExport.h"
#include "app/painting/WriteFile.h"
#include "core/figures/Kinds.h"
#include "core/model/HarmlessText.h"
#include "core/store/database/StoreFile.h"
#include "importers/registry/Registry.h"

namespace trainscope::cli {

namespace {

constexpr double kDefaultWidthMm = 177.8; // 7 in, the text width of a conference page

struct FigureArguments : SomeRunsOptions {
    std::string kind = "timeline";
    figures::OptionValues options; // options of this kind
    std::string out;
    std::string csv;
    std::string theme = "paper";
    double widthMm = kDefaultWidthMm;
    double heightMm = 0.0;
    std::string pages; // "a4"; empty: one picture
};

// Pages of A4, Letter or any size: "180x240".
Status setPages(const std::string& pages, app::FigureOptions& size) {
    size.inPages = true;
    if (pages == "a4" || pages == "letter") {
        const app::FigurePreset& preset = app::pagePresets()[pages == "a4" ? 0 : 1];
        size.widthMm = preset.widthMm;
        size.heightMm = preset.heightMm;
        return {};
    }
    const QStringList sides = QString::fromStdString(pages).split(QLatin1Char('x'));
    bool isWidth = false;
    bool isHeight = false;
    size.widthMm = sides.value(0).toDouble(&isWidth);
    size.heightMm = sides.value(1).toDouble(&isHeight);
    if (sides.size() != 2 || !isWidth || !isHeight)
        return usageError("There are no pages '" + pages
            + "'; there are a4, letter and a size in mm such as 180x240.");
    return {};
}

Result<std::vector<Run>> runsOf(
    const figures::Kind& kind, const store::Store& store, const std::vector<std::string>& names) {
    using figures::RunsShown;
    if (kind.runs == RunsShown::One && names.size() > 1)
        return usageError(
            "A figure of the kind " + std::string(kind.key) + " shows one run; give --run once.");
    if (kind.runs == RunsShown::One || (kind.runs == RunsShown::NamedOrOnly && names.empty())) {
        ASSIGN_OR_RETURN(
            auto run, selectRunOrOnly(store, names.empty() ? std::string() : names.front()));
        return std::vector{std::move(run)};
    }
    if (kind.runs == RunsShown::Named && names.empty())
        return std::vector<Run>();
    return selectRuns(store, names);
}

// Lanes of linked runs: the engine is asked until it has answered.
Result<std::shared_ptr<figures::RemoteLanes>> remoteLanes(const store::Store& store) {
    app::EngineLanes::Settings settings;
    settings.waits = true;
    settings.access = [](const importers::engine::Link& link) -> Result<app::EngineAccess> {
        auto access = app::accessForLinked(link);
        if (access.hasValue() || access.error().code != ErrorCode::Refused)
            return access;
        return Error{ErrorCode::Refused,
            access.error().message + " To agree, name it: TRAINSCOPE_ENGINES=" + link.address.url,
            {}};
    };
    ASSIGN_OR_RETURN(auto lanes, app::EngineLanes::open(store, std::move(settings)));
    return std::shared_ptr<figures::RemoteLanes>(std::move(lanes));
}

Result<figures::Figure> read(const FigureArguments& arguments, const app::FigureOptions& size,
    const store::Store& store, const Console& console) {
    const figures::Kind& kind = *figures::findKind(arguments.kind);
    auto request = app::requestFor(QString::fromStdString(arguments.out), size);
    ASSIGN_OR_RETURN(request.runs, runsOf(kind, store, arguments.runs));
    request.areRunsNamed = !arguments.runs.empty();
    request.options = arguments.options;
    request.numbers = kind.writesNumbers || !arguments.csv.empty();
    needApplication();
    ASSIGN_OR_RETURN(request.remote, remoteLanes(store));
    request.savedBoard = [&store](const std::string& name) { return app::savedBoard(store, name); };
    auto figure = figures::load(kind, {store, untilCancelled(console)}, request);
    if (figure.hasValue() && !figure.value().emptyText.empty())
        return Error{ErrorCode::NotFound, figure.value().emptyText,
            kind.runs == figures::RunsShown::One ? request.runs.front().name : std::string()};
    return figure;
}

// A database is no log, and only the store may open one that is in use.
bool isLog(const std::filesystem::path& path) {
    std::error_code ignored; // a missing file is no error
    if (!std::filesystem::exists(path, ignored) || store::StoreFile(path).isSqlite())
        return false;
    const auto tree = importers::openDiskTree(path.string());
    if (!tree.hasValue())
        return false;
    const auto plan = importers::planImport(*tree.value(), [](const auto&) { return true; });
    return plan.hasValue() && !plan.value().units.empty();
}

// Beside the figure. Empty, where a log is called like it: the one that it was drawn from, say.
std::string placeBeside(const std::string& out) {
    const auto place = std::filesystem::path(out).replace_extension(".csv");
    return isLog(place) ? std::string() : place.string();
}

Status checkNames(const FigureArguments& arguments) {
    const auto isText = [](const std::string& name) { return harmless(name) == name; };
    if (!isText(arguments.out) || !isText(arguments.csv))
        return usageError("The name of a figure is UTF-8 without control characters.");
    if (arguments.csv == arguments.out)
        return Error{ErrorCode::Usage, "--csv needs another name than --out.", arguments.csv};
    if (!arguments.csv.empty())
        RETURN_IF_ERROR(store::checkReplaceable(arguments.csv));
    return {};
}

// A name that the user did not choose replaces nothing.
Status checkNotThere(const std::string& path) {
    std::error_code ignored; // a missing file is no error
    if (!std::filesystem::exists(path, ignored))
        return {};
    return usageError(path + " is there already: say with --out where the figure goes.");
}

Result<QStringList> writeFiles(FigureArguments& arguments, const Console& console) {
    app::FigureOptions size;
    size.theme = plot::findTheme(arguments.theme);
    size.widthMm = arguments.widthMm;
    size.heightMm = arguments.heightMm;
    if (size.theme == nullptr)
        return usageError(
            "There is no theme '" + arguments.theme + "'; there are paper, light and dark.");
    if (!arguments.pages.empty())
        RETURN_IF_ERROR(setPages(arguments.pages, size));
    const bool isNamed = !arguments.out.empty();
    if (!isNamed)
        arguments.out = "figure.pdf"; // until its runs are known
    RETURN_IF_ERROR(checkNames(arguments));
    RETURN_IF_ERROR(app::figureFormatOf(QString::fromStdString(arguments.out)));
    ASSIGN_OR_RETURN(const auto store, openDatabase(arguments.database));
    ASSIGN_OR_RETURN(const auto figure, read(arguments, size, store, console));
    if (!isNamed) {
        arguments.out = figures::fileNameOf(arguments.kind, figure.runs) + ".pdf";
        RETURN_IF_ERROR(checkNotThere(arguments.out));
        if (figure.csv && arguments.csv.empty())
            RETURN_IF_ERROR(checkNotThere(placeBeside(arguments.out)));
    }
    const QString out = QString::fromStdString(arguments.out);
    auto written = app::writeFigure(figure, out, size);
    if (!written.hasValue() || !figure.csv)
        return written;
    if (arguments.csv.empty())
        arguments.csv = placeBeside(arguments.out);
    if (arguments.csv.empty())
        return std::move(written).value() << QStringLiteral(
                   "The numbers were not written: a log is called like the figure. Say with "
                   "--csv where they go.");
    RETURN_IF_ERROR(app::writeNumbers(figure, QString::fromStdString(arguments.csv)));
    return written;
}

Outcome drawFigure(FigureArguments arguments, const Console& console) {
    needApplication();
    ASSIGN_OR_RETURN(const auto warnings, writeFiles(arguments, console));
    for (const auto& warning : warnings)
        console.warn(warning.toStdString());
    console.out() << arguments.out << '\n';
    if (!arguments.csv.empty())
        console.out() << arguments.csv << '\n';
    return ExitStatus::Done;
}

// The option of all kinds that have it: their helps and choices, each once.
figures::Option mergedOption(std::string_view name) {
    figures::Option merged;
    std::set<std::string> helps;
    std::set<std::string> choices;
    for (const auto& kind : figures::kinds()) {
        for (const auto& option : kind.options) {
            if (option.name != name)
                continue;
            if (helps.empty())
                merged = {option.name, option.value, {}, option.isList};
            if (helps.insert(option.help).second)
                merged.help += (merged.help.empty() ? "" : ". ") + option.help;
            for (const auto& choice : option.choices) {
                if (choices.insert(choice.key).second)
                    merged.choices.push_back(choice);
            }
        }
    }
    if (merged.isList)
        merged.help += "; may be given several times";
    return merged;
}

void addKindOptions(CLI::App& command, figures::OptionValues& values) {
    std::set<std::string_view> added;
    for (const auto& kind : figures::kinds()) {
        for (const auto& option : kind.options) {
            if (!added.insert(option.name).second)
                continue;
            figures::Option merged = mergedOption(option.name);
            if (option.name == "metric")
                merged.choices = {{metricNames() + " kernels", {}}};
            addFlag(command, merged, values);
        }
    }
}

void addOptions(CLI::App& command, FigureArguments& arguments) {
    addDatabase(command, arguments);
    addOption(command, "--kind", arguments.kind, "Kind of figure: " + figures::kindList(), "K")
        ->check([](const std::string& kind) {
            return figures::findKind(kind) != nullptr
                ? std::string()
                : "There is no figure '" + kind + "'; there are " + figures::kindList() + ".";
        })
        ->check(suggesting(replaced(figures::kindList(), ",", "")))
        ->capture_default_str();
    addRunNames(command, arguments, "A run; of kinds that compare runs all that fit without it");
    addOption(command, "--out", arguments.out,
        "The figure; its suffix says png, pdf or svg. Without it a PDF here, named by kind and run",
        "F");
    addOption(command, "--width-mm", arguments.widthMm,
        "Width in mm, such as: 84.6 (a column), 177.8 (a page)", "W")
        ->capture_default_str()
        ->check(CLI::Range(10.0, 2000.0))
        ->check(suggesting("84.6 177.8"));
    addOption(command, "--height-mm", arguments.heightMm,
        "Height in mm; as the content needs unless given", "H")
        ->check(CLI::Range(10.0, 2000.0));
    addOption(command, "--pages", arguments.pages,
        "A PDF in as many pages of this size as are needed: a4, letter or a size in mm such as "
        "180x240",
        "SIZE")
        ->check(suggesting("a4 letter"));
    addOption(command, "--theme", arguments.theme, "paper, light or dark", "T")
        ->check(suggesting("paper light dark"))
        ->capture_default_str();
    addOption(command, "--csv", arguments.csv,
        "Where the numbers go; without it beside the figure, of the timeline nowhere", "FILE");
    addKindOptions(command, arguments.options);
}

} // namespace

void addFigureCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("figure", "Draw a figure as PNG, PDF or SVG");
    auto arguments = std::make_shared<FigureArguments>();
    addOptions(*command, *arguments);
    setFooter(*command);
    runs(*command, context, arguments, drawFigure);
}

} // namespace trainscope::cli
