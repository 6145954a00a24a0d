#pragma once
// Debug annotations of a track event (debug_annotation.proto), and other values, as JSON.

#include "importers/perfetto/Packets.h"

#include <string>
#include <string_view>

namespace trainscope::importers::perfetto {

// A member behind others, if any; nothing for an annotation without a key. Values are strict JSON;
// what lies deeper than 16 values is left out.
void appendAnnotation(std::string_view annotation, const Sequence& sequence, std::string& out);
void appendMember(std::string_view key, std::string_view json, std::string& out);

std::string inQuotes(std::string_view text);
// null for what is not finite.
std::string realJson(double value);

} // namespace trainscope::importers::perfetto
