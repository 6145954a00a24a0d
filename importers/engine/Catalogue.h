#pragma once
// Catalogue of an engine for a selection and a time: nodes, GPUs and the series of each, recognised
// by the table of exporters (common/ExporterMetrics.h) and the user's mapping. The same GPU under
// several jobs or instances is one; of two metrics of the engine that are the same one here, the
// better sensor is taken.

#include "core/model/Import.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Mapping.h"

#include <set>
#include <unordered_map>

namespace trainscope::importers::engine {

// Roster: the nodes and GPUs of an engine's series, numbered as a run has them. The same GPU is
// known by its UUID under whatever other labels it appears, after a restart too; one without a UUID
// by its node and index. Nodes are ordered by name, GPUs of a node by index.

class Roster {
public:
    Roster() = default;
    // As it was settled before.
    Roster(std::vector<std::string> nodes, std::vector<Gpu> gpus,
        std::map<std::string, std::string> aliases);

    // Another name of a node: where one exporter names the host and another its address.
    void alias(std::string_view name, std::string_view node);
    void add(const ExporterSubject& whom);
    // Numbers everyone; nothing is added afterwards.
    void settle();

    // Absent for whom it does not know.
    [[nodiscard]] std::optional<Subject> find(const ExporterSubject& whom) const;
    [[nodiscard]] const std::vector<std::string>& nodes() const { return m_nodes; }
    [[nodiscard]] const std::vector<Gpu>& gpus() const { return m_gpus; } // by rank
    [[nodiscard]] const std::map<std::string, std::string>& aliases() const { return m_aliases; }

private:
    struct Met {
        std::string uuid;
        std::string node;
        int index = -1;
        std::string model;
    };
    [[nodiscard]] std::string nodeName(std::string_view name) const;
    [[nodiscard]] int nodeNumber(std::string_view name) const; // -1: not known
    void meet(const Met& gpu);
    void joinShortNames();
    void number();
    void remember();

    std::vector<std::string> m_nodes;
    std::vector<Gpu> m_gpus;
    std::map<std::string, std::string> m_aliases;
    std::vector<Met> m_met;
    std::unordered_map<std::string, std::size_t> m_metByKey; // uuid, else node and index
    std::map<std::string, bool> m_metNodes;
    std::unordered_map<std::string, int> m_nodeNumbers;
    std::unordered_map<std::string, int> m_ranksByUuid;
    std::unordered_map<std::string, int> m_ranksByPlace;
};

struct Wanted {
    Selector selector;
    TimeRange range;
    Mapping mapping;
};

// A series of the run.
struct Channel {
    SeriesDescription description;
    std::string engineName; // the metric it is taken from
};

// A metric of the engine that is imported.
struct FoundMetric {
    std::string engineName;
    Metric metric;
    double scale = 1.0;
    SubjectKind subject = SubjectKind::Gpu;
    std::int64_t series = 0; // label sets
    std::string uuidLabel = {}; // all of its series have it; empty: none
    std::string nodeLabel = {}; // likewise, with the node's name as the roster has it
};

// Numbers of that metric of the engine that stand for "not known", as exporters write them.
std::vector<NumberRange> blanksOf(std::string_view engineName, const SeriesDescription& what);

// The labels that part of the series has in common, to ask for it alone.
struct NodeLabels {
    // For each label that names nodes: its values, where all series have it.
    std::map<std::string, std::set<std::string>, std::less<>> values;
    std::set<std::string, std::less<>> missing; // labels that some series lacks
};

struct Catalogue {
    Roster roster;
    std::vector<Channel> channels; // by node, rank, metric, device
    std::vector<FoundMetric> metrics; // by the engine's name
    std::map<int, NodeLabels> labelsOfNodes;
    std::vector<std::string> unknownNames; // metrics of the selection without a meaning
    std::vector<std::string> doubled; // metrics left out: the same is measured better by another
    std::set<std::string> jobs; // values of the label job: who scraped
    std::set<std::string> clusterJobs; // numbers that Slurm's labels give
    std::int64_t parts = 0; // label sets of parts of GPUs (MIG), left out
    std::uint64_t wireBytes = 0;

    // The channel that a series of the engine belongs to.
    [[nodiscard]] std::optional<std::size_t> channelOf(
        const Labels& labels, const Mapping& mapping) const;
    void index(); // after channels were changed

private:
    std::unordered_map<std::string, std::size_t> m_byKey;
};

// Unrecognised with what there is where nothing is found that has a meaning.
Result<Catalogue> readCatalogue(Fetcher& fetcher, const Wanted& wanted, const Progress& progress);

// A part of a copy: a node, or what is of none. Each is a source of the database, and what is
// complete stays there whatever happens to the rest.
struct Part {
    std::string name; // the node's
    std::string condition; // `Hostname="node-1"`; empty: all that the selection has
    std::vector<std::string> engineNames;
    std::vector<std::size_t> channels; // ascending indices of the catalogue's
};

std::vector<Part> partsOf(const Catalogue& catalogue);

} // namespace trainscope::importers::engine
