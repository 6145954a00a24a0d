#pragma once
// The word that was likely meant, among those that there are. Pure; any thread.

#include <span>
#include <string>
#include <string_view>

namespace trainscope::text {

// The first of the words that the fewest changes of single letters lead to, at most a third of the
// given ones; large and small letters are the same. Empty: none is near.
std::string nearWord(std::string_view given, std::span<const std::string> words);

} // namespace trainscope::text
