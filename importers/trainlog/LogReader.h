#pragma once
// Reads the lines of a training log: finds out in which dialect they speak of iterations, keeps to
// that one and to one rank, the first one's where it speaks, and collects the settings that the
// program printed before its first iterations. One log each.

#include "importers/common/Importer.h"
#include "importers/launch/Settings.h"
#include "importers/trainlog/Dialect.h"
#include "importers/trainlog/StepLine.h"

#include <set>

namespace trainscope::importers::trainlog {

// The settings that training programs print before they train, collected from lines of their logs:
// Megatron's and GPT-NeoX's block of arguments ("  hidden_size ........ 12288"), the command that a
// launcher repeats, and the configuration that NeMo prints as YAML. Keeps kMostBytes at most.

// The GPUs that a text names, "NVIDIA H100 80GB HBM3"; empty where it names none, or several.
std::string gpuNamedIn(std::string_view text);

// A number among the settings.
std::optional<double> numberIn(const launch::Settings& settings, std::string_view key);
// The launch configuration that they state; empty where they state none.
LaunchConfig launchOf(const launch::Settings& settings, const std::string& origin);
// The largest of several numbers: DeepSpeed calls the data-parallel degree "world_size".
std::optional<double> gpusOf(const LaunchConfig& launch, const launch::Settings& settings);

class LogSettings {
public:
    static constexpr std::size_t kMostBytes = std::size_t{2} << 20;

    void add(std::string_view line, const LineHead& head);
    [[nodiscard]] launch::Settings read() const;
    [[nodiscard]] std::string gpuModel() const;

private:
    bool addYaml(std::string_view line);

    std::string m_arguments; // lines with dots
    std::string m_commands;
    std::string m_yaml;
    std::string m_devices; // lines that may name GPUs
    bool m_inYaml = false;
};

struct LoggedStep {
    const StepLine& line;
    // The last stamp on another line since the last step's: DeepSpeed stamps what stands before the
    // step's own line.
    std::optional<LogStamp> nearby;
};

// Iterations told by ranks other than the one that is read, in a log that several write to: kept
// until the one that is read has told of the same iteration, and used where it does not.
class OtherRanks {
public:
    static constexpr std::size_t kMostKept = 4096; // iterations; more are left out

    // "0", "rank0", "default0": the rank that speaks for a run.
    [[nodiscard]] static bool isFirst(std::string_view rank);

    // A line of another rank, with its times.
    void add(std::string_view rank, const StepLine& line);
    // The rank that is read tells of `index`, or nothing more: visits what only others told before
    // it, at the distances at which that rank tells of its own.
    Status takeUntil(
        std::optional<std::int64_t> index, const std::function<Status(const StepLine&)>& visit);

    [[nodiscard]] std::int64_t left() const { return m_lines - m_used; } // lines
    [[nodiscard]] std::int64_t used() const { return m_used; }
    // Names the ranks whose lines are read, and the use of the others; empty where there are none.
    [[nodiscard]] std::string text(std::string_view read) const;

private:
    Status visitKept(const KeptLine& kept, const std::function<Status(const StepLine&)>& visit);

    std::map<std::int64_t, KeptLine> m_kept; // by iteration, of the rank that told first
    std::set<std::string, std::less<>> m_ranks;
    std::optional<std::int64_t> m_last; // the last of the rank that is read
    std::optional<std::int64_t> m_stride; // the least between its iterations
    std::int64_t m_lines = 0;
    std::int64_t m_used = 0;
};

class LogReader {
public:
    using Visit = std::function<Status(const LoggedStep&)>;

    explicit LogReader(Visit visit);

    Status read(std::string_view line);
    // Delivers the iterations of other ranks behind the last one, and the other facts of a log
    // without iterations. Call at the end of the log.
    Status finish();

    [[nodiscard]] const Dialect* dialect() const { return m_dialect; } // nullptr: none yet
    [[nodiscard]] const std::string& rank() const { return m_rank; } // its lines are read
    [[nodiscard]] const OtherRanks& otherRanks() const { return m_others; }
    // As lines before the first steps name them; empty where they name none, or several.
    [[nodiscard]] std::string gpuModel() const { return m_collected.gpuModel(); }
    // As DialectReader says; before the first line.
    void keepRun(std::string_view run);
    // Rows of a table that are none of its columns.
    [[nodiscard]] LeftOutRows leftOut() const;
    // Settings of the program, by Megatron's names; complete after the first steps.
    [[nodiscard]] const launch::Settings& settings();

private:
    struct Candidate {
        const Dialect* dialect = nullptr;
        std::unique_ptr<DialectReader> reader;
        launch::Settings settings;
        // Before the first step, of a dialect that tells more than steps; of a library's, steps.
        std::vector<KeptLine> before;
    };
    Status finishWithoutSteps();
    Status takeBefore();
    void keepOnly(Candidate& known);
    Status takeHeld();
    [[nodiscard]] bool mayBeOfStep(std::string_view line) const;
    Status readKnown(const LineHead& head);
    Status tryAll(const LineHead& head);
    Status take();
    Status takeOf(std::string_view rank);
    Status takeOthers(std::optional<std::int64_t> before);
    void takeTimes();

    Visit m_visit;
    std::vector<Candidate> m_candidates; // one, when the dialect is known
    const Dialect* m_dialect = nullptr;
    std::string m_rank;
    OtherRanks m_others;
    StepLine m_step;
    StepLine::Between m_between = StepLine::Between::Nothing; // since the last step
    std::optional<LogStamp> m_nearby;
    LogSettings m_collected;
    std::optional<launch::Settings> m_settings;
    std::int64_t m_steps = 0;
};

// One training log from open to end: into a sink, or as the work that it speaks of.

Result<ImportReport> importLog(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

// Most pieces of a log's work: like iterations that follow each other are one.
inline constexpr std::size_t kMostPieces = 100'000;
Result<analysis::LoggedWork> workOf(
    const SourceTree& tree, const ImportUnit& unit, const Progress& progress);

} // namespace trainscope::importers::trainlog
