#pragma once
// Imports of traces with any importer, and their spans as lines to compare.

#include "importers/common/Importer.h"
#include "importers/kineto/CollectingSink.h"

#include <set>
#include <string>
#include <vector>

namespace trainscope::test {

struct ImportedTraces {
    std::vector<importers::ImportUnit> units;
    CollectingSink sink; // takes all that is switched on
    std::vector<Result<ImportReport>> reports;

    ImportedTraces() = default;
    ImportedTraces(const importers::Importer& importer, const importers::SourceTree& tree) {
        add(importer, tree);
    }
    void add(const importers::Importer& importer, const importers::SourceTree& tree) {
        std::vector<importers::SourceFile> mine;
        for (const auto& file : tree.files()) {
            const auto head = importers::readHead(tree, file.path, 65536);
            if (!head.hasValue())
                continue;
            if (importer.sniff(head.value(), file.path) > 0
                || (importer.look != nullptr && importer.look(tree, file, head.value()) > 0))
                mine.push_back(file);
        }
        units = importer.plan(tree, mine);
        for (const auto& unit : units) {
            if (unit.enabled)
                reports.push_back(importer.import(tree, unit, sink, {}));
        }
    }

    // Lines of a kind, as "rank|device or process/thread|name|start|duration|correlation|detail".
    [[nodiscard]] std::multiset<std::string> lines(SpanKind kind, std::int64_t from = 0) const {
        std::multiset<std::string> result;
        for (const CollectedTrack& track : sink.tracks) {
            const TrackDescription& at = track.description;
            for (const Span& span : track.spans) {
                if (span.kind != kind)
                    continue;
                const std::string place = at.kind == TrackKind::Thread
                    ? at.process + "/" + at.thread
                    : std::to_string(at.device) + "/" + at.thread;
                result.insert(std::to_string(at.rank) + "|" + place + "|" + sink.name(span.name)
                    + "|" + std::to_string(span.start.ns - from) + "|"
                    + std::to_string(span.duration.ns) + "|" + std::to_string(span.correlation)
                    + "|" + sink.name(span.detail));
            }
        }
        return result;
    }
};

} // namespace trainscope::test
