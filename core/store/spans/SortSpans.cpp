#include "core/store/spans/SpanSorter.h"

#include <algorithm>

namespace trainscope::store {
namespace {

constexpr std::size_t kShortest = 16; // runs are made at least so long by insertion

bool before(const Span& a, const Span& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
}

using Place = std::vector<Span>::iterator;

// The end of the run that begins at `first`, made long enough by insertion.
Place makeRun(Place first, Place last) {
    Place end = std::is_sorted_until(first, last, before);
    const auto enough = std::min<std::ptrdiff_t>(kShortest, last - first);
    for (; end - first < enough; ++end) {
        const Span moved = *end;
        const Place to = std::upper_bound(first, end, moved, before);
        std::move_backward(to, end, end + 1);
        *to = moved;
    }
    return end;
}

// Only what overlaps is moved, which is little where the spans are nearly in order.
void mergeRuns(Place first, Place middle, Place last, std::vector<Span>& spare) {
    first = std::upper_bound(first, middle, *middle, before);
    if (first == middle)
        return;
    last = std::lower_bound(middle, last, *(middle - 1), before);
    spare.assign(first, middle);
    for (Place left = spare.begin(); left != spare.end(); ++first)
        *first = middle != last && before(*middle, *left) ? *middle++ : *left++;
}

} // namespace

void sortSpans(std::vector<Span>& spans) {
    std::vector<Place> bounds{spans.begin()};
    while (bounds.back() != spans.end())
        bounds.push_back(makeRun(bounds.back(), spans.end()));
    std::vector<Span> spare;
    std::vector<Place> merged;
    while (bounds.size() > 2) {
        merged.clear();
        for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
            merged.push_back(bounds[i]);
            if (i + 2 < bounds.size())
                mergeRuns(bounds[i], bounds[i + 1], bounds[i + 2], spare);
        }
        merged.push_back(spans.end());
        bounds.swap(merged);
    }
}

} // namespace trainscope::store
