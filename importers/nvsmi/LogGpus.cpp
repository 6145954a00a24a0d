#include "importers/nvsmi/LogGpus.h"

#include "importers/nvsmi/ColumnOrder.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace trainscope::importers::nvsmi {

namespace {

constexpr int kMostRotated = 64;

std::vector<std::int64_t> steps(std::span<const TimeNs> stamps) {
    std::vector<std::int64_t> result;
    for (std::size_t i = 1; i < stamps.size(); ++i)
        result.push_back((stamps[i] - stamps[i - 1]).ns);
    return result;
}

// The lengths of the complete bursts between the pauses.
std::vector<int> burstLengths(const std::vector<std::int64_t>& steps, std::int64_t pause) {
    std::vector<int> lengths;
    int length = 1;
    for (const std::int64_t step : steps) {
        if (step <= pause) {
            ++length;
            continue;
        }
        lengths.push_back(length);
        length = 1;
    }
    // Without any complete burst the file is one burst: a single snapshot.
    if (lengths.empty())
        lengths.push_back(length);
    return lengths;
}

} // namespace

Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction) {
    const auto step = steps(stamps);
    if (step.empty())
        return {};
    auto sorted = step;
    std::sort(sorted.begin(), sorted.end());
    // Even with 64 GPUs one step in 64 is a pause; rarer ones are interruptions of the recording.
    const std::int64_t longStep = sorted[sorted.size() - 1 - sorted.size() / 100];
    const std::int64_t pause = hasFraction ? longStep / 10 * 3 : 0;
    const auto lengths = burstLengths(step, pause);

    std::map<int, int> frequency;
    for (const int length : lengths)
        ++frequency[length];
    const auto common = std::max_element(frequency.begin(), frequency.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool regular = common->second * 10 >= static_cast<int>(lengths.size()) * 8;
    if (!regular || common->first > kMostRotated)
        return {};
    return {common->first, {pause}};
}

int Rotation::next(TimeNs stamp) {
    if (m_rhythm.gpus <= 1)
        return 0;
    const bool newBurst = m_position < 0 || stamp - m_last > m_rhythm.pause || stamp < m_last;
    m_position = newBurst ? 0 : (m_position + 1) % m_rhythm.gpus;
    m_last = stamp;
    return m_position;
}

namespace {

constexpr std::size_t kMostSlots = 4096;

} // namespace

Result<std::size_t> LogGpus::slotOf(const Identity& identity) {
    m_key.assign(identity.host);
    m_key += '\n';
    m_key += identity.id;
    if (const auto known = m_slots.find(m_key); known != m_slots.end())
        return known->second;
    return add(identity);
}

Result<std::size_t> LogGpus::add(const Identity& identity) {
    const std::string id(identity.id);
    if (m_slots.size() >= kMostSlots)
        return Error{
            ErrorCode::Usage, "More than 4096 different GPUs; \"" + id + "\" is left out.", {}};
    const int newNode = m_ranks.firstNode + static_cast<int>(m_hosts.size());
    const int node = m_hosts.try_emplace(std::string(identity.host), newNode).first->second;
    const auto index = gpuIndexOf(identity.id);
    const int local = index ? *index : m_unnumbered[node]++;
    if (m_ranks.gpusPerNode > 0 && local >= m_ranks.gpusPerNode) {
        return Error{ErrorCode::Usage,
            "GPU \"" + id + "\" turns up late: the nodes were taken to have "
                + std::to_string(m_ranks.gpusPerNode) + " GPUs each.",
            {}};
    }
    Gpu gpu;
    gpu.node = node;
    gpu.local = local;
    gpu.rank = m_ranks.firstRank + node * m_ranks.gpusPerNode + local;
    gpu.model = identity.model;
    gpu.uuid = identity.uuid;
    auto slot = m_recorder.addGpu(gpu);
    if (slot.hasValue())
        m_slots.emplace(m_key, slot.value());
    return slot;
}

} // namespace trainscope::importers::nvsmi
