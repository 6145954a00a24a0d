#include "importers/trace/ProcessOutputs.h"

#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::importers {

ProcessOutputs::ProcessOutputs(
    Sink& sink, int firstRank, const std::vector<std::int64_t>& processes)
    : m_sink(sink)
    , m_firstRank(firstRank) {
    for (const std::int64_t process : processes) {
        if (m_index.try_emplace(process, m_outputs.size()).second)
            grow();
    }
    if (m_outputs.empty())
        grow();
}

TraceOutput& ProcessOutputs::grow() {
    const int rank = m_firstRank + static_cast<int>(m_outputs.size());
    return *m_outputs.emplace_back(std::make_unique<TraceOutput>(m_sink, rank));
}

TraceOutput& ProcessOutputs::onGpu(std::optional<std::int64_t> process) {
    if (!process)
        return *m_outputs.front();
    if (const auto found = m_index.find(*process); found != m_index.end())
        return *m_outputs[found->second];
    if (m_index.empty()) { // the first, which was not known by name
        m_index.emplace(*process, 0);
        return *m_outputs.front();
    }
    constexpr std::size_t kMostRanks = 4096;
    if (m_outputs.size() >= kMostRanks)
        return *m_outputs.front();
    m_index.emplace(*process, m_outputs.size());
    return grow();
}

TraceOutput& ProcessOutputs::onHost(std::int64_t process) {
    const auto found = m_index.find(process);
    return *m_outputs[found == m_index.end() ? 0 : found->second];
}

int ProcessOutputs::rankOf(std::int64_t process) const {
    const auto found = m_index.find(process);
    return m_firstRank + (found == m_index.end() ? 0 : static_cast<int>(found->second));
}

std::optional<std::int64_t> ProcessOutputs::processOfRank(int rank) const {
    const auto found = std::find_if(m_index.begin(), m_index.end(),
        [&](const auto& entry) { return m_firstRank + static_cast<int>(entry.second) == rank; });
    return found == m_index.end() ? std::nullopt : std::optional(found->first);
}

Status ProcessOutputs::flush(RunId run, DurationNs base, bool isAll) {
    for (const auto& output : m_outputs) {
        if (isAll || output->isFull(true))
            RETURN_IF_ERROR(output->flush(run, base));
    }
    return {};
}

} // namespace trainscope::importers
