#pragma once
// The members of a JSON object that lies in memory, and texts that are one value.

#include "core/model/AsciiText.h"
#include "importers/common/JsonScanner.h"

#include <string>
#include <string_view>

namespace trainscope::importers {

// Calls visit(key, token) for each member of an object, up to where it is no JSON any more. `text`
// is followed by JsonScanner::kPadding readable bytes.
template <typename Visit>
void forEachMember(std::string_view text, Visit&& visit) {
    text = trimmed(text);
    if (!text.starts_with('{'))
        return;
    JsonScanner scanner(text.data(), text.data() + text.size());
    scanner.advance();
    while (scanner.position() < scanner.end() && scanner.peek() == '"') {
        JsonToken key;
        JsonToken value;
        if (scanner.string(key) != Scan::Ok || scanner.peek() != ':')
            return;
        scanner.advance();
        scanner.peek();
        if (scanner.value(value) != Scan::Ok)
            return;
        visit(key.text, value);
        if (scanner.peek() == ',')
            scanner.advance();
    }
}

// True for one object or array alone, which may be cut: a document, where a log has many values.
inline bool isOneJsonValue(std::string_view text) {
    std::string value(trimmed(text));
    const std::size_t size = value.size();
    value.append(JsonScanner::kPadding, '\0');
    JsonScanner scanner(value.data(), value.data() + size);
    JsonToken token;
    const Scan scan
        = value.front() == '{' || value.front() == '[' ? scanner.value(token) : Scan::Broken;
    return scan == Scan::NeedMore || (scan == Scan::Ok && scanner.atEnd());
}

} // namespace trainscope::importers
