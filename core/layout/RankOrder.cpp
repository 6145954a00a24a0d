#include "core/layout/RankOrder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace trainscope::layout {

namespace {

std::vector<std::string> namesIn(std::string_view text) {
    std::vector<std::string> names(1);
    for (const char c : text) {
        if (c == '-' || c == ',')
            names.emplace_back();
        else if (c != ' ')
            names.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return names;
}

std::optional<Dimension> dimensionFrom(std::string_view name) {
    for (const auto dimension : kMegatronOrder.dimensions) {
        if (toString(dimension) == name)
            return dimension;
    }
    return std::nullopt;
}

} // namespace

std::string_view toString(Dimension dimension) {
    constexpr std::array<std::string_view, kDimensions> names{"tp", "cp", "ep", "dp", "pp"};
    return names[indexOf(dimension)];
}

bool RankOrder::names(Dimension dimension) const {
    const auto end = dimensions.begin() + static_cast<std::ptrdiff_t>(named);
    return std::find(dimensions.begin(), end, dimension) != end;
}

std::string RankOrder::text() const {
    std::string result;
    for (std::size_t i = 0; i < named; ++i)
        result.append(i == 0 ? "" : "-").append(toString(dimensions[i]));
    return result;
}

Result<RankOrder> rankOrderFromString(std::string_view text) {
    std::vector<Dimension> order;
    for (const auto& name : namesIn(text)) {
        const auto named = dimensionFrom(name);
        if (!named || std::find(order.begin(), order.end(), *named) != order.end())
            return Error{ErrorCode::Usage,
                fmt::format("\"{}\" is no rank order: name each of tp, cp, ep, dp and pp at most "
                            "once, fastest first.",
                    text),
                {}};
        order.push_back(*named);
    }
    RankOrder result;
    result.named = order.size();
    for (const auto dimension : kMegatronOrder.dimensions) {
        if (std::find(order.begin(), order.end(), dimension) == order.end())
            order.push_back(dimension);
    }
    std::copy(order.begin(), order.end(), result.dimensions.begin());
    return result;
}

} // namespace trainscope::layout
