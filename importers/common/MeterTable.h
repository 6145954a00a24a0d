#pragma once
// A table of readings (subject, metric, time, value) as a telemetry file gives them, one after the
// other. It hands blocks to the sink, and keeps what the report says.
// Memory is bounded by the number of series, not by that of the readings.
//
// Power that only a running energy counter tells is derived: the mean between two readings of the
// counter, at the time of the later one, marked as averaged. The first one holds from the first
// reading on.
// Numbers that cannot be (ExporterMetrics.h) are missing, and that is said.
// A UUID that does not tell GPUs apart ("GPU-REDACTED") is none.
// A GPU that draws 0 W throughout, beside others with power, has none of its own: the second die of
// a package, whose whole power the first one tells.

#include "importers/common/GpuIdentity.h"
#include "importers/common/PowerDoubts.h"
#include "importers/common/SampleStatistics.h"

#include <set>

namespace trainscope::importers {

// Numbers the nodes and ranks of a telemetry file, whose GPUs may turn up at any time: nodes in
// the natural order of their names behind those that their files number, ranks by node and index.

class MeterNodes {
public:
    explicit MeterNodes(int firstRank)
        : m_firstRank(firstRank) { }

    // Starts a file: readings that name no node are of the number in the file's name, else of the
    // next one.
    void startFile(std::optional<int> node);
    // Tells the file's own node from those of other files.
    [[nodiscard]] int fileKey() const { return m_fileNode ? *m_fileNode : -m_files; }
    // The place of a node in the other calls; `name` is empty for the file's own.
    std::size_t node(const std::string& name);
    // A GPU of that node; its index in it.
    int addGpu(std::size_t node, std::string_view id);

    // GPUs of each node, known before they are read; 0: not known.
    void expectGpusPerNode(int gpus) { m_gpusPerNode = gpus; }
    // Nodes have numbers from now on.
    void settle();
    // 0 where there are no nodes.
    [[nodiscard]] int numberOf(std::size_t node) const;
    // GPUs that turn up when the ranks of other nodes are given away follow behind all of them.
    int rankOf(int number, int local);

    [[nodiscard]] std::size_t count() const { return m_nodes.size(); }

private:
    struct Node {
        std::string name;
        std::optional<int> number;
        int unnumbered = 0; // GPUs that have no index
        int gpus = 0; // highest index + 1
    };
    void number();
    void countGpusPerNode();

    int m_firstRank;
    int m_gpusPerNode = 0; // 0: one node
    int m_files = 0;
    std::optional<int> m_fileNode;
    bool m_isSettled = false;
    std::vector<Node> m_nodes;
    std::map<std::string, std::size_t, std::less<>> m_places;
    std::map<std::pair<int, int>, int> m_ranks; // by number of the node and index in it
    std::set<int> m_takenRanks;
};

// Subject of a reading, as the file names it.
struct Who {
    SubjectKind kind = SubjectKind::Gpu;
    std::string host = {}; // the node's; empty: that of the file
    std::string id = {}; // a GPU's: its index, or any text that stays with it
    std::string device = {}; // a switch, a part of a node, or the instance of a GPU
    std::string model = {};
    std::string uuid = {};
    bool isById
        = false; // a GPU's: the id tells it apart, whatever its UUID (which may be redacted)
    std::string address = {}; // a GPU's: on the PCI bus
};

// The registered metric of that name, or one of the source's own.
Metric meterMetric(std::string_view name, std::string_view unit);

class MeterTable {
public:
    // `shown`: the file or folder, as warnings name it.
    MeterTable(Sink& sink, RunId run, ImportReport& report, std::string shown, int firstRank);

