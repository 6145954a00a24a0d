#pragma once
// Lengths of slices, from their begins and ends on their tracks. Writers differ: a program ends
// what it began last, as it goes; PyTorch writes all begins of a kind and then their ends in the
// same order; threads hand over late what they have written. So the events of a track are held
// back, 8 bytes each, and paired
//  - as a stack, where they came in the order of time,
//  - else by runs of begins and as many ends, each the one at its place, where none would end
//    before it begins,
//  - else as a stack in the order of time.

#include "importers/perfetto/Annotations.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace trainscope::importers::perfetto {

class SlicePairs {
public:
    static constexpr std::size_t kMost = 16'000'000; // begins and ends; those of some 3 GB

    // `track`: a small number; moments in ns, 0 to 2^61. In the order of the file.
    void add(std::uint32_t track, std::int64_t ns, bool isEnd);
    // Arguments of the event added last, an end.
    void say(std::uint32_t track, Members arguments);
    // Behind the last.
    void finish();
    // ns that the next begin of that track lasted, from `at` on, which moves; absent: nobody
    // ended it, or there was no room.
    [[nodiscard]] std::optional<std::int64_t> next(std::uint32_t track, std::size_t& at) const;
    // Arguments of the end of that begin, by its number; nullptr: it has none.
    [[nodiscard]] const Members* said(std::uint32_t track, std::size_t begin) const;
    // Begins or ends without their other half.
    [[nodiscard]] std::int64_t unpaired() const { return m_unpaired; }
    // Begins and ends for which there was no room.
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    using Events = std::deque<std::int64_t>; // twice the moment, and 1 for an end; then, by begin,
                                             // how long it lasted, or -1

    std::vector<Events> m_tracks;
    std::map<std::pair<std::uint32_t, std::size_t>, Members>
        m_said; // by track and place; then begin
    std::size_t m_held = 0;
    std::int64_t m_unpaired = 0;
    std::int64_t m_leftOut = 0;
};

} // namespace trainscope::importers::perfetto
