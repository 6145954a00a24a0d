#pragma once
// The outputs of a trace that holds several processes: each that uses a GPU is a rank, and what the
// others do on the host is kept with the first.

#include "importers/trace/TraceOutput.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace trainscope::importers {

class ProcessOutputs {
public:
    // `processes`: those of the ranks, in their order, as far as they are known before.
    ProcessOutputs(Sink& sink, int firstRank, const std::vector<std::int64_t>& processes);

    // A process that is not known becomes one more rank, unless it is absent.
    TraceOutput& onGpu(std::optional<std::int64_t> process);
    TraceOutput& onHost(std::int64_t process);
    [[nodiscard]] int rankOf(std::int64_t process) const; // the host's is the first: not a rank
    [[nodiscard]] std::optional<std::int64_t> processOfRank(int rank) const;
    // The first and those behind it, at least one.
    [[nodiscard]] int rankCount() const { return static_cast<int>(m_outputs.size()); }
    [[nodiscard]] int firstRank() const { return m_firstRank; }
    [[nodiscard]] TraceOutput& output(int index) {
        return *m_outputs[static_cast<std::size_t>(index)];
    }

    // Hands over what is full, or all.
    Status flush(RunId run, DurationNs base, bool isAll);

private:
    TraceOutput& grow();

    Sink& m_sink;
    int m_firstRank;
    std::map<std::int64_t, std::size_t> m_index; // by process
    std::vector<std::unique_ptr<TraceOutput>> m_outputs;
};

} // namespace trainscope::importers
