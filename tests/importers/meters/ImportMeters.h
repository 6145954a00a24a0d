#pragma once
// Plans and imports texts or files with both telemetry importers, into memory.

#include "importers/common/Formats.h"
#include "importers/support/RecordingSink.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::test {

struct ImportedMeters {
    std::vector<importers::ImportUnit> units;
    RecordingSink sink; // fed by all units
    std::vector<Result<ImportReport>> reports; // one per unit

    using Said = std::function<void(importers::ImportUnit&)>; // before a unit is imported
    ImportedMeters() = default;
    explicit ImportedMeters(const importers::SourceTree& tree, const Said& said = {}) {
        add(tree, said);
    }
    explicit ImportedMeters(std::string_view text)
        : ImportedMeters(*importers::memoryTree({{"log.txt", std::string(text)}})) { }
    void add(const importers::SourceTree& tree, const Said& said = {}) {
        for (const importers::Importer* importer :
            {&importers::meters::kGpuImporter, &importers::meters::kNodeImporter}) {
            std::vector<importers::SourceFile> mine;
            for (const auto& file : tree.files()) {
                const auto head = importers::readHead(tree, file.path, 65536);
                if (head.hasValue() && importer->sniff(head.value(), file.path) > 0)
                    mine.push_back(file);
            }
            for (auto& unit : importer->plan(tree, mine)) {
                if (said)
                    said(unit);
                reports.push_back(importer->import(tree, unit, sink, {}));
                units.push_back(std::move(unit));
            }
        }
    }

    // SI values of a series, NaN for missing; empty where there is none.
    [[nodiscard]] std::vector<double> values(
        const std::string& metric, const Subject& subject) const {
        std::vector<double> result;
        if (const RecordedSeries* series = sink.find(metric, subject)) {
            for (const double value : series->values)
                result.push_back(value * series->description.scale);
        }
        return result;
    }
    [[nodiscard]] std::vector<double> ofGpu(const std::string& metric, int rank) const {
        return values(metric, {SubjectKind::Gpu, rank, -1, {}});
    }
    [[nodiscard]] std::vector<double> ofNode(const std::string& metric, int node) const {
        return values(metric, {SubjectKind::Node, -1, node, {}});
    }
    [[nodiscard]] std::vector<std::int64_t> times(
        const std::string& metric, const Subject& subject) const {
        std::vector<std::int64_t> result;
        if (const RecordedSeries* series = sink.find(metric, subject)) {
            for (const TimeNs time : series->times)
                result.push_back(time.ns);
        }
        return result;
    }
};

// Trapezoids between samples, J.
inline double energyOf(const std::vector<std::int64_t>& times, const std::vector<double>& watts) {
    double joules = 0.0;
    for (std::size_t i = 1; i < times.size(); ++i)
        joules += 0.5 * (watts[i] + watts[i - 1]) * static_cast<double>(times[i] - times[i - 1])
            * 1e-9;
    return joules;
}

// Both missing, or alike but for rounding.
inline bool areAbout(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-9 * (1.0 + std::abs(y));
    });
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kSecondNs = 1'000'000'000;

} // namespace trainscope::test
