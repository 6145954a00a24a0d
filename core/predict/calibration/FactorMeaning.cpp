#include "core/predict/calibration/FactorMeaning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

using Meaning = std::pair<std::string_view, std::string_view>;

constexpr std::array kMeanings{
    Meaning{"gemm_16", "speed of large matrix products in 16 bits"},
    Meaning{"gemm_8", "speed of large matrix products in 8 bits"},
    Meaning{"gemm_mx8", "speed of large matrix products in MXFP8"},
    Meaning{"gemm_4", "speed of large matrix products in 4 bits"},
    Meaning{"flash_forward", "speed of flash attention, forward"},
    Meaning{"flash_backward", "speed of flash attention, backward"},
    Meaning{"memory", "memory bandwidth between matrix products"},
    Meaning{"link", "bus bandwidth of collectives within scale-up links"},
    Meaning{"network", "network bandwidth of a GPU between nodes"},
    Meaning{"network_send", "network bandwidth of one transfer between two GPUs"},
    Meaning{"expert_host", "time of the host for a pass of a layer with experts"},
    Meaning{"attention_share", "speed of the software's flash attention"},
    Meaning{"unfused_bytes", "bytes that unfused attention moves, forward"},
    Meaning{"unfused_backward_bytes", "bytes that unfused attention moves, backward"},
    Meaning{"cast_passes", "passes over what is cast to 8 or 4 bits"},
    Meaning{"attention_8", "speed of attention in 8 bits over that in 16"},
    Meaning{"loss_share", "passes over the logits"},
    Meaning{"norm_passes", "bytes that norms move"},
    Meaning{"tensor_hidden", "share of tensor-parallel exchanges behind compute"},
    Meaning{"data_hidden", "share of a backward pass that hides gradients"},
    Meaning{"data_exposed", "least share of the gradients' exchange that is exposed"},
    Meaning{"pipeline_exposed", "share of transfers between stages that is exposed"},
    Meaning{"sharded_slowdown", "compute that overlapped shards cost"},
    Meaning{"expert_hidden", "share of all-to-alls behind compute"},
    Meaning{"gap", "time of a layer and pass in which the GPU waits for its host"},
    Meaning{"expert_gap", "more of that in a layer with experts"},
    Meaning{"expert_host_share", "share of the host's time with graphs of kernels"},
    Meaning{"grouped_share", "speed of grouped products over that of single ones"},
    Meaning{"alone_gemm_16", "speed of matrix products by themselves at the highest clock"},
    Meaning{"alone_flash_forward", "speed of flash attention by itself, forward"},
    Meaning{"alone_flash_backward", "speed of flash attention by itself, backward"},
    Meaning{"alone_size_k", "inner size at which products by themselves lose half of their speed"},
    Meaning{"plain_memory", "memory bandwidth of kernels of single operations"},
    Meaning{"host", "time of the host to launch a layer"},
    Meaning{"step", "time of a step for data and logging"},
    Meaning{"size_m", "rows at which products lose half of their speed"},
    Meaning{"size_n", "columns at which products lose half of their speed"},
    Meaning{"size_k", "inner size at which products lose half of their speed"},
    Meaning{"backward_passes", "bytes that operators between products move, backward"},
    Meaning{"link_latency", "latency of a collective within scale-up links"},
    Meaning{"network_latency", "latency of a collective for each doubling of nodes"},
    Meaning{"context_forward", "share of context-parallel exchanges exposed, forward"},
    Meaning{"context_backward", "share of context-parallel exchanges exposed, backward"},
    Meaning{"per_operator_forward", "share of a forward pass done again, per operator"},
    Meaning{"jitter", "longer steps for each doubling of GPUs"},
};

constexpr double kKnownBetter = 0.8; // spread after the rows over that before
constexpr double kMovedBy = 0.02; // logarithm

} // namespace

std::string_view meaningOf(std::string_view key) {
    const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(),
        [key](const Meaning& meaning) { return meaning.first == key; });
    return found == kMeanings.end() ? std::string_view() : found->second;
}

FactorName factorNameOf(std::string_view name) {
    const std::size_t first = name.find('/');
    const std::size_t last = name.rfind('/');
    const std::string key(name.substr(last == std::string_view::npos ? 0 : last + 1));
    if (first == last)
        return {"all", key};
    return {std::string(name.substr(first + 1, last - first - 1)), key};
}

std::vector<FittedFactor> toldFactors(const RateFit& fit) {
    std::vector<FittedFactor> told;
    for (const FittedFactor& factor : fit.fitted) {
        if (factor.spread < kKnownBetter * factor.prior || std::abs(factor.log) > kMovedBy)
            told.push_back(factor);
    }
    std::stable_sort(told.begin(), told.end(), [](const FittedFactor& a, const FittedFactor& b) {
        return a.spread / a.prior < b.spread / b.prior;
    });
    return told;
}

} // namespace trainscope::predict
