#pragma once
// Imports of everything that an importer plans of a tree, stopped where they take longer than
// anybody waits: a report, or an error that says something.

#include "importers/common/Importer.h"

#include <cstdlib>

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

} // namespace trainscope::fuzz
