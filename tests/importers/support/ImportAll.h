#pragma once
// Plans a tree with all formats and imports what it holds, into memory.

#include "importers/registry/Registry.h"
#include "importers/support/RecordingSink.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct ImportedAll {
    importers::ImportPlan plan;
    RecordingSink sink;
    std::vector<Result<ImportReport>> reports; // one per unit

    explicit ImportedAll(const importers::SourceTree& tree) {
        plan = importers::planImport(tree, {}).valueOr(importers::ImportPlan{});
        for (const auto& unit : plan.units)
            reports.push_back(importers::findImporter(unit.importer)->import(tree, unit, sink, {}));
    }
    // One file of that name and text.
    ImportedAll(const std::string& name, const std::string& text)
        : ImportedAll(*importers::memoryTree({{name, text}})) { }

    // SI values, NaN for missing; empty where there is no such series.
    [[nodiscard]] std::vector<double> values(
        const std::string& metric, const Subject& subject) const {
        std::vector<double> result;
        if (const RecordedSeries* series = sink.find(metric, subject)) {
            for (const double value : series->values)
                result.push_back(value * series->description.scale);
        }
        return result;
    }
    [[nodiscard]] std::vector<double> ofGpu(const std::string& metric, int rank = 0) const {
        return values(metric, {SubjectKind::Gpu, rank, -1, {}});
    }
    [[nodiscard]] std::vector<double> ofNode(const std::string& metric, int node = 0) const {
        return values(metric, {SubjectKind::Node, -1, node, {}});
    }
    // Seconds since the first sample of GPU `rank`.
    [[nodiscard]] std::vector<double> seconds(const std::string& metric, int rank = 0) const {
        std::vector<double> result;
        if (const RecordedSeries* series = sink.ofGpu(metric, rank)) {
            for (const TimeNs time : series->times)
                result.push_back((time - series->times.front()).seconds());
        }
        return result;
    }
    // The trapezoid over the values of a GPU's power that are not missing.
    [[nodiscard]] double joules(int rank = 0) const {
        const RecordedSeries* series = sink.ofGpu("gpu_power", rank);
        const auto watts = ofGpu("gpu_power", rank);
        double sum = 0.0;
        for (std::size_t i = 1; series != nullptr && i < watts.size(); ++i)
            sum += 0.5 * (watts[i] + watts[i - 1])
                * (series->times[i] - series->times[i - 1]).seconds();
        return sum;
    }
    // All warnings of all reports, one behind the other.
    [[nodiscard]] std::string warnings() const {
        std::string text;
        for (const auto& report : reports) {
            if (!report.hasValue()) {
                text += report.error().message + "\n";
                continue;
            }
            for (const ImportWarning& warning : report.value().warnings)
                text += warning.text + "\n";
        }
        return text;
    }
};

// Values of a GPU ("gpu_power 1"; without a number GPU 0), of node 0 ("node cpu_power"), of the run
// ("run loss"), the seconds of a GPU's series ("seconds gpu_power"), or those that iterations last
// ("iterations").
inline std::vector<double> valuesOf(const ImportedAll& log, const std::string& of) {
    const std::size_t blank = of.find(' ');
    const std::string first = of.substr(0, blank);
    const std::string rest = blank == of.npos ? std::string() : of.substr(blank + 1);
    if (first == "iterations") {
        std::vector<double> seconds;
        for (const auto& [run, iteration] : log.sink.iterations)
            seconds.push_back(iteration.range.length().seconds());
        return seconds;
    }
    if (first == "node")
        return log.ofNode(rest);
    if (first == "run")
        return log.values(rest, {SubjectKind::Run, -1, -1, {}});
    if (first == "seconds")
        return log.seconds(rest);
    return log.ofGpu(first, rest.empty() ? 0 : std::stoi(rest));
}

// A file, and what it has: a row of a table of such files.
struct ToldFile {
    const char* row; // its name
    const char* file;
    std::string text;
    std::vector<std::pair<std::string, std::vector<double>>> values; // valuesOf()
    const char* warning = nullptr; // among its warnings; "": it has none; nullptr: any
};
// Says what is otherwise; empty: nothing.
inline std::string faultOf(const ToldFile& told) {
    const ImportedAll log(told.file, told.text);
    std::string fault;
    for (const auto& [of, expected] : told.values) {
        const auto values = valuesOf(log, of);
        if (std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
                [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }))
            continue;
        fault += of + " is";
        for (const double value : values)
            fault += " " + std::to_string(value);
        fault += ". ";
    }
    const std::string wanted = told.warning == nullptr ? std::string() : told.warning;
    const bool isWarned = wanted.empty() ? told.warning == nullptr || log.warnings().empty()
                                         : log.warnings().find(wanted) != std::string::npos;
    return isWarned ? fault : fault + "Warnings: " + log.warnings();
}

} // namespace trainscope::test
