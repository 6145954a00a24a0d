#include "app/cli/commands/Command.h"
#include "app/cli/text/TextFile.h"
#include "core/predict/profile/Profile.h"
#include "core/predict/profile/TracedTimings.h"
#include "core/report/WarningLines.h"
#include "core/store/database/StoreFile.h"
#include "importers/nccl/BandwidthTables.h"
#include "importers/operators/TimingFolder.h"

#include <iterator>

namespace trainscope::cli {

namespace {

using importers::operators::TimingFolder;
using predict::Profile;
using predict::ProfiledRow;

struct ProfileOptions {
    std::vector<std::string> sources; // folders and databases
    std::string fabric;
    std::string into;
    std::optional<double> scoresExtraBytes;
    std::optional<double> gapMilliseconds;
    std::optional<double> jitterPercent;
    bool json = false;
};

// The timings of all sources, and what was read for them.
struct Gathered {
    predict::Timings timings;
    std::size_t files = 0;
    std::int64_t lines = 0;
    std::int64_t skipped = 0;
    std::int64_t warnings = 0;
    std::vector<std::string> runs; // names of runs in databases

    void add(predict::Timings more) {
        std::ranges::move(more.operators, std::back_inserter(timings.operators));
        std::ranges::move(more.collectives, std::back_inserter(timings.collectives));
    }
};

constexpr double kMillisecond = 1e-3;

Row profiledRow(const ProfiledRow& row) {
    const auto error
        = [](std::string_view key, std::string title, const std::optional<double>& one) {
              return Quantity(key, one, {std::move(title)}, text::percent(one, 2));
          };
    return {{"gpu", {"GPU", Left}, row.gpu},
        {"fabric", given(row.fabric), {"operator", Left},
            row.fabric.empty() ? row.name : row.fabric + ": " + row.name},
        {"name", row.name}, {"samples", {"samples"}, row.samples},
        {"left_out", {"left out"}, row.leftOut},
        error("forward_error", "forward", row.forwardError),
        error("backward_error", "backward", row.backwardError),
        error("stated_forward_error", "source's forward", row.statedForward),
        error("stated_backward_error", "source's backward", row.statedBackward),
        {"clock_hz", row.clockHz}, {"power_w", row.powerW},
        {"notes", when(!row.notes.empty(), row.notes)}};
}

Json profileJson(const Profile& profile, const Gathered& gathered) {
    return object({{"source", profile.source}, {"files", gathered.files}, {"lines", gathered.lines},
        {"skipped", gathered.skipped}, {"runs", gathered.runs},
        {"gpus",
            listOf(profile.gpus,
                [](const auto& gpu) {
                    return Json{{"gpu", gpu.gpu},
                        {"stack",
                            {{"scores_extra_bytes", gpu.stack.scoresExtraBytes},
                                {"gap_s", gpu.stack.gapSeconds}, {"jitter", gpu.stack.jitter},
                                {"origin", gpu.stack.origin}}}};
                })},
        {"fabrics",
            listOf(profile.fabrics,
                [](const auto& fabric) {
                    return Json{{"fabric", fabric.name}, {"gpu", fabric.gpu},
                        {"curves", fabric.curves.size()}};
                })},
        {"rows", rowsJson(profile.report, profiledRow)}});
}

void printProfile(std::ostream& out, const Profile& profile) {
    out << "Mean error of a prediction of the fifth that was held out, and as the source states "
           "it of its own models:\n";
    printTable(out, tableOf(profile.report, profiledRow));
    for (const ProfiledRow& row : profile.report) {
        for (const std::string& note : row.notes)
            out << "note: " << row.gpu << ", " << row.name << ": " << note << '\n';
    }
}

void takeStack(const ProfileOptions& options, Profile& profile) {
    if (!options.scoresExtraBytes && !options.gapMilliseconds && !options.jitterPercent)
        return;
    for (predict::GpuProfile& gpu : profile.gpus) {
        if (options.scoresExtraBytes)
            gpu.stack.scoresExtraBytes = *options.scoresExtraBytes;
        if (options.gapMilliseconds)
            gpu.stack.gapSeconds = *options.gapMilliseconds * kMillisecond;
        if (options.jitterPercent)
            gpu.stack.jitter = *options.jitterPercent / 100.0;
        gpu.stack.origin = "given to trainscope-cli profile";
    }
}

// Timings of operators and exchanges, and tables of nccl-tests among them or alone.
Result<TimingFolder> readFolder(const importers::SourceTree& tree, const Console& console) {
    auto read = importers::operators::readTimings(tree, shownOn(console));
    if (!read.hasValue() && read.error().code != ErrorCode::Unrecognised)
        return read;
    ASSIGN_OR_RETURN(auto tables, importers::nccl::readBandwidthTables(tree, shownOn(console)));
    if (!read.hasValue() && tables.collectives.empty())
        return read;
    TimingFolder folder;
    if (read.hasValue())
        folder = std::move(read).value();
    folder.files += tables.files;
    folder.report.rows += tables.report.rows;
    for (auto& timings : tables.collectives)
        folder.timings.collectives.push_back(std::move(timings));
    for (const ImportWarning& warning : tables.report.warnings)
        folder.report.warn(warning.file, warning.line, warning.text, warning.severity);
    return folder;
}

Status gatherFolder(const std::string& path, const Console& console, Gathered& gathered) {
    ASSIGN_OR_RETURN(const auto tree, importers::openDiskTree(path));
    ASSIGN_OR_RETURN(TimingFolder folder, readFolder(*tree, console));
    for (const auto& line : report::groupedWarnings(report::warningsOf(folder.report)))
        console.warn(line.text);
    gathered.add(std::move(folder.timings));
    gathered.files += folder.files;
    gathered.lines += folder.report.rows;
    gathered.skipped += folder.report.skipped;
    gathered.warnings += folder.report.warningCount;
    return {};
}

Status gatherDatabase(const std::string& path, const std::string& fabric, const Console& console,
    Gathered& gathered) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(path));
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    const std::string name = fabric.empty() ? std::filesystem::path(path).stem().string() : fabric;
    const Progress progress = shownOn(console);
    for (const Run& run : runs) {
        const std::size_t before
            = gathered.timings.operators.size() + gathered.timings.collectives.size();
        RETURN_IF_ERROR(predict::addTracedTimings({store, run, progress}, name, gathered.timings));
        if (gathered.timings.operators.size() + gathered.timings.collectives.size() > before)
            gathered.runs.push_back(run.name);
    }
    return {};
}

