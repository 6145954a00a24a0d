#pragma once
// Plans and imports texts or files with the nvidia-smi importer, into memory.

#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <QString>
#include <QtGlobal>

#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct ImportedLog {
    std::vector<importers::ImportUnit> units;
    RecordingSink sink; // fed by all units
    std::vector<Result<ImportReport>> reports; // one per unit

    explicit ImportedLog(const importers::SourceTree& tree) {
        const importers::Importer& importer = importers::meters::kLogImporter;
        std::vector<importers::SourceFile> mine;
        for (const auto& file : tree.files()) {
            const auto head = importers::readHead(tree, file.path, 65536);
            if (head.hasValue() && importer.sniff(head.value(), file.path) > 0)
                mine.push_back(file);
        }
        units = importer.plan(tree, mine);
        for (const auto& unit : units)
            reports.push_back(importer.import(tree, unit, sink, {}));
    }
    // One file of that text.
    explicit ImportedLog(const std::string& text)
        : ImportedLog(*importers::memoryTree({{"log.csv", text}})) { }

    // Values of a series in SI.
    [[nodiscard]] std::vector<double> values(const std::string& metric, int rank) const {
        std::vector<double> result;
        if (const RecordedSeries* series = sink.ofGpu(metric, rank)) {
            for (const double value : series->values)
                result.push_back(value * series->description.scale);
        }
        return result;
    }
    [[nodiscard]] std::vector<std::int64_t> times(const std::string& metric, int rank) const {
        std::vector<std::int64_t> result;
        if (const RecordedSeries* series = sink.ofGpu(metric, rank)) {
            for (const TimeNs time : series->times)
                result.push_back(time.ns);
        }
        return result;
    }
};

} // namespace trainscope::test
