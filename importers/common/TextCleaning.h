#pragma once
// What redirected terminal output and Windows shells add to text files, taken off again.

#include "importers/common/Source.h"

#include <memory>
#include <string>
#include <string_view>

namespace trainscope::importers {

// UTF-8 without its byte order mark; UTF-16 with one, of either order, is converted (a lone
// surrogate becomes U+FFFD). Other bytes pass unchanged.
std::unique_ptr<ByteStream> asUtf8(std::unique_ptr<ByteStream> stream);

// code: a Unicode scalar value.
void appendUtf8(std::string& out, char32_t code);

// Without ANSI escapes (ECMA-48): CSI sequences, OSC strings and escapes of two or more bytes.
std::string withoutEscapes(std::string_view text);

} // namespace trainscope::importers
