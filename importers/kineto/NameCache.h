#pragma once
// Interned texts, so that the sink is asked once for each. Bounded: when it has grown too large it
// starts anew, which only costs time.

#include "core/model/Import.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trainscope::importers::kineto {

// Lets maps with string keys be searched by views.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

class NameCache {
public:
    explicit NameCache(Sink& sink)
        : m_sink(sink) { }

    Result<NameId> text(std::string_view text);

private:
    Sink& m_sink;
    TextMap<NameId> m_ids;
    std::size_t m_bytes = 0;
};

} // namespace trainscope::importers::kineto
