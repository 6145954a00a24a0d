#pragma once
// Events as PyTorch's Kineto writes them, with its categories and arguments, so that one importer
// understands both, and a trace has the same spans in either.

#include "importers/kineto/TraceEvent.h"
#include "importers/perfetto/Annotations.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::importers::perfetto {

struct MadeEvent {
    char phase = 'X';
    std::string_view category;
    std::string_view name;
    std::string_view process; // JSON, as are the next and `id`
    std::string_view thread;
    std::int64_t ns = 0;
    std::optional<std::int64_t> duration = {};
    const Members* arguments = nullptr;
    std::string_view id = {};
};

class EventWriter {
public:
    // To keep views of the event is to take the text that they lie in.
    using Take = std::function<void(const kineto::TraceEvent& event, std::string& text)>;

    explicit EventWriter(Take take)
        : m_take(std::move(take)) { }
    void write(const MadeEvent& event);

private:
    Take m_take;
    kineto::TraceEvent m_event;
    std::string m_text;
};

} // namespace trainscope::importers::perfetto
