#include "importers/engine/Labels.h"

#include "core/model/AsciiText.h"

#include <algorithm>

namespace trainscope::importers::engine {

namespace {

bool isNameCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '_' || c == ':';
}

// Quotes in pairs, no brace outside of them.
bool areConditions(std::string_view text) {
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            if (c == '\\' && quote != '`')
                ++i;
            else if (c == quote)
                quote = '\0';
        } else if (c == '"' || c == '\'' || c == '`') {
            quote = c;
        } else if (!isNameCharacter(c)
            && std::string_view(" \t\n,=~!").find(c) == std::string_view::npos) {
            return false;
        }
    }
    return quote == '\0';
}

std::string escapedPattern(std::string_view value) {
    std::string pattern;
    for (const char c : value) {
        if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos)
            pattern.push_back('\\');
        pattern.push_back(c);
    }
    return pattern;
}

} // namespace

void Labels::set(std::string label, std::string value) {
    if (label == "__name__")
        name = std::move(value);
    else
        rest.emplace_back(std::move(label), std::move(value));
}

void Labels::sort() {
    std::ranges::sort(rest);
}

std::string_view Labels::find(std::string_view label) const {
    const auto at
        = std::ranges::find_if(rest, [label](const auto& one) { return one.first == label; });
    return at == rest.end() ? std::string_view() : std::string_view(at->second);
}

std::string Labels::text() const {
    std::string text = name + "{";
    for (const auto& [label, value] : rest)
        text += (text.back() == '{' ? "" : ",") + label + "=" + quotedText(value);
    return text + "}";
}

std::string Selector::text() const {
    return metric + "{" + conditions + "}";
}

std::string Selector::with(const std::vector<std::string>& names, const std::string& more) const {
    std::string text = conditions;
    const auto add = [&text](const std::string& condition) {
        if (!condition.empty())
            text += (text.empty() ? "" : ",") + condition;
    };
    if (!names.empty())
        add(oneOf("__name__", names));
    else if (!metric.empty())
        add(oneOf("__name__", {metric}));
    add(more);
    // Engines refuse a selection that anything fits.
    if (text.empty())
        text = "__name__!=\"\"";
    return "{" + text + "}";
}

Result<Selector> selectorFrom(std::string_view text) {
    const std::string_view whole = trimmed(text);
    Selector selector;
    std::string_view conditions = whole;
    const auto brace = whole.find('{');
    if (brace != std::string_view::npos && whole.ends_with('}')) {
        selector.metric = trimmed(whole.substr(0, brace));
        conditions = trimmed(whole.substr(brace + 1, whole.size() - brace - 2));
    } else if (isLabelName(whole)) {
        selector.metric = whole;
        conditions = {};
    }
    while (conditions.ends_with(',') || conditions.ends_with(' '))
        conditions.remove_suffix(1);
    selector.conditions = conditions;
    const bool isGood = areConditions(conditions)
        && (conditions.empty() || conditions.find('=') != std::string_view::npos
            || conditions.find('~') != std::string_view::npos)
        && (selector.metric.empty() || isLabelName(selector.metric));
    if (isGood)
        return selector;
    return usageError("\"" + std::string(whole)
        + "\" selects no series; give one or more labels such as {job=\"dcgm-exporter\"} or "
          "{Hostname=~\"node-[1-4]\"}.");
}

bool isLabelName(std::string_view text) {
    return !text.empty() && !isDigit(text.front()) && std::ranges::all_of(text, isNameCharacter);
}

std::string quotedText(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\')
            text.push_back('\\');
        if (c == '\n')
            text += "\\n";
        else
            text.push_back(c);
    }
    return text + "\"";
}

std::string oneOf(std::string_view label, const std::vector<std::string>& values) {
    if (values.size() == 1)
        return std::string(label) + "=" + quotedText(values.front());
    std::string pattern;
    for (const std::string& value : values)
        pattern += (pattern.empty() ? "" : "|") + escapedPattern(value);
    return std::string(label) + "=~" + quotedText(pattern);
}

} // namespace trainscope::importers::engine
