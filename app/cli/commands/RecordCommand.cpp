#include "app/cli/commands/Command.h"
#include "app/cli/commands/ImportJob.h"
#include "app/recording/JobRecordings.h"
#include "app/recording/RecordedFiles.h"
#include "app/recording/WatchedProgram.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/report/WarningLines.h"
#include "importers/engine/Moments.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/record/Recorder.h"

#include <fmt/ranges.h>

#include <unistd.h>

namespace trainscope::cli {

namespace {

namespace fs = std::filesystem;

// The files that came to a folder, or changed in it, since a moment: what a command left there,
// beside what had lain there before.
class NewFiles {
public:
    // As the folder is now, with all folders in it; it need not exist yet.
    explicit NewFiles(fs::path folder)
        : m_folder(std::move(folder))
        , m_before(marks()) { }

    struct Found {
        std::vector<std::string> files; // new or changed, in order of their names
        std::int64_t left = 0; // files that are as they were
    };
    [[nodiscard]] Found sinceThen() const {
        Found found;
        for (const auto& [path, mark] : marks()) {
            const auto before = m_before.find(path);
            if (before != m_before.end() && before->second == mark)
                ++found.left;
            else
                found.files.push_back(path);
        }
        return found;
    }

private:
    using Mark = std::pair<fs::file_time_type, std::uintmax_t>; // time of the change, size

    // A file that cannot be looked at counts as absent.
    [[nodiscard]] std::map<std::string, Mark> marks() const {
        std::map<std::string, Mark> all;
        std::error_code failure;
        constexpr auto options = fs::directory_options::skip_permission_denied;
        auto entry = fs::recursive_directory_iterator(m_folder, options, failure);
        for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
            std::error_code unread;
            if (!entry->is_regular_file(unread))
                continue;
            const Mark mark{entry->last_write_time(unread), entry->file_size(unread)};
            if (!unread)
                all[entry->path().string()] = mark;
        }
        return all;
    }

