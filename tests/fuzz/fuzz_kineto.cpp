// Any bytes as a Kineto trace, and a second part of them as the execution trace of its process: a
// report or an error, no crash, no hang, and the same events whether or not pieces of the text are
// parsed ahead.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"
#include "importers/kineto/TraceSyntax.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace trainscope;
using namespace trainscope::importers;

// Everything a visitor is told, as one text.
class Notes final : public kineto::TraceVisitor {
public:
    void header(std::string_view key, const JsonToken& value) override {
        m_text.append(key).append(1, '=').append(value.text).append(1, '\n');
    }
    void broken(std::int64_t line, const std::string& what, bool skippedEvent) override {
        m_text += std::to_string(line) + what + (skippedEvent ? "!\n" : "\n");
    }
    Status events(const kineto::EventBatch& batch, const kineto::TraceSyntax& syntax) override {
        m_events += batch.events;
        for (const kineto::EventRecord& record : batch.records) {
            m_text += std::to_string(record.start) + '|' + std::to_string(record.duration) + '|'
                + std::to_string(record.correlation) + '|' + std::to_string(record.place) + '|'
                + std::to_string(syntax.lineAt(record.end));
            if (record.kind == kineto::RecordKind::Span)
                m_text.append(batch.text(record.name))
                    .append(batch.tracks[record.track].process)
                    .append(batch.tracks[record.track].thread);
            if (record.detail != kineto::EventRecord::kNone)
                m_text.append(batch.text(record.detail));
            m_text += '\n';
        }
        return {};
    }
    [[nodiscard]] std::string text() const { return m_text + std::to_string(m_events); }

private:
    std::string m_text;
    std::int64_t m_events = 0;
};

std::string readWith(const SourceTree& tree, WorkerPool* pool, std::size_t pieceSize) {
    auto stream = tree.open("trace_0.json");
    if (!stream.hasValue())
        return stream.error().message;
    Notes notes;
    kineto::TraceReader reader(*stream.value(), 0, "fuzz", pool, pieceSize);
    const auto result = reader.run(notes, {});
    return result.hasValue() ? notes.text() : result.error().message;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t pieceSize = 16 + (size > 0 ? data[size - 1] : 0U) * std::size_t{4};
    const auto parts = fuzz::partsOf({data, size}, 2);
    const auto tree = memoryTree({{"trace_0.json", parts[0]}, {"et_0.json", parts[1]}});
    const importers::Importer& importer = importers::kineto::kImporter;
    for (auto unit : importer.plan(*tree, {tree->files()[1]})) {
        unit.partner = parts[1].empty() ? "" : "et_0.json";
        fuzz::importUnit<test::CollectingSink>(importer, *tree, unit);
    }
    static WorkerPool pool(0);
    if (readWith(*tree, nullptr, pieceSize) != readWith(*tree, &pool, pieceSize))
        std::abort();
    return 0;
}
