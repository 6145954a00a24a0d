#pragma once
// Plans and imports training logs, texts or files, into memory.

#include "importers/common/Formats.h"
#include "importers/registry/Registry.h"
#include "importers/support/RecordingSink.h"

#include <QDebug>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct ImportedTraining {
    std::vector<importers::ImportUnit> units; // as the registry plans them
    RecordingSink sink;
    std::vector<Result<ImportReport>> reports; // one per unit

    explicit ImportedTraining(const std::string& text)
        : ImportedTraining(*importers::memoryTree({{"train.log", text}})) { }
    explicit ImportedTraining(const importers::SourceTree& tree) {
        units = importers::planImport(tree, {}).value().units;
        for (const auto& unit : units)
            reports.push_back(importers::findImporter(unit.importer)->import(tree, unit, sink, {}));
    }

    // In SI; empty where there is no such series of the run.
    [[nodiscard]] std::vector<double> values(const std::string& metric) const {
        std::vector<double> result;
        const RecordedSeries* series = sink.find(metric, {SubjectKind::Run, -1, -1, {}});
        if (series == nullptr)
            return result;
        for (const double value : series->values)
            result.push_back(value * series->description.scale);
        return result;
    }
    [[nodiscard]] std::vector<double> seconds() const { // iterations' lengths
        std::vector<double> result;
        for (const auto& [run, iteration] : sink.iterations)
            result.push_back(iteration.range.length().seconds());
        return result;
    }
};

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.empty()        ? 0.0
        : values.size() % 2 == 1 ? values[half]
                                 : (values[half - 1] + values[half]) / 2.0;
}
inline double sum(const std::vector<double>& values) {
    double all = 0.0;
    for (const double value : values)
        all += value;
    return all;
}
inline bool isNear(double value, double expected, double relative) {
    if (std::abs(value - expected) <= relative * std::abs(expected))
        return true;
    qWarning("%.9g instead of %.9g", value, expected);
    return false;
}

} // namespace trainscope::test
