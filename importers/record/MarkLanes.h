#pragma once
// MarkLanes: the facts of steps that a training script marks, as series of the run: tokens and
// samples of a step, and every other name as a metric of that name. Samples of the run itself under
// such a name (a script that marks "mem_used") become "marked_mem_used".

#include "core/store/Recording.h"
#include "importers/record/MarkPipe.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::record {

class MarkLanes {
public:
    // node: of the recording; ranks: those on it, whose facts become theirs.
    MarkLanes(int node, std::vector<int> ranks)
        : m_node(node)
        , m_ranks(std::move(ranks)) { }

    void add(MarkedValue value) { m_waiting.push_back(std::move(value)); }
    // Returns the number of samples written; those that cannot be written yet wait.
    std::int64_t write(store::Recording& recording);
    // Facts whose names were too many.
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    static constexpr std::size_t kMostLanes = 256;

    [[nodiscard]] SeriesDescription describe(const MarkedValue& value) const;

    int m_node;
    std::vector<int> m_ranks;
    std::map<std::pair<std::string, int>, SeriesId> m_series;
    std::vector<MarkedValue> m_waiting;
    std::int64_t m_leftOut = 0;
};

} // namespace trainscope::record
