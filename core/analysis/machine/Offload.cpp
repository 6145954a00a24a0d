#include "core/analysis/machine/MemoryNeed.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::string_view kOptimizer = "optimizer";
constexpr std::string_view kShare = "optimizer:";
constexpr std::string_view kLayers = "activations:";

double shareFrom(std::string_view text) {
    double share = 0.0;
    const char* const end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, share);
    return problem == std::errc{} && at == end ? share : 0.0;
}

Status takePart(std::string_view part, Offload& offload) {
    const double share = part.starts_with(kShare) ? shareFrom(part.substr(kShare.size()))
                                                  : (part == kOptimizer ? 1.0 : 0.0);
    const int layers
        = part.starts_with(kLayers) ? wholeNumber<int>(part.substr(kLayers.size())).value_or(0) : 0;
    if (share > 0.0 && share <= 1.0)
        offload.optimizer = share;
    else if (layers > 0)
        offload.layers = layers;
    else
        return usageError(
            fmt::format("There is no part that is offloaded '{}'; there are optimizer, optimizer:X "
                        "for a share of it, and activations:N for N layers of each stage.",
                part));
    return {};
}

} // namespace

std::string textOf(const Offload& offload) {
    std::string text;
    if (offload.optimizer >= 1.0)
        text = kOptimizer;
    else if (offload.optimizer > 0.0)
        text = fmt::format("{}{}", kShare, offload.optimizer);
    if (offload.layers > 0)
        text += fmt::format("{}{}{}", text.empty() ? "" : ",", kLayers, offload.layers);
    return text;
}

Result<Offload> offloadFrom(std::string_view text) {
    Offload offload;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        RETURN_IF_ERROR(takePart(text.substr(begin, end - begin), offload));
        begin = end + 1;
    }
    return offload;
}

} // namespace trainscope::analysis