Outcome makeProfile(const ProfileOptions& options, const Console& console) {
    Gathered gathered;
    std::string all;
    for (const std::string& source : options.sources) {
        all += (all.empty() ? "" : ", ") + source;
        RETURN_IF_ERROR(store::StoreFile(source).isSqlite()
                ? gatherDatabase(source, options.fabric, console, gathered)
                : gatherFolder(source, console, gathered));
    }
    if (gathered.skipped > 0)
        console.warn(
            text::counted(gathered.skipped, "line") + " could not be understood and left out");
    ASSIGN_OR_RETURN(auto profile, predict::makeProfile(gathered.timings, all));
    takeStack(options, profile);
    ASSIGN_OR_RETURN(auto file, TextFile::create(options.into));
    file.write(profileText(profile));
    RETURN_IF_ERROR(file.close());
    show(
        console, options.json, [&] { return profileJson(profile, gathered); },
        [&](std::ostream& out) { printProfile(out, profile); });
    return gathered.warnings == 0 ? ExitStatus::Done : ExitStatus::Partly;
}

} // namespace

void addProfileCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<ProfileOptions>(app, "profile",
        "Profile of GPUs and fabrics from timings of operators and collectives, or from traces");
    command
        ->add_option("SOURCE", options->sources,
            "A folder of CSV files, read with all below it, or a run database; several together")
        ->required();
    addOption(*command, "--into", options->into, "Write the profile there", "F")->required();
    addOption(*command, "--fabric", options->fabric,
        "Name of the network that a database's collectives ran on; the file's name", "NAME");
    addOption(*command, "--scores-extra-bytes", options->scoresExtraBytes,
        "Bytes that unfused attention moves besides its operators, of each score and pass", "B")
        ->check(zeroOrMore());
    addOption(*command, "--gap-ms", options->gapMilliseconds,
        "Time that the GPU waits for its host in each layer and pass", "MS")
        ->check(zeroOrMore());
    addOption(*command, "--jitter", options->jitterPercent,
        "Time that a step takes longer for each doubling of GPUs over eight, %", "PCT")
        ->check(zeroOrMore());
    addJson(*command, options->json);
    runs(*command, context, options, makeProfile);
}

} // namespace trainscope::cli
