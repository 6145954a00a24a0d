#pragma once
// Small hand-written traces, and importing text.

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::test {

struct Imported {
    std::optional<ImportReport> report;
    Error error;
    CollectingSink sink;

    Imported() = default;
    explicit Imported(const std::string& text, const std::string& path = "trace.json") {
        const auto tree = importers::memoryTree({{path, text}});
        importers::ImportUnit unit;
        unit.files = {path};
        unit.path = path;
        unit.runName = "run";
        unit.rank = 0;
        auto made = importers::kineto::kImporter.import(*tree, unit, sink, {});
        if (made.hasValue())
            report = std::move(made).value();
        else
            error = made.error();
    }

    [[nodiscard]] std::vector<Span> spansOf(SpanKind kind) const {
        std::vector<Span> result;
        for (const CollectedTrack& track : sink.tracks) {
            for (const Span& span : track.spans) {
                if (span.kind == kind)
                    result.push_back(span);
            }
        }
        return result;
    }
    [[nodiscard]] std::int64_t count(const std::string& key) const {
        const auto found = report->counts.find(key);
        return found == report->counts.end() ? 0 : found->second;
    }
};

// A kernel as libkineto writes it, over several lines.
inline std::string kernelText(const std::string& name, const std::string& ts,
    const std::string& dur, int stream = 7, int correlation = 1) {
    return "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" + name
        + "\", \"pid\": 0, \"tid\": " + std::to_string(stream) + ",\n    \"ts\": " + ts
        + ", \"dur\": " + dur
        + ",\n    \"args\": {\n      \"External id\": 1,\n      \"device\": 0, \"context\": 1,\n   "
          "   \"stream\": "
        + std::to_string(stream) + ", \"correlation\": " + std::to_string(correlation)
        + ",\n      \"grid\": [16, 1, 1],\n      \"block\": [128, 1, 1]\n    }\n  }";
}

inline std::string traceText(const std::vector<std::string>& events,
    const std::string& tail
    = ",\n  \"traceName\": \"t.json\",\n  \"baseTimeNanoseconds\": 1700000000000000000\n") {
    std::string text = "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": "
                       "\"NVIDIA H100\"}],\n"
                       "  \"traceEvents\": [\n";
    for (std::size_t i = 0; i < events.size(); ++i)
        text += events[i] + (i + 1 < events.size() ? ",\n" : "\n");
    return text + "  ]" + tail + "}\n";
}

} // namespace trainscope::test
