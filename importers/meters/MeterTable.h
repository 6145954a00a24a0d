#pragma once
// A table of readings (subject, metric, time, value) as a telemetry file gives them, one after the
// other. It numbers nodes and ranks, hands blocks to the sink, and keeps what the report says.
// Memory is bounded by the number of series, not by that of the readings.
//
// Power that only a running energy counter tells is derived: the mean between two readings of the
// counter, at the time of the later one, marked as averaged.

#include "core/model/Import.h"
#include "importers/common/SampleStatistics.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

// Whom a reading is about, as the file names it.
struct Who {
    SubjectKind kind = SubjectKind::Gpu;
    std::string host = {}; // of the node; empty: that of the file
    std::string id = {}; // of a GPU: its index, or any text that stays with it
    std::string device = {}; // of a switch, of a part of a node, or the instance of a GPU
    std::string model = {};
    std::string uuid = {};
};

// The registered metric of that name, or one of the source's own.
Metric meterMetric(std::string_view name, std::string_view unit);

class MeterTable {
public:
    MeterTable(Sink& sink, RunId run, ImportReport& report, int firstRank);

    // Readings without a host are from now on of that node: the number that its file's name has,
    // else the next one.
    void startFile(std::optional<int> node);
    // The place of a subject in the other calls. Usage: more of them than can be.
    Result<std::size_t> subject(const Who& who);
    // The place of one of its metrics; the first description of a metric stays.
    std::size_t channel(std::size_t subject, const SeriesDescription& what);
    // NaN: missing.
    Status add(std::size_t channel, TimeNs time, double value);
    // The last time that a channel was given; absent before.
    [[nodiscard]] std::optional<TimeNs> lastTime(std::size_t channel) const;
    // Writes what is held and completes the report.
    Status finish();

    [[nodiscard]] std::size_t gpuCount() const;
    [[nodiscard]] std::size_t nodeCount() const { return m_hosts.size(); }
    [[nodiscard]] std::size_t countOf(SubjectKind kind) const;
    [[nodiscard]] std::string gpuModel() const; // the first that was named
    [[nodiscard]] const std::set<std::string>& metrics() const { return m_metrics; }

private:
    struct Host {
        std::string name;
        std::optional<int> number;
        int unnumbered = 0; // GPUs that have no index
        int gpus = 0; // highest local index + 1
    };
    struct Row {
        Who who;
        std::size_t host = 0;
        int local = -1;
        Subject subject;
        bool isPlaced = false; // its subject has its numbers
        // By metric; power by its sensor as well, since sources give both.
        std::map<std::string, std::size_t, std::less<>> channels;
        std::optional<std::size_t> derived; // its power
        std::optional<std::size_t> told; // the channel that the statistics are of
        SampleStatistics statistics;
    };
    struct Channel {
        std::size_t row = 0;
        SeriesDescription what;
        SeriesId series; // invalid until a value was seen
        std::vector<TimeNs> times;
        std::vector<double> values;
        bool isPresent = false; // a value was seen
        std::optional<TimeNs> lastTime;
        std::optional<double> lastValue; // that is not missing
        TimeNs lastValueTime;
        std::optional<std::size_t> power; // derived from this counter
        bool isDerived = false;
        bool isDropped = false; // derived, and the source has its own after all
    };

    std::size_t hostOf(const Who& who);
    Status settle();
    void numberHosts();
    Status place(Row& row);
    Status flush(Channel& channel);
    Status flushAll();
    Status hold(Channel& channel, TimeNs time, double value);
    Status derive(Channel& counter, TimeNs time, double value);
    void watch(Row& row, std::size_t channel);
    void addDerived(std::size_t counter, std::string_view power);
    void dropDerived(Row& row, std::string_view metric);
    [[nodiscard]] std::string nameOf(const Row& row, const SeriesDescription& what) const;

    Sink& m_sink;
    RunId m_run;
    ImportReport& m_report;
    int m_firstRank;
    int m_gpusPerNode = 0; // 0: one node
    int m_files = 0;
    std::optional<int> m_fileNode;
    bool m_isSettled = false;
    std::size_t m_held = 0;
    std::vector<Host> m_hosts;
    std::map<std::string, std::size_t, std::less<>> m_hostOf;
    std::vector<Row> m_rows;
    std::map<std::string, std::size_t, std::less<>> m_rowOf;
    std::vector<Channel> m_channels;
    std::set<std::string> m_metrics;
    std::string m_key; // of the last look-up, kept for its storage
};

} // namespace trainscope::importers::meters
