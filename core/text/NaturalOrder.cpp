#include "core/text/NaturalOrder.h"

#include "core/model/AsciiText.h"

#include <algorithm>

namespace trainscope::text {

namespace {

// The digits at the front, without leading zeros; taken off the text.
std::string_view takeNumber(std::string_view& text) {
    const auto end = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), isDigit) - text.begin());
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits.front() == '0')
        digits.remove_prefix(1);
    return digits;
}

} // namespace

std::strong_ordering naturalOrder(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            const std::string_view left = takeNumber(a);
            const std::string_view right = takeNumber(b);
            // A longer number without leading zeros is the greater one.
            if (left.size() != right.size())
                return left.size() <=> right.size();
            if (const auto order = left.compare(right) <=> 0; order != 0)
                return order;
            continue;
        }
        if (const auto order = a.front() <=> b.front(); order != 0)
            return order;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.size() <=> b.size();
}

} // namespace trainscope::text
