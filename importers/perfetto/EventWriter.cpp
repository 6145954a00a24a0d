#include "importers/perfetto/EventWriter.h"

namespace trainscope::importers::perfetto {

namespace {

JsonToken tokenOf(std::string_view json) {
    const char first = json.empty() ? '\0' : json.front();
    if (first == '"')
        return {TokenKind::String, json.find('\\') == json.npos, json.substr(1, json.size() - 2)};
    const bool isNumber = first == '-' || (first >= '0' && first <= '9');
    return {first == '{'    ? TokenKind::Object
            : first == '['  ? TokenKind::Array
            : isNumber      ? TokenKind::Number
            : first == '\0' ? TokenKind::None
                            : TokenKind::Literal,
        true, json};
}

// Decimal µs.
void appendUs(std::int64_t ns, std::string& out) {
    constexpr std::int64_t kNsPerUs = 1000;
    const std::string fraction = std::to_string(kNsPerUs + ns % kNsPerUs);
    out.append(std::to_string(ns / kNsPerUs)).append(1, '.').append(fraction, 1);
}

} // namespace

void EventWriter::write(const MadeEvent& event) {
    constexpr std::size_t kNumbers = 96; // the most bytes of phase, moment and duration
    const std::string_view arguments
        = event.arguments == nullptr ? std::string_view() : event.arguments->text();
    m_text.clear();
    // Views into the text stay where they are.
    m_text.reserve(event.category.size() + event.name.size() + event.process.size()
        + event.thread.size() + event.id.size() + arguments.size() + kNumbers);
    const auto put = [this](std::string_view text) {
        m_text.append(text);
        return std::string_view(m_text).substr(m_text.size() - text.size());
    };
    const auto putUs = [this](std::int64_t ns) {
        const std::size_t begin = m_text.size();
        appendUs(ns, m_text);
        return JsonToken{TokenKind::Number, true, std::string_view(m_text).substr(begin)};
    };
    m_event.clear();
    m_event.ph = {TokenKind::String, true, put({&event.phase, 1})};
    if (!event.category.empty())
        m_event.cat = {TokenKind::String, true, put(event.category)};
    m_event.name = {TokenKind::String, true, put(event.name)};
    m_event.pid = tokenOf(put(event.process));
    m_event.tid = tokenOf(put(event.thread));
    m_event.ts = putUs(event.ns);
    if (event.duration)
        m_event.dur = putUs(*event.duration);
    m_event.id = tokenOf(put(event.id));
    if (event.arguments != nullptr) {
        const std::string_view text = put(arguments);
        for (const Members::Place& place : event.arguments->places())
            m_event.args.push_back({tokenOf(text.substr(place.key, place.value - 1 - place.key)),
                tokenOf(text.substr(place.value, place.end - place.value))});
    }
    m_take(m_event, m_text);
}

} // namespace trainscope::importers::perfetto