    // As of MeterNodes.
    void startFile(std::optional<int> node) { m_nodes.startFile(node); }
    // The place of a subject in the other calls. Usage: more of them than can be.
    Result<std::size_t> subject(const Who& who);
    // The place of one of its metrics; its description stays from the first value on.
    std::size_t channel(std::size_t subject, const SeriesDescription& what);
    [[nodiscard]] const SeriesDescription& description(std::size_t channel) const {
        return m_channels[channel].what;
    }
    // NaN: missing.
    Status add(std::size_t channel, TimeNs time, double value);
    // Sets what the following rows of a subject hold: readings of one time each.
    Status setFields(std::size_t subject, const std::vector<SeriesDescription>& fields);
    // A value for each field; NaN: missing.
    Status addRow(std::size_t subject, TimeNs time, std::span<const double> values);
    // GPUs of a node, where more is known of them than was read; 0: nothing.
    void expectGpusPerNode(int gpus) { m_nodes.expectGpusPerNode(gpus); }
    // The last time that a channel was given; absent before.
    [[nodiscard]] std::optional<TimeNs> lastTime(std::size_t channel) const;
    // Writes what is held and completes the report.
    Status finish();

    [[nodiscard]] std::size_t gpuCount() const { return countOf(SubjectKind::Gpu); }
    [[nodiscard]] std::size_t nodeCount() const { return m_nodes.count(); }
    [[nodiscard]] std::size_t countOf(SubjectKind kind) const;
    [[nodiscard]] std::string gpuModel() const; // the first that was named
    [[nodiscard]] const std::set<std::string>& metrics() const { return m_metrics; }

private:
    struct Row {
        Who who;
        std::size_t node = 0;
        int local = -1;
        Subject subject;
        bool isPlaced = false; // its subject has its numbers
        // By metric; power by its sensor as well, since sources give both.
        std::map<std::string, std::size_t, std::less<>> channels;
        std::optional<std::size_t> derived; // its power
        std::optional<std::size_t> told; // the channel that the statistics are of
        SampleStatistics statistics;
        // Channels of its rows, which share their times.
        std::vector<std::size_t> fields;
        std::vector<TimeNs> times;
        EnergySums sums;
    };
    struct Channel {
        std::size_t row = 0;
        SeriesDescription what;
        double highest = 0.0; // possible without doubt
        SeriesId series = {}; // invalid until a value was seen
        std::vector<TimeNs> times = {};
        std::vector<double> values = {};
        bool isPresent = false; // a value was seen
        bool isNoPower = false; // all values so far are a GPU's power of 0 W
        std::optional<TimeNs> lastTime = {};
        std::optional<double> lastValue = {}; // not a missing one
        TimeNs lastValueTime = {};
        std::optional<std::size_t> power = {}; // derived from this counter
        bool isDerived = false;
        bool isDropped = false; // derived, and the source has its own after all
        bool isRenamed = false; // by what the rows show
    };

    // The value, or missing where it cannot be.
    double possible(const Channel& channel, double value);
    void warnOfImpossible();
    [[nodiscard]] bool hasPower() const; // any GPU has it
    void warnOfNoPower();
    Status settle();
    Status place(Row& row);
    Status flush(Channel& channel);
    Status flushRows(Row& row);
    Status write(Channel& channel, const std::vector<TimeNs>& times);
    [[nodiscard]] Channel* fieldOf(const Row& row, std::string_view metric); // nullptr: none
    void settlePower(const Row& row);
    void settleEnergy(const Row& row);
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
    std::string m_shown;
    MeterNodes m_nodes;
    std::size_t m_held = 0;
    std::vector<Row> m_rows;
    std::map<std::string, std::size_t, std::less<>> m_rowOf;
    std::vector<Channel> m_channels;
    std::set<std::string> m_metrics;
    PowerDoubts m_doubts;
    // Numbers of a metric that were no readings: how many, and the first.
    std::map<std::string, std::pair<std::int64_t, double>> m_impossible;
    ToldByRank m_hosts;
    ToldByRank m_addresses;
    std::string m_key; // the last look-up's, kept for its storage
};

} // namespace trainscope::importers
