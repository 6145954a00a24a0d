#pragma once
// The explicit list of telemetry files that the engine reads. A format is a row here, and a pair of
// files or a table of columns beside it.

#include "importers/common/Importer.h"
#include "importers/meters/ColumnNames.h"
#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

// The first bytes of a file, and its first lines.
struct MeterHead {
    std::string_view text;
    std::vector<std::string> lines;

    [[nodiscard]] bool has(std::string_view part) const {
        return text.find(part) != std::string_view::npos;
    }
    [[nodiscard]] bool isJson() const;
};
MeterHead meterHead(std::string_view head);

// A run has at most one source of each family, as a rule.
enum class MeterFamily {
    Logs, // nvidia-smi's, and tables like them
    Gpus, // monitors of GPUs, and exporters
    Nodes, // meters of whole nodes and switches
};

// Logs are told by the words of their columns, all others by what no other tool writes.
enum class MeterKinds { Logs, Others };

struct MeterFormat {
    MeterFamily family;
    std::string_view name; // one file's: "dcgmi dmon log"
    Confidence (*sniff)(const MeterHead& head);
    // nullptr: rows of a table, which LogReader.h reads by blocks.
    MakeMeterReader open = nullptr;
    bool isJson = false; // objects, not lines
    const TableKind* table = nullptr; // a known tool's; nullptr: a log with columns of any name
    // Remark of the report on its values.
    std::string_view sensor = {};
    // The path of the objects that are read one by one (JsonPaths.h); empty: the outermost ones.
    std::string_view objects = {};
    // The runs of a file that may have several, each read by itself.
    std::vector<std::string> (*runs)(const SourceTree& tree, const std::string& path) = nullptr;
    // Its unix time was made of local times of a zone that is not said.
    bool isOfLocalTime = false;
};

// The format of a file that begins so, or nullptr.
const MeterFormat* meterFormatOf(
    const MeterHead& head, MeterKinds kinds, Confidence* confidence = nullptr);

} // namespace trainscope::importers::meters
