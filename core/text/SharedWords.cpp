#include "core/text/SharedWords.h"

#include <algorithm>

namespace trainscope::text {

namespace {

constexpr std::string_view kSeparators = "/_-.: ";
constexpr std::size_t kLeastShared = 4; // bytes
constexpr const char* kEllipsis = "…";

std::size_t equalAtBegin(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<std::size_t>(end - a.begin());
}

std::size_t equalAtEnd(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first;
    return static_cast<std::size_t>(end - a.rbegin());
}

// The whole words at the begin of the text, of which that many bytes may be taken.
std::size_t wordsAtBegin(std::string_view text, std::size_t most) {
    const std::size_t at = text.substr(0, most).find_last_of(kSeparators);
    return at == std::string_view::npos ? 0 : at + 1;
}

std::size_t wordsAtEnd(std::string_view text, std::size_t most) {
    const std::size_t at = text.find_first_of(kSeparators, text.size() - most);
    return at == std::string_view::npos ? 0 : text.size() - at;
}

} // namespace

SharedWords sharedWords(std::span<const std::string> names) {
    if (names.size() < 2)
        return {};
    const std::string_view first = names.front();
    std::size_t begin = first.size();
    std::size_t end = first.size();
    std::size_t shortest = first.size();
    for (const std::string& name : names) {
        begin = std::min(begin, equalAtBegin(first, name));
        end = std::min(end, equalAtEnd(first, name));
        shortest = std::min(shortest, name.size());
    }
    if (shortest == 0)
        return {};
    SharedWords shared;
    shared.prefix = wordsAtBegin(first, std::min(begin, shortest - 1));
    if (shared.prefix < kLeastShared)
        shared.prefix = 0;
    shared.suffix = wordsAtEnd(first, std::min(end, shortest - shared.prefix - 1));
    if (shared.suffix < kLeastShared)
        shared.suffix = 0;
    return shared;
}

std::string withoutShared(std::string_view name, const SharedWords& shared) {
    if (shared.prefix + shared.suffix >= name.size())
        return std::string(name);
    const std::string_view own
        = name.substr(shared.prefix, name.size() - shared.prefix - shared.suffix);
    return (shared.prefix > 0 ? kEllipsis : "") + std::string(own)
        + (shared.suffix > 0 ? kEllipsis : "");
}

} // namespace trainscope::text
