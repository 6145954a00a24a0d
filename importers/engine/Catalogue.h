#pragma once
// Catalogue of an engine for a selection and a time: nodes, GPUs and the series of each, recognised
// by the table of exporters (common/ExporterMetrics.h) and the user's mapping. The same GPU under
// several jobs or instances is one; of two metrics of the engine that are the same one here, the
// better sensor is taken.

#include "core/model/Import.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "importers/common/DcgmFields.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Mapping.h"
#include "importers/engine/Roster.h"

#include <set>

namespace trainscope::importers::engine {

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
