#include "importers/trainlog/OtherRanks.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <algorithm>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kMostNames = 4096;

} // namespace

bool OtherRanks::isFirst(std::string_view rank) {
    for (const std::string_view word : {"default", "rank"}) {
        if (rank.starts_with(word)) {
            rank.remove_prefix(word.size());
            break;
        }
    }
    return !rank.empty() && std::all_of(rank.begin(), rank.end(), [](char c) { return c == '0'; });
}

void OtherRanks::add(std::string_view rank, const StepLine& line) {
    ++m_lines;
    if (m_ranks.size() < kMostNames && !m_ranks.contains(rank))
        m_ranks.emplace(rank);
    const bool isNews = line.kind == StepLine::Kind::Step && (!m_last || line.index > *m_last);
    if (!isNews || m_kept.size() >= kMostKept)
        return;
    m_kept.try_emplace(line.index, line, rank);
}

Status OtherRanks::visitKept(
    const KeptLine& kept, const std::function<Status(const StepLine&)>& visit) {
    ++m_used;
    return visit(kept.line());
}

Status OtherRanks::takeUntil(
    std::optional<std::int64_t> index, const std::function<Status(const StepLine&)>& visit) {
    if (index && index == m_last)
        return {};
    const bool isRestart = index && m_last && *index < *m_last;
    if (isRestart)
        m_kept.clear();
    // The stride of its iterations is not known before two of them.
    if (m_last && !isRestart && (m_stride || !index)) {
        for (const auto& [at, kept] : m_kept) {
            if (index && at >= *index)
                break;
            if ((at - *m_last) % m_stride.value_or(1) == 0)
                RETURN_IF_ERROR(visitKept(kept, visit));
        }
    }
    if (!index) {
        m_kept.clear();
        return {};
    }
    m_kept.erase(m_kept.begin(), m_kept.upper_bound(*index));
    if (m_last && *index > *m_last)
        m_stride = std::min(m_stride.value_or(*index - *m_last), *index - *m_last);
    m_last = index;
    return {};
}

std::string OtherRanks::text(std::string_view read) const {
    if (m_lines == 0)
        return {};
    std::string text = "read from "
        + (read.empty() ? std::string("lines without one") : "\"" + std::string(read) + "\"");
    if (left() > 0)
        text += "; " + text::counted(left(), "line") + " of "
            + text::counted(static_cast<std::int64_t>(m_ranks.size()), "other rank")
            + " left out, which tell of the same iterations";
    if (m_used > 0)
        text += "; " + text::counted(m_used, "iteration")
            + " that it does not tell of from the others";
    return text;
}

} // namespace trainscope::importers::trainlog
