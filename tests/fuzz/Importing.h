#pragma once
// Imports of everything that an importer plans of a tree, stopped where they take longer than
// anybody waits: a report, or an error that says something.

#include "importers/common/Importer.h"
#include "importers/support/RecordingSink.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace trainscope::fuzz {

inline constexpr int kMostQuestions = 2000;

template <typename Sink>
void importUnit(const importers::Importer& importer, const importers::SourceTree& tree,
    const importers::ImportUnit& unit) {
    int questions = 0;
    const Progress progress = [&](const ProgressState&) { return ++questions < kMostQuestions; };
    Sink sink;
    const auto report = importer.import(tree, unit, sink, progress);
    if (!report.hasValue() && report.error().message.empty())
        std::abort();
}

template <typename Sink>
void importAll(const importers::Importer& importer, const importers::SourceTree& tree) {
    for (const auto& unit : importer.plan(tree, tree.files()))
        importUnit<Sink>(importer, tree, unit);
}

// Imports of telemetry, whose reports count the samples; check(unit, sink) looks at each further.
template <typename Check>
void importTelemetry(
    const importers::Importer& importer, const importers::SourceTree& tree, const Check& check) {
    for (const auto& unit : importer.plan(tree, tree.files())) {
        test::RecordingSink sink;
        const auto report = importer.import(tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            std::abort();
        std::int64_t recorded = 0;
        for (const auto& series : sink.allSeries)
            recorded += static_cast<std::int64_t>(series.values.size());
        if (report.hasValue() && report.value().samples != recorded)
            std::abort();
        check(unit, sink);
    }
}

// The same of a text in two files of such names, where the importer takes it for one of its own.
inline void importTelemetryText(const importers::Importer& importer, const std::string& text,
    const std::string& name, const std::string& other) {
    const auto tree = importers::memoryTree({{name, text}, {other, text}});
    if (importer.sniff(text.substr(0, 65536), name) > 0)
        importTelemetry(importer, *tree, [](const auto&, const auto&) {});
}

} // namespace trainscope::fuzz
