#include "core/analysis/comparison/RunMarks.h"

#include <algorithm>

namespace trainscope::analysis {

std::string runMark(std::size_t place) {
    constexpr std::size_t letters = 26;
    std::string mark;
    for (std::size_t rest = place + 1; rest > 0; rest = (rest - 1) / letters)
        mark += static_cast<char>('A' + static_cast<int>((rest - 1) % letters));
    std::reverse(mark.begin(), mark.end());
    return mark;
}

std::string runMarks(std::span<const std::size_t> places) {
    std::string text;
    for (std::size_t i = 0; i < places.size();) {
        std::size_t last = i;
        while (last + 1 < places.size() && places[last + 1] == places[last] + 1)
            ++last;
        text += (text.empty() ? "" : ", ") + runMark(places[i]);
        if (last > i)
            text += (last > i + 1 ? "–" : ", ") + runMark(places[last]);
        i = last + 1;
    }
    return text;
}

} // namespace trainscope::analysis
