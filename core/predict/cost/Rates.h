#pragma once
// Rates: the constants of a cost model for one job, of its GPU, its software and in common. The
// table, with the source of each number, is resources/prediction.json. Immutable; any thread.

#include "core/predict/Job.h"

namespace trainscope::predict {

struct Rates {
    // Constants of the GPU. First the shares of the dense peak that large matrix products reach, by
    // precision.
    double gemm16 = 0.0;
    double gemm8 = 0.0;
    double gemmMx8 = 0.0;
    double gemm4 = 0.0;
    double flashForward = 0.0; // share of the peak of 16 bits
    double flashBackward = 0.0;
    double memory = 0.0; // share of the bandwidth, between matrix products
    double link = 0.0; // bus bandwidth of scale-up collectives, B/s
    double linkPeers = 0.0; // GPUs among which `link` is divided by wires; 0: switched
    double network = 0.0; // a GPU's between nodes, B/s
    double expertHostSeconds = 0.0; // its host launches a pass of a layer with experts
    double networkSend = 0.0; // one transfer's between two GPUs of two nodes, B/s
    // Kernels by themselves at the highest clock, which the power limit then lowers. 0: not known;
    // the shares above serve, which have the usual clock in them.
    double aloneGemm16 = 0.0;
    double aloneFlashForward = 0.0; // for long sequences
    double aloneFlashBackward = 0.0;

    // Constants of the software.
    double attentionShare = 1.0; // flash attention's speed over the GPU's
    double unfusedBytes = 0.0; // moved by unfused attention for each of s × s scores, forward
    double unfusedBackwardBytes = 0.0;
    double castPasses = 0.0; // over what is cast to 8 or 4 bits
    // Times more that an input is read for its scale before it is cast to 8 bits with one scale a
    // tensor: 1 of current scaling, 0 of delayed scaling, whose scale is that of the steps before.
    double scaleReads = 0.0;
    double attention8 = 1.0; // attention's speed in jobs of 8 bits over that in 16
    double lossShare = 1.0; // share of the passes over the logits that are not fused
    double normPasses = 1.0; // times the bytes of a norm
    // Share of a tensor-parallel exchange behind the product beside it, as long as that takes
    // (Layer.h says which).
    double tensorHidden = 0.0;
    double gatherBytes = 2.0; // an activation's that tensor parallelism gathers
    // Times the forward exchanges, with sequence parallelism: inputs are gathered once more for the
    // gradients of the weights, partly behind those of the inputs.
    double tensorBackward = 1.0;
    double dataHidden = 0.0; // share of a micro-batch's backward pass that hides gradients
    double dataExposed = 0.0; // least share of them that is exposed
    double pipelineExposed = 1.0; // share of transfers between stages, with virtual stages
    double shardedSlowdown = 0.0; // compute that overlapped shards cost, over their time
    double shardedReduceBytes = 4.0; // a gradient's
    double expertHidden = 0.0; // share of all-to-alls behind compute
    double inNetwork = 0.0; // 1: switches between nodes add up what is reduced (SHARP)
    double sentMask = 0.0; // 1: stages send the mask of s × s besides
    double gapSeconds = 0.0; // in each layer and pass, the GPU waiting for its host
    double expertHostShare = 1.0; // share of the host's time, where graphs of kernels are launched
    double expertGapSeconds = 0.0; // more of that in a layer with experts
    double groupedShare = 1.0; // rate of grouped products over that of single ones
    double sendBlocks = 0.0; // 1: a stage stands still while it sends
    double stepSeconds = 0.0; // in each step: data, logging
    double plainMemory
        = 0.0; // share of the bandwidth, kernels of single operations (Operator::moved)
    double hostSeconds = 0.0; // in which the host launches a layer, forward and backward
    double graphShare = 0.0; // share of that, with CUDA graphs
    // Habits of jobs of 8 bits, 1 where they have them: weights are kept in the type of the
    // products; attention beside frozen weights is in 8 bits too.
    double keepsWeights8 = 0.0;
    double adaptersAttention8 = 0.0;
    double alone = 0.0; // 1: constants are of kernels by themselves, where the GPU's are known

