#include "importers/trace/IterationNames.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <array>

namespace trainscope::importers {

namespace {

// The clearest first.
constexpr std::array<std::string_view, 11> kWords{"profilerstep", "iteration", "train_iteration",
    "training_step", "train_step", "global_step", "step", "iter", "train_iter", "batch",
    "micro_batch"};
constexpr std::size_t kLongestName = 40;

bool isBetweenWordAndNumber(char c) {
    return c == ' ' || c == '_' || c == '#' || c == '-' || c == ':' || c == '=';
}

} // namespace

std::optional<IterationName> iterationNameOf(std::string_view rangeName) {
    if (rangeName.empty() || rangeName.size() > kLongestName)
        return std::nullopt;
    const std::size_t last = rangeName.find_last_not_of("0123456789");
    if (last == std::string_view::npos)
        return std::nullopt;
    const std::string_view digits = rangeName.substr(last + 1);
    std::string_view head = rangeName.substr(0, last + 1);
    while (!head.empty() && isBetweenWordAndNumber(head.back()))
        head.remove_suffix(1);
    std::string word = lowered(head);
    std::replace(word.begin(), word.end(), ' ', '_');
    const auto found = std::find(kWords.begin(), kWords.end(), word);
    if (found == kWords.end())
        return std::nullopt;
    return IterationName{*found, wholeNumber<std::int64_t>(digits)};
}

std::vector<std::optional<TimeRange>> closedRanges(const std::vector<TimeRange>& ranges) {
    std::vector<std::optional<TimeRange>> closed(ranges.begin(), ranges.end());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (i + 1 < ranges.size() && ranges[i].end > ranges[i + 1].begin)
            closed[i]->end = ranges[i + 1].begin;
        else if (i > 0 && ranges[i - 1].end > ranges[i].begin && ranges[i - 1].end >= ranges[i].end)
            closed[i].reset();
    }
    return closed;
}

void HeldIterations::add(
    std::int64_t thread, const IterationName& name, TimeRange range, Write write) {
    if (m_count++ < kMost)
        m_held[{thread, name.word, name.index.has_value()}].push_back({range, std::move(write)});
    else
        write(range);
}

std::int64_t HeldIterations::writeAll() {
    std::int64_t leftOut = 0;
    for (auto& [kind, all] : m_held) {
        std::stable_sort(all.begin(), all.end(),
            [](const Held& a, const Held& b) { return a.range.begin < b.range.begin; });
        const std::vector<TimeRange> ranges = vectorOf(all, &Held::range);
        const auto closed = closedRanges(ranges);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (closed[i])
                all[i].write(*closed[i]);
            else
                ++leftOut;
        }
    }
    m_held.clear();
    m_count = 0;
    return leftOut;
}

void IterationMarks::add(int rank, const IterationName& name, TimeRange range) {
    if (m_count++ < kMost)
        m_marks[{name.word, name.index.has_value()}].push_back({rank, name.index, range});
}

std::vector<MarkedIteration> IterationMarks::take() {
    m_wereOpen = false;
    std::vector<Mark> marks;
    for (const bool isNumbered : {true, false}) {
        for (const std::string_view word : kWords) {
            const auto found = m_marks.find({word, isNumbered});
            if (marks.empty() && found != m_marks.end())
                marks = std::move(found->second);
        }
    }
    m_marks.clear();
    m_count = 0;
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
        return std::pair(a.rank, a.range.begin) < std::pair(b.rank, b.range.begin);
    });
    std::vector<MarkedIteration> result;
    for (auto first = marks.begin(); first != marks.end();) {
        const auto end = std::find_if(
            first, marks.end(), [first](const Mark& mark) { return mark.rank != first->rank; });
        std::vector<TimeRange> ranges;
        std::transform(
            first, end, std::back_inserter(ranges), [](const Mark& mark) { return mark.range; });
        const auto closed = closedRanges(ranges);
        for (std::size_t i = 0; i < ranges.size(); ++i, ++first) {
            if (closed[i])
                result.push_back(
                    {first->rank, first->index.value_or(static_cast<std::int64_t>(i)), *closed[i]});
            m_wereOpen = m_wereOpen || closed[i] != ranges[i];
        }
    }
    return result;
}

} // namespace trainscope::importers
