#include "importers/launch/Fields.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"

#include <cmath>
#include <iterator>

namespace trainscope::importers::launch {

namespace {

using namespace std::string_view_literals;

constexpr int kMaxHops = 8;
constexpr std::array kPrefixes{"model."sv, ""sv, "parallelism."sv, "experimental."sv,
    "cfg.model."sv, "cfg."sv, "config.model."sv, "config."sv, "training.model."sv, "training."sv,
    "run.model."sv, "run."sv, "model.config."sv, "model.data."sv, "deepspeed_config."sv,
    "megatron_lm_config."sv, "args."sv};

bool isNull(const std::string& text) {
    const std::string value = lowered(text);
    return value.empty() || value == "null" || value == "~" || value == "none" || value == "???";
}

bool isTrue(const std::string& text) {
    const std::string value = lowered(text);
    return value == "true" || value == "yes" || value == "on" || value == "1";
}

// The path in "${path}"; empty for anything else.
std::string plainInterpolation(const std::string& value) {
    if (!value.starts_with("${") || !value.ends_with('}'))
        return {};
    std::string path = value.substr(2, value.size() - 3);
    const bool isPath = std::all_of(path.begin(), path.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || c == '_' || c == '.';
    });
    return isPath ? path : std::string();
}

std::string_view onlyItem(std::string_view text) {
    return text.starts_with('[') && text.ends_with(']') ? text.substr(1, text.size() - 2) : text;
}

} // namespace

Fields::Fields(const Settings& scalars) {
    for (const auto& [key, value] : scalars) {
        std::string name = key;
        std::replace(name.begin(), name.end(), '-', '_');
        m_scalars.insert_or_assign(std::move(name), value);
    }
    std::copy_if(kPrefixes.begin(), kPrefixes.end(), std::back_inserter(m_prefixes),
        [this](std::string_view prefix) {
            const auto found = m_scalars.lower_bound(prefix);
            return found != m_scalars.end() && found->first.starts_with(prefix);
        });
}

std::optional<std::string> Fields::text(Keys keys) const {
    for (const std::string_view prefix : m_prefixes) {
        for (const std::string_view key : keys) {
            if (auto found = resolved(std::string(prefix) + std::string(key), prefix))
                return found;
        }
    }
    return std::nullopt;
}

std::optional<std::string> Fields::word(Keys keys) const {
    auto found = text(keys);
    return found && !found->empty() ? found : std::nullopt;
}

std::optional<int> Fields::count(Keys keys, int least) const {
    const std::string found = text(keys).value_or("");
    const auto number = parseNumber(onlyItem(found));
    if (!number || *number < least || *number > kMostOfJob || *number != std::floor(*number))
        return std::nullopt;
    return static_cast<int>(*number);
}

std::optional<bool> Fields::flag(Keys keys) const {
    const auto found = word(keys);
    return found ? std::optional(isTrue(*found)) : std::nullopt;
}

std::optional<bool> Fields::anyOf(Keys keys) const {
    std::optional<bool> result;
    for (const std::string_view key : keys) {
        const auto found = text({key});
        if (found)
            result = result.value_or(false) || isTrue(*found);
    }
    return result;
}

bool Fields::hasSection(std::string_view path) const {
    const auto found = m_scalars.lower_bound(path);
    if (found == m_scalars.end() || !found->first.starts_with(path))
        return false;
    const std::string_view rest = std::string_view(found->first).substr(path.size());
    return rest.empty() || rest.front() == '.' || rest.front() == '#';
}

// An interpolation of one plain path is followed; anything else inside ${} is not a stated value.
std::optional<std::string> Fields::resolved(std::string key, std::string_view prefix) const {
    for (int hop = 0; hop < kMaxHops; ++hop) {
        const auto found = m_scalars.find(key);
        if (found == m_scalars.end())
            return std::nullopt;
        const std::string& value = found->second;
        if (value.find("${") == std::string::npos)
            return isNull(value) ? std::string() : value;
        key = plainInterpolation(value);
        if (key.empty())
            return std::nullopt;
        if (!m_scalars.contains(key))
            key = std::string(prefix) + key;
    }
    return std::nullopt;
}

} // namespace trainscope::importers::launch
