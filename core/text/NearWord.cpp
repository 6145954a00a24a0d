#include "core/text/NearWord.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace trainscope::text {

namespace {

// Changes of single letters that make one word of the other.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearWord(std::string_view given, std::span<const std::string> words) {
    const std::string wanted = lowered(given);
    const std::string* nearest = nullptr;
    std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
    for (const std::string& word : words) {
        const std::size_t distance = editDistance(wanted, lowered(word));
        if (distance < least) {
            least = distance;
            nearest = &word;
        }
    }
    return nearest == nullptr ? std::string() : *nearest;
}

} // namespace trainscope::text
