#pragma once
// The trace of one rank: collects its spans, as its node's clock would stamp them, and hands them
// to the sink.

#include "app/sample/Simulation.h"
#include "core/model/Import.h"

#include <array>
#include <string>
#include <string_view>

namespace trainscope::app::sample {

enum class Stream { Compute, TensorParallel, Pipeline };

// One kernel of a transformer layer and its share of the layer's time.
struct LayerKernel {
    std::string_view name;
    Stream stream;
    double share;
};

class RankTrace {
public:
    RankTrace(const ClusterParameters& cluster, int rank, RunId run, Sink& sink);

    Status open();
    // A micro-batch's pass. Compute kernels take what this GPU's pace makes of their share; a
    // collective begins when the GPU gets there and ends for all ranks at once.
    Status pass(const StageWork& work);
    Status optimizer(const StageWork& work);
    // One side of a hand-over to or from the same local index of another stage.
    Status handOver(bool isSend, int peer, double begin, double end);
    // The all-reduce of the gradients' norm over all ranks: who is done with its passes waits.
    Status gradientNorm(double begin, double end);
    Status annotate(const std::string& name, double begin, double end);

    [[nodiscard]] std::int64_t kernels() const { return m_kernels; }

private:
    Status layer(const std::array<LayerKernel, 11>& kernels, double begin, double seconds);
    Status kernel(
        std::string_view name, Stream stream, double begin, double end, const std::string& detail);
    Status launch(const Span& kernel);
    [[nodiscard]] TimeNs at(double seconds) const;
    [[nodiscard]] double wobble() const;

    const ClusterParameters& m_cluster;
    int m_rank;
    RunId m_run;
    Sink& m_sink;
    double m_pace; // of the time that the layer leaves a kernel
    std::string m_tensorDetail;
    std::array<TrackId, 3> m_streams;
    TrackId m_host;
    std::int64_t m_kernels = 0;
};

} // namespace trainscope::app::sample
