#pragma once
// The spans of one track one after the other, in order of their start, read from the store in
// blocks. The store pushes blocks to a visitor; merging several tracks needs to pull.

#include "core/store/Store.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainscope::analysis {

class SpanCursor {
public:
    SpanCursor(const store::Store& store, TrackId track, TimeRange window);

    // The current span, or nullptr at the end. Valid until next().
    [[nodiscard]] const Span* current() const;
    Status next();
    // Call once before the first current().
    Status start();

private:
    Status refill();

    const store::Store* m_store;
    TrackId m_track;
    TimeRange m_window;
    std::vector<Span> m_block;
    std::size_t m_position = 0;
    bool m_isLast = false;
    // Where the block ended: refilling starts there and leaves out what was delivered.
    bool m_hasStarted = false;
    TimeNs m_lastStart;
    std::size_t m_deliveredAtLastStart = 0;
};

} // namespace trainscope::analysis
