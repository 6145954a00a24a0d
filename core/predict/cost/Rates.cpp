#include "core/predict/cost/Rates.h"

#include "core/model/Try.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainscope::predict {

namespace {

using Json = nlohmann::json;

// Prior standard deviations of constants about the table's values: a seventh for the speed of a
// kernel, more for constants that depend on how a framework was written.
constexpr double kSpeed = 0.15;
constexpr double kAlone = 0.05; // for a kernel that was timed by itself
constexpr double kLoose = 0.35;
constexpr double kFree = 0.7;

constexpr std::array kFields{
    RateField{"gemm_16", &Rates::gemm16, RateScope::Gpu, kSpeed},
    RateField{"gemm_8", &Rates::gemm8, RateScope::Gpu, kSpeed},
    RateField{"gemm_mx8", &Rates::gemmMx8, RateScope::Gpu, kSpeed},
    RateField{"gemm_4", &Rates::gemm4, RateScope::Gpu, kSpeed},
    RateField{"flash_forward", &Rates::flashForward, RateScope::Gpu, kSpeed},
    RateField{"flash_backward", &Rates::flashBackward, RateScope::Gpu, kSpeed},
    RateField{"memory", &Rates::memory, RateScope::Gpu, kSpeed},
    RateField{"link", &Rates::link, RateScope::Gpu, kSpeed},
    RateField{"link_peers", &Rates::linkPeers, RateScope::Gpu, 0.0},
    RateField{"network", &Rates::network, RateScope::Gpu, kSpeed},
    RateField{"network_send", &Rates::networkSend, RateScope::Gpu, kSpeed},
    RateField{"expert_host", &Rates::expertHostSeconds, RateScope::Gpu, kFree},
    RateField{"alone_gemm_16", &Rates::aloneGemm16, RateScope::Gpu, kAlone},
    RateField{"alone_flash_forward", &Rates::aloneFlashForward, RateScope::Gpu, kSpeed},
    RateField{"alone_flash_backward", &Rates::aloneFlashBackward, RateScope::Gpu, kSpeed},
    RateField{"attention_share", &Rates::attentionShare, RateScope::Stack, kLoose},
    RateField{"unfused_bytes", &Rates::unfusedBytes, RateScope::Stack, kLoose},
    RateField{"unfused_backward_bytes", &Rates::unfusedBackwardBytes, RateScope::Stack, kLoose},
    RateField{"cast_passes", &Rates::castPasses, RateScope::Stack, kLoose},
    RateField{"scale_reads", &Rates::scaleReads, RateScope::Stack, 0.0},
    RateField{"attention_8", &Rates::attention8, RateScope::Stack, kSpeed},
    RateField{"loss_share", &Rates::lossShare, RateScope::Stack, kLoose},
    RateField{"norm_passes", &Rates::normPasses, RateScope::Stack, kLoose},
    RateField{"tensor_hidden", &Rates::tensorHidden, RateScope::Stack, kLoose},
    RateField{"gather_bytes", &Rates::gatherBytes, RateScope::Stack, 0.0},
    RateField{"tensor_backward", &Rates::tensorBackward, RateScope::Stack, 0.0},
    RateField{"data_hidden", &Rates::dataHidden, RateScope::Stack, kLoose},
    RateField{"data_exposed", &Rates::dataExposed, RateScope::Stack, kLoose},
    RateField{"pipeline_exposed", &Rates::pipelineExposed, RateScope::Stack, kLoose},
    RateField{"sharded_slowdown", &Rates::shardedSlowdown, RateScope::Stack, kLoose},
    RateField{"sharded_reduce_bytes", &Rates::shardedReduceBytes, RateScope::Stack, 0.0},
    RateField{"expert_hidden", &Rates::expertHidden, RateScope::Stack, kLoose},
    RateField{"in_network", &Rates::inNetwork, RateScope::Stack, 0.0},
    RateField{"sent_mask", &Rates::sentMask, RateScope::Stack, 0.0},
    RateField{"gap", &Rates::gapSeconds, RateScope::Stack, kFree},
    RateField{"expert_gap", &Rates::expertGapSeconds, RateScope::Stack, kFree},
    RateField{"expert_host_share", &Rates::expertHostShare, RateScope::Stack, kLoose},
    RateField{"grouped_share", &Rates::groupedShare, RateScope::Stack, kLoose},
    RateField{"send_blocks", &Rates::sendBlocks, RateScope::Stack, 0.0},
    RateField{"step", &Rates::stepSeconds, RateScope::Stack, kFree},
    RateField{"plain_memory", &Rates::plainMemory, RateScope::Stack, kAlone},
    RateField{"host", &Rates::hostSeconds, RateScope::Stack, kLoose},
    RateField{"graph_share", &Rates::graphShare, RateScope::Stack, 0.0},
    RateField{"keeps_weights_8", &Rates::keepsWeights8, RateScope::Stack, 0.0},
    RateField{"adapters_attention_8", &Rates::adaptersAttention8, RateScope::Stack, 0.0},
    RateField{"alone", &Rates::alone, RateScope::Stack, 0.0},
    RateField{"size_m", &Rates::sizeM, RateScope::Common, kLoose},
    RateField{"size_n", &Rates::sizeN, RateScope::Common, kLoose},
    RateField{"size_k", &Rates::sizeK, RateScope::Common, kLoose},
    RateField{"stream", &Rates::stream, RateScope::Common, kSpeed},
    RateField{"backward_passes", &Rates::backwardPasses, RateScope::Common, kLoose},
    RateField{"launch", &Rates::launchSeconds, RateScope::Common, 0.0},
    RateField{"link_latency", &Rates::linkLatency, RateScope::Common, kLoose},
    RateField{"network_latency", &Rates::networkLatency, RateScope::Common, kLoose},
    RateField{"context_forward", &Rates::contextForward, RateScope::Common, kLoose},
    RateField{"context_backward", &Rates::contextBackward, RateScope::Common, kLoose},
    RateField{"per_operator_forward", &Rates::perOperatorForward, RateScope::Common, kLoose},
    RateField{"jitter", &Rates::jitter, RateScope::Common, kFree},
    RateField{"run_spread", &Rates::runSpread, RateScope::Common, 0.0},
    RateField{"alone_size_m", &Rates::aloneSizeM, RateScope::Common, 0.0},
    RateField{"alone_size_k", &Rates::aloneSizeK, RateScope::Common, kLoose},
    RateField{"flash_length_forward", &Rates::flashLengthForward, RateScope::Common, 0.0},
    RateField{"flash_length_backward", &Rates::flashLengthBackward, RateScope::Common, 0.0},
};

constexpr std::string_view kUsualStack = "megatron-lm";
constexpr std::string_view kUsualExpertStack = "megatron-bridge-moe-26.06";
constexpr std::string_view kUsualShardedStack = "torchtitan";
constexpr std::string_view kServingStack = "serving";

using Entries = std::map<std::string, RateEntry, std::less<>>;

// Value, source, and of what was fitted the estimate before.
RateEntry entryFrom(const Json& list, bool estimate, const std::string& owner) {
    constexpr std::size_t kEstimate = 2;
    if (!estimate)
        return {list.at(0).get<double>(), list.at(1).get<std::string>(), owner};
    return {list.at(list.size() > kEstimate ? kEstimate : 0).get<double>(), "estimated", owner};
}

Entries entriesFrom(const Json& object, bool estimates, const std::string& owner = {}) {
    Entries entries;
    for (const auto& item : object.items()) {
        if (item.key() != "like")
            entries[item.key()] = entryFrom(item.value(), estimates, owner);
    }
    return entries;
}

constexpr std::string_view kDataSheet = "data sheet"; // a source

// Each stands after the one that it is like. `source`: of what it takes from that one; empty: as
// there.
Result<std::map<std::string, Entries>> likeOthers(
    const Json& all, std::string_view source, bool estimates) {
    std::map<std::string, Entries> made;
    std::map<std::string, Json> later;
    for (const auto& item : all.items())
        later[item.key()] = item.value();
    while (!later.empty()) {
        const std::size_t before = later.size();
        for (auto at = later.begin(); at != later.end();) {
            const std::string like = at->second.value("like", std::string());
            if (!like.empty() && !made.contains(like)) {
                ++at;
                continue;
            }
            Entries entries = entriesFrom(at->second, estimates, at->first);
            for (const auto& [key, entry] : like.empty() ? Entries{} : made[like])
                entries.try_emplace(key,
                    RateEntry{entry.value, source.empty() ? entry.source : std::string(source),
                        entry.owner});
            made[at->first] = std::move(entries);
            at = later.erase(at);
        }
        if (later.size() == before)
            return Error{ErrorCode::Unreadable,
                fmt::format("\"{}\" is like one that is not there.", later.begin()->first), {}};
    }
    return made;
}

double peakOf(const catalogue::GpuModel& gpu, Precision precision) {
    const double half = gpu.bf16Flops.value_or(gpu.fp16Flops.value_or(0.0));
    switch (precision) {
    case Precision::Fp32: // in TF32 where there is such; newer GPUs' share of 16 bits
        return gpu.tf32Flops.value_or(gpu.fp32Flops.value_or(half / 2.0));
    case Precision::Fp16:
        return gpu.fp16Flops.value_or(half);
    case Precision::Bf16:
        return half;
    case Precision::Fp8:
    case Precision::MxFp8:
        return gpu.fp8Flops.value_or(0.0);
    case Precision::NvFp4:
        return gpu.fp4Flops.value_or(0.0);
    }
    return half;
}

// The sizes of the table are those at which an A100, a Hopper or a Blackwell GPU loses half of its
// rate; what is lost grows with the rate that could be had.
double sizePeakOf(double peak16) {
    return peak16 < 600e12 ? 250e12 : peak16 < 1500e12 ? 690e12 : 1500e12;
}

} // namespace

