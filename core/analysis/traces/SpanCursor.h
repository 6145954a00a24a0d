#pragma once
// The spans of one track one after the other, in order of their start: merging several tracks needs
// to pull.

#include "core/model/Try.h"
#include "core/store/Store.h"

#include <cstddef>
#include <span>

namespace trainscope::analysis {

class SpanCursor {
public:
    SpanCursor(const store::Store& store, TrackId track, TimeRange window)
        : m_source(store.spanSource(track, window)) { }

    // The current span, or nullptr at the end. Valid until next().
    [[nodiscard]] const Span* current() const {
        return m_position < m_block.size() ? &m_block[m_position] : nullptr;
    }
    Status next() {
        ++m_position;
        return m_position < m_block.size() ? Status() : refill();
    }
    // Call once before the first current().
    Status start() { return refill(); }

private:
    Status refill() {
        ASSIGN_OR_RETURN(const auto block, m_source());
        m_block = block;
        m_position = 0;
        return {};
    }

    store::Store::SpanSource m_source;
    std::span<const Span> m_block;
    std::size_t m_position = 0;
};

} // namespace trainscope::analysis