    fs::path m_folder;
    std::map<std::string, Mark> m_before;
};

using app::RotationRule;
using record::JobDescription;
using record::Recorder;
using record::RecordRequest;

struct RecordOptions {
    std::string interval = "50ms";
    std::vector<std::string> gpus;
    std::string into;
    std::string kineto;
    std::string name;
    std::string job;
    std::optional<int> node;
    std::optional<int> nodes;
    std::optional<double> tokensPerStep;
    std::optional<int> globalBatch;
    std::string model;
    std::string precision = "bf16";
    std::string rotate;
    std::string keep;
    bool perJob = false;
    bool untilStopped = false;
    std::vector<std::string> command;
};

constexpr std::chrono::milliseconds kCommitEvery{1000};
constexpr DurationNs kShortest{1'000'000}; // sampling intervals are between these two
constexpr DurationNs kLongest{3'600'000'000'000};

// "50ms", "0.02 s", "20" (milliseconds).
Result<DurationNs> intervalFrom(const std::string& text) {
    const bool isBare = !text.empty() && isDigit(text.back());
    const auto interval = importers::engine::durationFrom(text + (isBare ? "ms" : ""));
    if (interval && *interval >= kShortest && *interval <= kLongest)
        return *interval;
    return Error{ErrorCode::Usage,
        fmt::format("\"{}\" is no time between 1 ms and an hour, such as 50ms or 0.1s.", text),
        "--interval"};
}

JobDescription jobOf(const RecordOptions& options, const record::Environment& environment) {
    JobDescription job = record::describeJob(options.command, environment, hostName());
    if (!options.job.empty())
        job.job = options.job;
    job.node = options.node.value_or(job.node);
    job.nodes = std::max(options.nodes.value_or(job.nodes), job.node + 1);
    return job;
}

// A launch configuration, where the command states one.
LaunchConfig launchOf(const std::vector<std::string>& command) {
    auto launch = importers::launch::readLaunch(importers::launch::LaunchKind::Text,
        fmt::format("{}", fmt::join(command, " ")), "the recorded command");
    return launch.hasValue() ? launch.value() : LaunchConfig{};
}

// The fields of a shape and how people call them on a command line.
struct ShapeWord {
    std::string_view word;
    std::optional<int> LaunchConfig::*field;
};
constexpr std::array kShapeWords{ShapeWord{"layers", &LaunchConfig::layers},
    ShapeWord{"hidden", &LaunchConfig::hiddenSize},
    ShapeWord{"heads", &LaunchConfig::attentionHeads},
    ShapeWord{"kv-heads", &LaunchConfig::kvHeads}, ShapeWord{"ffn", &LaunchConfig::ffnSize},
    ShapeWord{"vocabulary", &LaunchConfig::vocabulary},
    ShapeWord{"experts", &LaunchConfig::experts},
    ShapeWord{"experts-per-token", &LaunchConfig::expertsPerToken}};

// "layers=12,hidden=1024,heads=16,vocabulary=50304", with "gated" for three matrices in the
// feed-forward and "tied" for embeddings that share their weights.
Status takeShape(std::string_view text, LaunchConfig& launch) {
    for (const std::string_view part : words(text, ", ")) {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string_view word = part.substr(0, equals);
        const auto found = std::ranges::find(kShapeWords, word, &ShapeWord::word);
        const auto value = wholeNumber<int>(part.substr(std::min(equals + 1, part.size())));
        if (part == "gated" || part == "tied")
            (part == "gated" ? launch.gatedMlp : launch.tiedEmbeddings) = true;
        else if (found != kShapeWords.end() && value && *value > 0 && *value <= kMostOfJob)
            launch.*found->field = *value;
        else
            return Error{ErrorCode::Usage,
                fmt::format("\"{}\" is no part of a model's shape, such as "
                            "layers=12,hidden=1024,heads=16,vocabulary=50304 with kv-heads, ffn, "
                            "experts, experts-per-token, gated or tied.",
                    part),
                "--model"};
    }
    return {};
}

// A name of the catalogue, or a shape.
Status takeModel(const RecordOptions& options, LaunchConfig& launch) {
    if (options.model.find('=') != std::string::npos)
        RETURN_IF_ERROR(takeShape(options.model, launch));
    else
        launch.model = options.model;
    const auto shape = analysis::shapeOf(launch, catalogue::modelCatalogue());
    if (!shape.hasValue())
        return Error{ErrorCode::Usage, shape.error().message, "--model"};
    launch.precision = options.precision;
    launch.workload = Workload::Training;
    return {};
}

// Options go before the command's own words.
Result<LaunchConfig> launchOf(const RecordOptions& options) {
    LaunchConfig launch;
    launch.globalBatch = options.globalBatch;
    if (!options.model.empty())
        RETURN_IF_ERROR(takeModel(options, launch));
    if (options.globalBatch && options.tokensPerStep) {
        const double sequence = *options.tokensPerStep / *options.globalBatch;
        if (sequence >= 1.0 && sequence <= kMostOfJob)
            launch.sequenceLength = static_cast<int>(std::lround(sequence));
    }
    if (!(launch == LaunchConfig{}))
        launch.origin = "the options of the recorder";
    fillLaunch(launch, launchOf(options.command));
    return launch;
}

// Those that a command may use, in its order, as indices or UUIDs; absent: all.
std::optional<std::vector<std::string>> visibleGpus(const record::Environment& environment) {
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) {
        const auto found = environment.find(name);
        if (found == environment.end() || found->second.find("MIG") != std::string::npos)
            continue;
        std::vector<std::string> gpus;
        for (const std::string_view gpu : words(found->second, ", "))
            gpus.emplace_back(gpu);
        return gpus;
    }
    return std::nullopt;
}

std::vector<std::string> wantedGpus(
    const RecordOptions& options, const record::Environment& environment) {
    return options.gpus.empty() ? visibleGpus(environment).value_or(std::vector<std::string>())
                                : options.gpus;
}

importers::RecordedGpus recordedGpus(
    const Recorder& recorder, const record::Environment& environment) {
    const auto visible = visibleGpus(environment);
    importers::RecordedGpus recorded;
    recorded.visible = visible ? static_cast<int>(visible->size()) : recorder.gpusOfNode();
    for (const auto& [rank, facts] : recorder.gpus()) {
        importers::RecordedGpu gpu{rank, facts.index, facts.uuid, {}};
        if (visible) {
            const auto place = std::find_if(visible->begin(), visible->end(),
                [&gpu = facts](const std::string& wanted) { return record::isMeant(wanted, gpu); });
            gpu.ordinal = place == visible->end() ? -1 : static_cast<int>(place - visible->begin());
        }
        if (const auto pci = facts.facts.find("pci"); pci != facts.facts.end())
            gpu.pciAddress = pci->second;
        recorded.gpus.push_back(std::move(gpu));
    }
    return recorded;
}