std::span<const RateField> rateFields() {
    return kFields;
}

double Rates::gemmShare(Precision precision) const {
    switch (precision) {
    case Precision::Fp8:
        return gemm8;
    case Precision::MxFp8:
        return gemmMx8;
    case Precision::NvFp4:
        return gemm4;
    case Precision::Fp32:
    case Precision::Fp16:
    case Precision::Bf16:
        break;
    }
    return gemm16;
}

Result<RateTable> RateTable::parse(std::string_view json, bool estimates) {
    try {
        const Json table = Json::parse(json);
        RateTable rates;
        ASSIGN_OR_RETURN(rates.m_gpus, likeOthers(table.at("gpus"), kDataSheet, estimates));
        ASSIGN_OR_RETURN(rates.m_stacks, likeOthers(table.at("stacks"), {}, estimates));
        for (const auto& site : table.at("sites").items())
            rates.m_sites[site.key()] = entriesFrom(site.value(), false);
        rates.m_common = entriesFrom(table.at("common"), estimates);
        return rates;
    } catch (const Json::exception& problem) {
        return Error{ErrorCode::Unreadable,
            fmt::format("The constants of predictions cannot be read: {}.", problem.what()), {}};
    }
}

const RateTable& RateTable::builtIn() {
    // The built-in text is parsed by a test; were it broken, no GPU would have constants.
    static const RateTable table = parse(builtInRates()).valueOr(RateTable{});
    return table;
}

