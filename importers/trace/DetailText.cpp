#include "importers/trace/DetailText.h"

#include "importers/common/JsonText.h"

#include <utility>

namespace trainscope::importers {

void DetailText::begin(std::string_view key) {
    m_text.push_back(m_text.empty() ? '{' : ',');
    appendJsonString(key, m_text);
    m_text.push_back(':');
}

DetailText& DetailText::add(std::string_view key, std::int64_t value) {
    begin(key);
    m_text += std::to_string(value);
    return *this;
}

DetailText& DetailText::add(std::string_view key, std::string_view value) {
    begin(key);
    appendJsonString(value, m_text);
    return *this;
}

DetailText& DetailText::add(std::string_view key, std::span<const std::int64_t> values) {
    begin(key);
    char lead = '[';
    for (const std::int64_t value : values) {
        m_text.append(1, lead).append(std::to_string(value));
        lead = ',';
    }
    m_text += lead == '[' ? "[]" : "]";
    return *this;
}

std::string DetailText::take() {
    if (!m_text.empty())
        m_text.push_back('}');
    return std::exchange(m_text, {});
}

} // namespace trainscope::importers
