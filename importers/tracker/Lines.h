#pragma once
// Lines of JSON with all that an experiment tracker recorded of a run, in the words of its export,
// as the readers of training logs and of telemetry know them. Streams hold one record of the
// tracker's file at a time; what is damaged is left out and told. One thread each.

#include "importers/common/Importer.h"
#include "importers/launch/Settings.h"

#include <set>

namespace trainscope::importers::tracker {

enum class Lines {
    Training, // {"learning_rate":0.1} for each setting, {"step":1,"timestamp":2.5,"loss":3.5}
    Machine, // {"_timestamp":2.5,"system.gpu.0.powerWatts":71.2}
};

// Facts that a run's files tell beside their lines.
struct Told {
    static constexpr std::size_t kMostDamages = 1000;

    launch::Settings settings;
    std::string name; // someone gave it to the run
    // By file and its byte; a file that is read twice tells them once.
    std::map<std::pair<std::string, std::uint64_t>, std::string> damages;
    bool isCut = false; // a file ends inside a record
};

// A run's files that are to be read as lines; all outlive the stream.
struct RunFiles {
    const SourceTree& tree;
    const ImportUnit& unit;
    Told& told;
};

class LineStream : public ByteStream {
public:
    explicit LineStream(const RunFiles& run, Lines lines)
        : m_run(run)
        , m_lines(lines) { }

    Result<std::size_t> read(std::span<std::byte> buffer) final;
    [[nodiscard]] std::uint64_t bytesConsumed() const final {
        return m_bytesBefore + (m_input ? m_input->bytesConsumed() : 0);
    }

protected:
    static constexpr std::size_t kLongestRecord = std::size_t{32} << 20;

    // Reads on by one record at most; false at the end.
    virtual Result<bool> more() = 0;

    [[nodiscard]] const RunFiles& run() const { return m_run; }
    [[nodiscard]] Lines lines() const { return m_lines; }

    Status openInput(const std::string& path);
    // The next bytes of the input; fewer where it ends, which is told if it breaks off.
    std::string take(std::size_t count);
    void pass(std::uint64_t count) { m_offset += m_input->skip(count).valueOr(0); }
    [[nodiscard]] std::uint64_t offset() const { return m_offset; } // bytes taken so far
    void damaged(std::uint64_t at, const std::string& text);
    void cut(std::uint64_t at);

    void setting(const std::string& key, const std::string& text);
    // An object in JSON is settings below that key.
    void settingFromJson(const std::string& key, std::string_view json);
    // A value of the record at hand, as JSON. Texts and long values are left out.
    void value(std::string key, std::string json);
    // Write the line of the record at hand, if it has values.
    void endTraining(std::string_view stepKey, std::int64_t step, std::string_view time);
    void endMachine(std::string_view time);
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] bool isEmpty() const { return m_values.empty(); }

private:
    void useWordsOfLogs();
    void endLine(std::string line);

    RunFiles m_run;
    Lines m_lines;
    std::unique_ptr<ByteStream> m_input;
    std::string m_path;
    std::uint64_t m_offset = 0;
    std::uint64_t m_bytesBefore = 0;
    std::vector<std::pair<std::string, std::string>> m_values;
    std::string m_text; // lines that are not read yet
    std::size_t m_at = 0;
    bool m_atEnd = false;
};

// Hugging Face's mean over all of a run, which it calls by the name of a step's loss.
inline constexpr std::string_view kMeanLoss = "mean_train_loss";
// Megatron-LM records each value a second time, with its samples as the step.
bool isOverSamples(std::string_view key);
// Seconds of a time, "1728772416.373468299".
std::string secondsText(TimeNs time);

// The trackers: which file is theirs, the runs in files that are, and the lines of a run.
Confidence sniffWandb(std::string_view head, std::string_view path);
std::vector<ImportUnit> wandbRuns(const SourceTree& tree, const std::vector<SourceFile>& mine);
std::unique_ptr<ByteStream> wandbLines(const RunFiles& run, Lines lines);

Confidence sniffEvents(std::string_view head, std::string_view path);
std::vector<ImportUnit> eventRuns(const SourceTree& tree, const std::vector<SourceFile>& mine);
std::unique_ptr<ByteStream> eventLines(const RunFiles& run, Lines lines);

Confidence sniffMlflow(std::string_view head, std::string_view path);
Confidence lookForMlflow(const SourceTree& tree, const SourceFile& file, std::string_view head);
std::vector<ImportUnit> mlflowRuns(const SourceTree& tree, const std::vector<SourceFile>& mine);
std::unique_ptr<ByteStream> mlflowLines(const RunFiles& run, Lines lines);

// The first of a run's lines, up to 64 KiB; empty where it has none.
std::string firstLinesOf(
    const RunFiles& run, std::unique_ptr<ByteStream> (*open)(const RunFiles&, Lines), Lines lines);
// The name that someone gave a run, with its id behind where another has it; without one the id.
std::string givenName(const std::string& name, const std::string& id, std::set<std::string>& taken);
// The stamp of the first that has one.
std::optional<TimeNs> firstStampIn(std::string_view text);

} // namespace trainscope::importers::tracker