const RateTable& RateTable::estimated() {
    static const RateTable table = parse(builtInRates(), true).valueOr(RateTable{});
    return table;
}

std::string RateTable::stackOf(const Job& job) const {
    if (!job.stack.empty() && m_stacks.contains(job.stack))
        return job.stack;
    if (job.isInference())
        return std::string(kServingStack);
    if (isPlainByUse(job))
        return std::string(kPlainStack);
    const bool isSharded = job.layout.sharding && job.layout.sharding->zeroStage >= 2;
    if (job.model.experts > 1 && !isSharded)
        return std::string(kUsualExpertStack);
    return std::string(isSharded ? kUsualShardedStack : kUsualStack);
}

const RateEntry* RateTable::entry(
    RateScope scope, const std::string& owner, std::string_view key) const {
    const Entries* entries = &m_common;
    if (scope != RateScope::Common) {
        const auto& all = scope == RateScope::Gpu ? m_gpus : m_stacks;
        const auto found = all.find(owner);
        if (found == all.end())
            return nullptr;
        entries = &found->second;
    }
    const auto found = entries->find(key);
    return found == entries->end() ? nullptr : &found->second;
}

std::string RateTable::factorName(const RateField& field, const Job& job) const {
    switch (field.scope) {
    case RateScope::Gpu:
        return fmt::format("gpu/{}/{}", gpuOf(job), field.key);
    case RateScope::Stack: {
        const std::string stack = stackOf(job);
        const RateEntry* found = entry(field.scope, stack, field.key);
        return fmt::format("stack/{}/{}", found == nullptr ? stack : found->owner, field.key);
    }
    case RateScope::Common:
        break;
    }
    return fmt::format("common/{}", field.key);
}

