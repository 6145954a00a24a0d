#pragma once
// The length of a union of half-open intervals that arrive in order of their start. Constant
// memory.

#include "core/model/Time.h"

#include <algorithm>

namespace trainscope::analysis {

class IntervalUnion {
public:
    void add(TimeRange interval) {
        if (interval.begin >= m_end || m_isEmpty) {
            m_length = m_length + interval.length();
            m_end = interval.end;
            m_isEmpty = false;
        } else if (interval.end > m_end) {
            m_length = m_length + (interval.end - m_end);
            m_end = interval.end;
        }
    }
    [[nodiscard]] DurationNs length() const { return m_length; }

private:
    DurationNs m_length;
    TimeNs m_end;
    bool m_isEmpty = true;
};

} // namespace trainscope::analysis