int watch(app::RotatedRecording& recording, app::WatchedProgram& program) {
    using Clock = std::chrono::steady_clock;
    auto next = Clock::now() + kCommitEvery;
    while (!program.exitStatus()) {
        const record::MarkPipe* marks = recording.recorder().marks();
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::max(next - Clock::now(), Clock::duration::zero()));
        program.wait(
            left + std::chrono::milliseconds(1), marks == nullptr ? -1 : marks->descriptor());
        recording.recorder().takeMarks();
        if (Clock::now() < next)
            continue;
        recording.commit();
        next = std::max(next + kCommitEvery, Clock::now());
    }
    return *program.exitStatus();
}

// Says on which GPU each trace was put, where several were recorded.
void tellPlaces(
    const ImportOutcome& outcome, const importers::RecordedGpus& gpus, const Console& console) {
    for (const app::UnitOutcome& one : outcome.units) {
        if (!one.report || !one.unit.rank || gpus.gpus.size() < 2)
            continue;
        console.err() << fmt::format("{} is of rank {}.\n", one.unit.path, *one.unit.rank);
        for (const std::string& note : one.unit.notes)
            console.err() << fmt::format("  {}\n", note);
    }
}

// Traces that the command left in the folder join its run; those from before would stretch it.
void importTraces(const std::string& folder, const NewFiles::Found& found,
    const std::string& database, const std::string& run, const importers::RecordedGpus& gpus,
    const Console& console) {
    if (found.left > 0)
        console.err() << fmt::format("{} in {} from before the command are left out.\n",
            text::counted(found.left, "file"), folder);
    if (found.files.empty())
        return console.warn("The command left no trace in " + folder + ".");
    // A folder at a time: the files of several would be several runs.
    std::map<std::filesystem::path, std::vector<std::string>> byFolder;
    for (const std::string& file : found.files)
        byFolder[std::filesystem::path(file).parent_path()].push_back(file);
    std::size_t done = 0;
    for (const auto& [path, files] : byFolder) {
        ImportRequest request;
        request.sources = files;
        request.database = database;
        request.name = run;
        request.isOneRun = true;
        request.gpus = gpus;
        const auto outcome = runImportJob(request, console);
        if (!outcome.hasValue()) {
            console.warn(outcome.error().describe());
            continue;
        }
        for (const Error& failure : outcome.value().failures)
            console.warn(failure.describe());
        done += outcome.value().done();
        tellPlaces(outcome.value(), gpus, console);
    }
    console.err() << text::counted(static_cast<std::int64_t>(done), "trace") << " from " << folder
                  << " added to the run.\n";
}

// Not whole: the end at least could not be written, which has been told.
void tell(const Recorder& recorder, const std::string& file, bool isWhole, const Console& console) {
    const ImportReport& report = recorder.report();
    const auto fact = [&report](const char* name) {
        const auto found = report.facts.find(name);
        return found == report.facts.end() ? std::string("unknown") : found->second;
    };
    console.err() << fmt::format("{} \"{}\" {} {}: {}, {}; sampling delay {}; took {}.\n",
        isWhole ? "Recorded" : "Sampled", recorder.runName(),
        isWhole ? "into" : "but could not write all of it into", file,
        text::counted(static_cast<std::int64_t>(report.ranksFound.size()), "GPU"),
        text::counted(report.samples, "sample"), fact("sampling delay"), fact("processor time"));
    for (const auto& line : report::groupedWarnings(report::warningsOf(report)))
        console.warn(line.text);
}

Result<RecordRequest> requestOf(
    const RecordOptions& options, const record::Environment& environment) {
    RecordRequest request;
    ASSIGN_OR_RETURN(request.interval, intervalFrom(options.interval));
    request.job = jobOf(options, environment);
    request.gpus = wantedGpus(options, environment);
    request.runName = options.name;
    ASSIGN_OR_RETURN(request.launch, launchOf(options));
    request.tokensPerStep = options.tokensPerStep;
    return request;
}

