#include "importers/kineto/EventFacts.h"

#include "importers/kineto/EventNumber.h"
#include "importers/kineto/JsonText.h"
#include "importers/kineto/TextTable.h"

#include <charconv>

namespace trainscope::importers::kineto {

namespace {

std::string_view streamLabel(std::string_view tid) {
    return tid.starts_with("stream ") ? tid.substr(7) : tid;
}

int deviceNumber(std::string_view text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

TrackKind trackKindOf(Placement placement) {
    switch (placement) {
    case Placement::Host:
        return TrackKind::Thread;
    case Placement::DeviceStream:
        return TrackKind::Stream;
    case Placement::DeviceAnnotation:
        return TrackKind::StreamAnnotation;
    case Placement::DeviceOther:
    case Placement::Elsewhere:
        break;
    }
    return TrackKind::Other;
}

} // namespace

std::string_view labelOf(const JsonToken& token, std::string& storage) {
    std::string_view text = plainText(token, storage);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    if (token.kind == TokenKind::Number && text.ends_with(".0"))
        text.remove_suffix(2);
    return text;
}

TrackLabel trackLabelOf(const TraceEvent& event, const EventKind& kind, const JsonToken* stream,
    const JsonToken* device) {
    std::string storage;
    TrackLabel label;
    label.kind = trackKindOf(kind.placement);
    label.process = labelOf(event.pid, storage);
    label.thread = labelOf(event.tid, storage);
    if (kind.placement == Placement::Host || kind.placement == Placement::Elsewhere)
        return label;
    label.thread = stream != nullptr ? std::string(labelOf(*stream, storage))
                                     : std::string(streamLabel(label.thread));
    label.device = deviceNumber(label.process);
    if (device != nullptr) {
        if (const auto number = integerOf(*device); number && *number >= 0 && *number < 1'000'000)
            label.device = static_cast<int>(*number);
    }
    return label;
}

std::uint64_t placeOf(const TraceEvent& event) {
    std::string storage;
    const std::uint64_t process = hashOf(labelOf(event.pid, storage));
    return process * 0x9E3779B97F4A7C15ULL + hashOf(labelOf(event.tid, storage));
}

std::string_view categoryOf(const TraceEvent& event) {
    return event.cat.kind == TokenKind::String ? event.cat.text : std::string_view("(no cat)");
}

void appendDetail(const TraceEvent& event, SpanKind kind, std::string& out) {
    const std::size_t begin = out.size();
    for (const EventField& field : event.args) {
        if (!isDetailArgument(kind, field.key.text))
            continue;
        out.push_back(out.size() == begin ? '{' : ',');
        appendJson(field.key, out);
        out.push_back(':');
        appendJson(field.value, out);
    }
    if (out.size() > begin)
        out.push_back('}');
}

bool hasCorrelation(SpanKind kind) {
    return kind == SpanKind::Kernel || kind == SpanKind::Copy || kind == SpanKind::Set
        || kind == SpanKind::Runtime || kind == SpanKind::Sync;
}

} // namespace trainscope::importers::kineto