double RateTable::spreadOf(const RateField& field, const Job& job) const {
    constexpr double kFittedShare = 0.3;
    constexpr double kDataSheetShare = 1.5;
    const RateEntry* found
        = entry(field.scope, field.scope == RateScope::Gpu ? gpuOf(job) : stackOf(job), field.key);
    if (found == nullptr || found->source.starts_with("estimated"))
        return field.prior;
    return field.prior * (found->source == kDataSheet ? kDataSheetShare : kFittedShare);
}

Result<Rates> RateTable::ratesOf(const Job& job, const RateFactors& factors) const {
    const std::string gpu = gpuOf(job);
    if (!m_gpus.contains(gpu))
        return Error{
            ErrorCode::NotFound, fmt::format("No constants are known of the GPU \"{}\".", gpu), {}};
    const std::string stack = stackOf(job);
    Rates rates;
    for (const RateField& field : kFields) {
        const RateEntry* found
            = entry(field.scope, field.scope == RateScope::Gpu ? gpu : stack, field.key);
        double value = found == nullptr ? rates.*field.member : found->value;
        if (!factors.empty()) { // names are made for each job of a search otherwise
            const auto factor = factors.find(factorName(field, job));
            value *= factor == factors.end() ? 1.0 : factor->second;
        }
        rates.*field.member = value;
    }
    if (const auto site = m_sites.find(job.machine.site); site != m_sites.end()) {
        for (const RateField& field : kFields) {
            if (const auto own = site->second.find(field.key); own != site->second.end())
                rates.*field.member = own->second.value;
        }
    }
    if (rates.alone <= 0.0 || rates.aloneGemm16 <= 0.0)
        rates.alone = rates.aloneGemm16 = 0.0;
    rates.link = job.machine.linkBandwidth.value_or(rates.link);
    if (job.machine.networkBandwidth)
        rates.network = rates.networkSend = *job.machine.networkBandwidth;
    rates.link *= job.machine.linkFactor;
    rates.network *= job.machine.networkFactor;
    rates.networkSend *= job.machine.networkFactor;
    if (job.execution.attention8 && bytesOf(job.precision) <= 1.0)
        rates.attentionShare *= rates.attention8;
    if (job.execution.graphs)
        rates.hostSeconds *= rates.graphShare;
    rates.peak = peakOf(job.machine.gpu, job.precision);
    rates.peak16 = peakOf(job.machine.gpu, Precision::Bf16);
    rates.bandwidth = job.machine.gpu.memoryBandwidth.value_or(0.0);
    rates.sizePeak = sizePeakOf(rates.peak16);
    if (rates.peak <= 0.0 || rates.gemmShare(job.precision) <= 0.0)
        return Error{ErrorCode::NotFound,
            fmt::format("Nothing is known of {} on the GPU \"{}\".", toString(job.precision), gpu),
            {}};
    return rates;
}

} // namespace trainscope::predict