    // In common.
    double sizeM = 0.0; // rows at which a product loses half of its rate, at the peak's `sizePeak`
    double sizeN = 0.0;
    double sizeK = 0.0;
    double stream
        = 1.0; // share of the bandwidth with which weights and caches are read for few rows
    double backwardPasses = 1.0; // times the bytes of operators between products
    double launchSeconds = 0.0; // an operator's
    double linkLatency = 0.0; // s, of a collective
    double networkLatency = 0.0; // s, for each doubling of nodes
    // Least share of a ring of keys and values that attention does not hide.
    double contextForward = 0.0;
    double contextBackward = 0.0;
    double perOperatorForward = 0.0; // share of a forward pass that per-operator recomputation does
    double jitter = 0.0; // share of a step, for each doubling of GPUs over eight
    // Standard deviation of a step's logarithm among runs of one configuration, beyond what the
    // intervals have; of sites whose runs differ.
    double runSpread = 0.0;
    double aloneSizeM = 0.0; // rows or columns at which a product by itself loses half of its rate
    double aloneSizeK = 0.0;
    double flashLengthForward = 0.0; // tokens at which attention by itself loses half of its rate
    double flashLengthBackward = 0.0;

    // Peaks for the job, from the catalogues; the model's numbers are above.
    double peak = 0.0; // in the job's precision, 1/s
    double peak16 = 0.0;
    double bandwidth = 0.0; // the memory's, B/s
    double sizePeak = 0.0; // reached rate that the sizes above are for, 1/s

    [[nodiscard]] double gemmShare(Precision precision) const;
};

enum class RateScope { Gpu, Stack, Common };

struct RateField {
    std::string_view key; // in the table
    double Rates::*member;
    RateScope scope;
    double prior; // standard deviation of its logarithm before any measurement; 0: never fitted
};
std::span<const RateField> rateFields();

// Factors on entries of the table, by "scope.key", such as "gpu/H100 SXM5/gemm_16".
using RateFactors = std::map<std::string, double>;

struct RateEntry {
    double value = 0.0;
    std::string source;
    std::string owner = {}; // the stack that says it, of those that are like each other
};

class RateTable {
public:
    // Unreadable names what is wrong. `estimates`: of what was fitted the estimate before.
    static Result<RateTable> parse(std::string_view json, bool estimates = false);
    static const RateTable& builtIn();
    // The built-in one before any measured run was seen.
    static const RateTable& estimated();

    // NotFound where the GPU has no constants. `factors` may be empty.
    [[nodiscard]] Result<Rates> ratesOf(const Job& job, const RateFactors& factors = {}) const;
    // Name of a factor on the field: it names the entry of the table that the field's value comes
    // from for a job.
    [[nodiscard]] std::string factorName(const RateField& field, const Job& job) const;
    [[nodiscard]] const RateEntry* entry(
        RateScope scope, const std::string& owner, std::string_view key) const;
    // Standard deviation of the field's logarithm, as far as the table tells: less than its prior
    // where it was fitted, more where a data sheet is all that is known of the GPU.
    [[nodiscard]] double spreadOf(const RateField& field, const Job& job) const;
    [[nodiscard]] static std::string gpuOf(const Job& job) { return job.machine.gpu.name; }
    [[nodiscard]] std::string stackOf(const Job& job) const;
    [[nodiscard]] bool hasStack(const std::string& name) const { return m_stacks.contains(name); }

private:
    using Entries = std::map<std::string, RateEntry, std::less<>>;
    std::map<std::string, Entries> m_gpus;
    std::map<std::string, Entries> m_stacks;
    std::map<std::string, Entries> m_sites;
    Entries m_common;
};

std::string_view builtInRates(); // the text of resources/prediction.json, compiled in

} // namespace trainscope::predict
