#include "importers/trace/DetailText.h"

#include "core/model/AsciiText.h"
#include "importers/common/JsonScanner.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace trainscope::importers {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array<Names, 12> kFunctions{{{"ncclAllReduce", "all_reduce"},
    {"ncclAllGather", "all_gather"}, {"ncclReduceScatter", "reduce_scatter"},
    {"ncclBroadcast", "broadcast"}, {"ncclBcast", "broadcast"}, {"ncclReduce", "reduce"},
    {"ncclSend", "send"}, {"ncclRecv", "recv"}, {"ncclAlltoAll", "all_to_all"},
    {"ncclAllToAll", "all_to_all"}, {"ncclGather", "gather"}, {"ncclScatter", "scatter"}}};

struct ElementType {
    std::string_view inName;
    std::string_view type;
    int bytes = 1;
};
// "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)" of new versions, "…_Sum_half(…)" of old ones.
constexpr auto kElementTypes = std::to_array<ElementType>({{"_bf16_", "BFloat16", 2},
    {"_bfloat16", "BFloat16", 2}, {"_bfloat(", "BFloat16", 2}, {"_f16_", "Half", 2},
    {"_half(", "Half", 2}, {"_f32_", "Float", 4}, {"_float(", "Float", 4}, {"_f64_", "Double", 8},
    {"_double(", "Double", 8}, {"_f8e4m3_", "Float8_e4m3fn", 1}, {"_f8e5m2_", "Float8_e5m2", 1},
    {"_u8_", "Byte", 1}, {"_uint8_t(", "Byte", 1}, {"_i8_", "Char", 1}, {"_int8_t(", "Char", 1},
    {"_u32_", "UInt32", 4}, {"_uint32_t(", "UInt32", 4}, {"_i32_", "Int", 4},
    {"_int32_t(", "Int", 4}, {"_u64_", "UInt64", 8}, {"_uint64_t(", "UInt64", 8},
    {"_i64_", "Long", 8}, {"_int64_t(", "Long", 8}});

const ElementType* typeIn(std::string_view kernelName) {
    const auto found = std::ranges::find_if(kElementTypes, [&](const ElementType& one) {
        return kernelName.find(one.inName) != std::string_view::npos;
    });
    return found == kElementTypes.end() ? nullptr : &*found;
}

} // namespace

void DetailText::begin(std::string_view key) {
    m_text.push_back(m_text.empty() ? '{' : ',');
    appendJsonString(key, m_text);
    m_text.push_back(':');
}

DetailText& DetailText::add(std::string_view key, std::int64_t value) {
    begin(key);
    m_text += std::to_string(value);
    return *this;
}

DetailText& DetailText::add(std::string_view key, std::string_view value) {
    begin(key);
    appendJsonString(value, m_text);
    return *this;
}

DetailText& DetailText::add(std::string_view key, std::span<const std::int64_t> values) {
    begin(key);
    char lead = '[';
    for (const std::int64_t value : values) {
        m_text.append(1, lead).append(std::to_string(value));
        lead = ',';
    }
    m_text += lead == '[' ? "[]" : "]";
    return *this;
}

std::string DetailText::take() {
    if (!m_text.empty())
        m_text.push_back('}');
    return std::exchange(m_text, {});
}

std::string_view collectiveOf(std::string_view ncclFunction) {
    const auto found = std::ranges::find(kFunctions, ncclFunction, &Names::first);
    return found == kFunctions.end() ? std::string_view() : found->second;
}

bool isNcclKernel(std::string_view kernelName) {
    return containsIgnoringCase(kernelName, "nccl") || containsIgnoringCase(kernelName, "rccl");
}

void Communicators::add(const NcclPayload& payload) {
    constexpr std::size_t kMostCommunicators = 100'000;
    if (payload.communicator && payload.ranks && *payload.ranks > 0
        && m_known.size() < kMostCommunicators)
        m_known.insert_or_assign(*payload.communicator, payload);
}

std::int64_t Communicators::sizeOf(std::uint64_t communicator) const {
    const auto found = m_known.find(communicator);
    return found == m_known.end() ? 0 : *found->second.ranks;
}

const NcclPayload* Communicators::largest() const {
    const auto found = std::ranges::max_element(
        m_known, [](const auto& a, const auto& b) { return *a.second.ranks < *b.second.ranks; });
    return found == m_known.end() ? nullptr : &found->second;
}

void appendCollective(const NcclCall& call, std::string_view kernelName,
    const Communicators& communicators, DetailText& detail) {
    detail.add("Collective name", call.collective);
    const NcclPayload& payload = call.payload;
    const std::int64_t size
        = payload.communicator ? communicators.sizeOf(*payload.communicator) : 0;
    if (payload.bytes && *payload.bytes >= 0) {
        const ElementType* type = typeIn(kernelName);
        // A group of calls is told by its bytes alone.
        const bool isTyped = type != nullptr && *payload.bytes % type->bytes == 0;
        const std::int64_t elements = *payload.bytes / (isTyped ? type->bytes : 1);
        // NCCL counts what one rank gives to a gather, or gets of a scattered sum.
        constexpr std::int64_t kMostElements = std::int64_t{1} << 48;
        const bool isKnown = size > 0 && elements < kMostElements && size < 1'000'000;
        if (call.collective != "reduce_scatter" || isKnown)
            detail.add(
                "In msg nelems", call.collective == "reduce_scatter" ? elements * size : elements);
        if (call.collective != "all_gather" || isKnown)
            detail.add(
                "Out msg nelems", call.collective == "all_gather" ? elements * size : elements);
        detail.add("dtype", isTyped ? type->type : std::string_view("Byte"));
    }
    if (size > 0)
        detail.add("Group size", size);
    if (payload.communicator)
        detail.add("Process Group Name", fmt::format("0x{:016x}", *payload.communicator));
    if (payload.peer)
        detail.add("Peer rank", *payload.peer);
    if (payload.root)
        detail.add("Root", *payload.root);
    if (call.merged > 1)
        detail.add("Calls", std::int64_t{call.merged});
}

} // namespace trainscope::importers
