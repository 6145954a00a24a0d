#include "importers/trace/IterationNames.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <array>
#include <utility>

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
    std::int64_t number = 0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Mark& mark = marks[i];
        const bool isFirst = i == 0 || marks[i - 1].rank != mark.rank;
        const bool isLast = i + 1 == marks.size() || marks[i + 1].rank != mark.rank;
        number = isFirst ? 0 : number + 1;
        TimeRange range = mark.range;
        const bool beginsInside = !isFirst && marks[i - 1].range.end > range.begin;
        if (!isLast && range.end > marks[i + 1].range.begin) {
            range.end = marks[i + 1].range.begin;
            m_wereOpen = true;
        } else if (beginsInside && marks[i - 1].range.end >= mark.range.end) {
            continue; // the innermost of those never closed
        }
        result.push_back({mark.rank, mark.index.value_or(number), range});
    }
    return result;
}

} // namespace trainscope::importers
