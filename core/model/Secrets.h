#pragma once
// Secrets in command lines, variables, headers and quoted lines: found by the name in front of them
// (HF_TOKEN, --api-key, PBS_JOBCOOKIE) and by their look, and replaced by "…". Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope {

// True for a variable, option or header whose value is a secret. By names that other things have
// too (key, token, auth) numbers and words such as "none" are none: num_key_value_heads=8.
bool isSecret(std::string_view name, std::string_view value);

// Any text, such as a line of a log or a script: values behind names of secrets ("NAME=value",
// "--name value", "name: value", in quotes or not), names and passwords in URLs, tokens of
// well-known services, JSON web tokens, and words of 32 characters or more that look random. Paths,
// names of models and checksums stay.
std::string withoutSecrets(std::string_view text);

// The words of a command line. A secret takes the rest of its word with it; words that are texts of
// their own (bash -c '…') are searched as such.
std::vector<std::string> withoutSecrets(const std::vector<std::string>& words);

} // namespace trainscope
