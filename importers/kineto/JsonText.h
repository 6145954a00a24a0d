#pragma once
// From scanned JSON tokens to text: unescaping, and writing members again as strict, compact JSON.

#include "importers/kineto/JsonScanner.h"

#include <string>
#include <string_view>

namespace trainscope::importers::kineto {

// The characters a JSON string stands for. A backslash that begins no valid escape stays a
// backslash.
void appendUnescaped(std::string_view escaped, std::string& out);

// The text of a token; `storage` is used where it has to be unescaped.
std::string_view plainText(const JsonToken& token, std::string& storage);

// The token as strict JSON without blanks; what has no place in JSON (NaN) becomes null.
void appendJson(const JsonToken& token, std::string& out);

} // namespace trainscope::importers::kineto
