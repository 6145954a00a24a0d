#include "core/work/Call.h"

namespace trainscope::work {

namespace {

// Sizes of batch, heads, tokens and width, by their order in a tensor's shape: "bhsd", "bshd",
// "sbhd", "thd".
struct Heads {
    double batch = 1.0;
    double heads = 1.0;
    double tokens = 1.0;
    double width = 1.0;
};

std::string_view layoutOf(const Call& call, std::size_t dimensions) {
    const std::string_view layout
        = call.has("layout") ? call.text("layout") : std::string_view("bhsd");
    if (layout.size() == dimensions)
        return layout;
    if (dimensions != 3) // one sample has three
        return {};
    return layout == "bhsd" ? "bsd" : "thd";
}

std::optional<Heads> headsOf(const Call& call, std::string_view part) {
    const Tensor* const tensor = call.tensor(part);
    if (tensor == nullptr)
        return std::nullopt;
    const std::string_view layout = layoutOf(call, tensor->dims.size());
    if (layout.empty())
        return std::nullopt;
    Heads found;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto size = static_cast<double>(tensor->dims[i]);
        switch (layout[i]) {
        case 'b':
            found.batch = size;
            break;
        case 'h':
            found.heads = size;
            break;
        case 's':
        case 't':
            found.tokens = size;
            break;
        case 'd':
            found.width = size;
            break;
        default:
            return std::nullopt;
        }
    }
    return found;
}

std::optional<AttentionSize> attentionSizeOf(const Call& call) {
    const auto query = headsOf(call, "query");
    const auto key = headsOf(call, "key");
    const auto value = headsOf(call, "value");
    if (!query || !key || !value || query->batch != key->batch || key->batch != value->batch
        || query->width != key->width || key->tokens != value->tokens || key->heads != value->heads)
        return std::nullopt;
    AttentionSize size{query->batch, query->heads, key->heads, query->tokens, key->tokens,
        query->width, value->width};
    const Tensor* const ends = call.tensor("sequences");
    if (ends == nullptr)
        return call.tensor("query")->dims.size() == 3 && call.has("sequences")
            ? std::nullopt
            : std::optional(size);
    // Sequences one after another: their lengths are values on the GPU. With the longest known they
    // are known where all are as long.
    const double sequences = ends->elements() - 1.0;
    const auto queries = call.whole("longest_queries");
    const auto keys = call.whole("longest_keys");
    if (sequences == 1.0)
        return size;
    if (sequences < 1.0 || !queries || !keys || size.batch != 1.0
        || sequences * static_cast<double>(*queries) != size.queries
        || sequences * static_cast<double>(*keys) != size.keys)
        return std::nullopt;
    size.batch = sequences;
    size.queries = static_cast<double>(*queries);
    size.keys = static_cast<double>(*keys);
    return size;
}

std::optional<Mask> maskOf(const Call& call) {
    const bool isToEnd = call.text("aligned") == "end";
    const Mask causal = isToEnd ? Mask::CausalToEnd : Mask::CausalFromStart;
    if (call.has("mask_type")) { // numbers of PyTorch's efficient attention and xFormers
        const auto type = call.whole("mask_type");
        if (!type || *type < 0 || *type > 2)
            return std::nullopt;
        return *type == 0 ? Mask::None : *type == 1 ? Mask::CausalFromStart : Mask::CausalToEnd;
    }
    const auto isCausal = call.truth("causal");
    if (!isCausal)
        return std::nullopt;
    return *isCausal ? causal : Mask::None;
}

} // namespace

std::optional<TracedAttention> tracedAttentionOf(const Call& call) {
    const auto size = attentionSizeOf(call);
    const auto mask = maskOf(call);
    if (!size || !mask)
        return std::nullopt;
    TracedAttention found{*size, *mask, std::nullopt};
    if (const auto tokens = call.whole("window"); tokens && *tokens >= 0) {
        if (*mask == Mask::None) // a band whose other side is another argument
            return std::nullopt;
        found.window = static_cast<double>(*tokens);
    }
    return found;
}

std::optional<TracedWork> attentionWork(const Call& call, bool isBackward) {
    const auto found = tracedAttentionOf(call);
    const auto each = bytesOf(call.typeOf("query"));
    const auto added = call.storedBytes("added");
    if (!found || !each || !added)
        return std::nullopt;
    const AttentionSize& size = found->size;
    const double pairs = attendedPairs(size.queries, size.keys, found->mask, found->window);
    Work sum = isBackward ? attentionBackward(size, pairs, *each) : attention(size, pairs, *each);
    sum.bytes += *added;
    return TracedWork{sum, call.typeOf("query"), Units::Matrix};
}

} // namespace trainscope::work