// Kept for a week files change every day, for a day every six hours.
RotationRule usualRule(DurationNs keep) {
    constexpr std::int64_t day = 86'400'000'000'000;
    constexpr std::int64_t parts = 4;
    RotationRule rule;
    rule.age.ns = std::min(day, std::max<std::int64_t>(keep.ns / parts, 1'000'000'000));
    return rule;
}

// Rules by which files change, and how long they are kept.
Result<app::RotationRequest> rotationOf(const RecordOptions& options, const Console& console) {
    app::RotationRequest request;
    request.files = app::RecordedFiles(options.into);
    if (!options.keep.empty()) {
        ASSIGN_OR_RETURN(request.keep, app::parseAge(options.keep, "--keep"));
        if (!options.perJob)
            request.rule = usualRule(*request.keep);
    }
    if (!options.rotate.empty()) {
        ASSIGN_OR_RETURN(request.rule, RotationRule::parse(options.rotate));
    }
    request.warn = [&console](const std::string& text) { console.warn(text); };
    request.ended
        = [&console](const Recorder& recorder, const std::string& file, const Status& finished) {
              if (!finished.hasValue())
                  console.warn(finished.error().describe()
                      + " What was committed before is in the database, and marked partial.");
              tell(recorder, file, finished.hasValue(), console);
          };
    return request;
}

// Until somebody asks it to end.
Outcome recordWithoutCommand(app::RotationRequest request) {
    app::UntilSignalled asked;
    ASSIGN_OR_RETURN(const auto recording, app::RotatedRecording::start(std::move(request)));
    while (!asked.wait(kCommitEvery))
        recording->commit();
    recording->finish();
    return ExitStatus::Done;
}

Outcome recordJobs(const RecordOptions& options, RecordRequest record,
    const record::Environment& environment, app::RotationRequest rotation, const Console& console) {
    app::UntilSignalled asked;
    app::JobRecordings::Request request;
    request.rotation = std::move(rotation);
    request.rotation.record = std::move(record);
    request.rotation.environment = environment;
    request.pattern = options.into;
    request.launch = [](const std::vector<std::string>& command) { return launchOf(command); };
    request.tell = [&console](const std::string& text) { console.err() << text << "\n"; };
    ASSIGN_OR_RETURN(const auto jobs, app::JobRecordings::start(std::move(request)));
    while (!asked.wait(kCommitEvery))
        jobs->step();
    jobs->finish();
    return ExitStatus::Done;
}

// For one of several processes of a node, of which another samples for all, and for a command of
// which nothing can be recorded.
Outcome runAlone(const RecordOptions& options) {
    ASSIGN_OR_RETURN(auto program, app::WatchedProgram::start(options.command, {}, {}));
    while (!program.exitStatus())
        program.wait(std::chrono::hours(1), -1);
    return static_cast<ExitStatus>(*program.exitStatus());
}

Outcome recordProgram(
    const RecordOptions& options, app::RotationRequest rotation, const Console& console) {
    // Before a run begins that nothing would be recorded of.
    RETURN_IF_ERROR(app::WatchedProgram::checkThere(options.command));
    const record::Environment environment = rotation.environment;
    const NewFiles traces(options.kineto);
    int status = 0;
    std::string run;
    std::string file;
    importers::RecordedGpus gpus;
    {
        const auto started = app::RotatedRecording::start(std::move(rotation));
        if (!started.hasValue()) {
            console.warn(
                "Nothing is recorded while the command runs. " + started.error().describe());
            return runAlone(options);
        }
        app::RotatedRecording* const recording = started.value().get();
        if (const auto hole = recording->recorder().resumedAfter())
            console.err() << fmt::format("Goes on with the run \"{}\", after a hole of {}.\n",
                recording->recorder().runName(), text::duration(*hole));
        std::vector<std::pair<std::string, std::string>> variables;
        std::vector<int> inherited;
        if (const record::MarkPipe* marks = recording->recorder().marks()) {
            variables.emplace_back("TRAINSCOPE_MARKS", marks->path());
            inherited.push_back(marks->descriptor());
        }
        ASSIGN_OR_RETURN(
            auto program, app::WatchedProgram::start(options.command, variables, inherited));
        status = watch(*recording, program);
        recording->finish();
        file = recording->file();
        run = recording->recorder().runName();
        gpus = recordedGpus(recording->recorder(), environment);
    }
    if (!options.kineto.empty())
        importTraces(options.kineto, traces.sinceThen(), file, run, gpus, console);
    return static_cast<ExitStatus>(status);
}

// A command, or what stands in for one.
Status checkCommand(const RecordOptions& options) {
    const bool goesOnAlone = options.perJob || options.untilStopped || !options.rotate.empty()
        || !options.keep.empty();
    if (options.command.empty() && !goesOnAlone)
        return usageError(
            "There is no command to be run: name one behind --, or record without one, with "
            "--until-stopped, --rotate, --keep or --per-job.");
    if (!options.command.empty() && (options.perJob || options.untilStopped))
        return usageError(fmt::format("{}, and takes no command.",
            options.perJob ? "--per-job waits for jobs that others start"
                           : "--until-stopped goes on until a signal ends it"));
    return {};
}

Outcome recordCommand(const RecordOptions& options, const Console& console) {
    const record::Environment environment = record::environmentOfThisProgram();
    RETURN_IF_ERROR(checkCommand(options));
    ASSIGN_OR_RETURN(auto request, requestOf(options, environment));
    ASSIGN_OR_RETURN(auto rotation, rotationOf(options, console));
    if (options.perJob)
        return recordJobs(options, std::move(request), environment, std::move(rotation), console);
    if (request.job.localProcess > 0)
        return options.command.empty() ? Outcome(ExitStatus::Done) : runAlone(options);
    rotation.onlyFile = app::recordedPath(options.into, request.job);
    rotation.record = std::move(request);
    rotation.environment = environment;
    return options.command.empty() ? recordWithoutCommand(std::move(rotation))
                                   : recordProgram(options, std::move(rotation), console);
}

} // namespace

void addRecordCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<RecordOptions>(
        app, "record", "Samples of the GPUs and the node while a command runs");
    addOption(*command, "--into", options->into,
        "The run database; %h, %n and %j stand for host, node and job, %d for the date where files "
        "change",
        "DB")
        ->required();
    addOption(*command, "--interval", options->interval,
        "Time between samples; 50ms unless given, 10ms are possible", "T");
    addOption(*command, "--gpus", options->gpus,
        "GPUs by number or UUID, in the order of the ranks; those that CUDA_VISIBLE_DEVICES names, "
        "else all",
        "G")
        ->delimiter(',');
    addOption(*command, "--kineto", options->kineto,
        "Import the traces that the command leaves there into the same run; those from before stay "
        "out",
        "DIR");
    addOption(
        *command, "--name", options->name, "Name of the run; after the job unless given", "N");
    addOption(*command, "--job", options->job,
        "Name by which all nodes of a job call it, where no launcher does", "ID");
    addOption(*command, "--node", options->node, "Number of this node, from 0, likewise", "I")
        ->check(zeroOrMore());
    addOption(*command, "--nodes", options->nodes, "Number of nodes, likewise", "N")
        ->check(aboveZero());
    addOption(*command, "--tokens-per-step", options->tokensPerStep,
        "Tokens of a step of all GPUs, where the script does not mark them", "N")
        ->check(aboveZero());
    addOption(*command, "--global-batch", options->globalBatch, "Samples of a step, likewise", "G")
        ->check(aboveZero());
    addOption(*command, "--model", options->model,
        "The model that is trained, for its MFU: of the catalogue, or its shape as "
        "layers=12,hidden=1024,heads=16,vocabulary=50304",
        "M");
    addOption(*command, "--precision", options->precision,
        "Precision of that model: fp32, fp16, bf16 (unless given), fp8 or nvfp4", "P")
        ->check(suggesting("fp32 fp16 bf16 fp8 nvfp4"));
    addOption(*command, "--rotate", options->rotate,
        "Change the file at that age or size: 24h, 500MB; files are numbered, or named by %d",
        "T|SIZE");
    addOption(*command, "--keep", options->keep,
        "Remove files of this recording that were written last longer ago: 7d; without --rotate "
        "files change every 24 hours, or four times in that time",
        "T");
    command->add_flag("--per-job", options->perJob,
        "Wait for jobs on the GPUs, and record each into a file of its own from its first process "
        "on a GPU to its last; until stopped");
    command->add_flag("--until-stopped", options->untilStopped,
        "Record without a command, until SIGTERM or Ctrl+C; --rotate and --keep without one do "
        "too");
    command->add_option("COMMAND", options->command, "What is run, behind --");
    runs(*command, context, options, recordCommand);
}

} // namespace trainscope::cli
