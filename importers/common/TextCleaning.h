#pragma once
// Takes off additions of redirected terminal output and Windows shells to text files.

#include "importers/common/Source.h"

namespace trainscope::importers {

// UTF-8 without its byte order mark; UTF-16 with one, of either order, is converted (a lone
// surrogate becomes U+FFFD). NUL bytes are left out: no text has them. Other bytes pass unchanged.
std::unique_ptr<ByteStream> asUtf8(std::unique_ptr<ByteStream> stream);

// True where the first bytes of a file are text: UTF-8, an 8-bit code, or UTF-16. NUL bytes, which
// a crash leaves in logs, do not make bytes of a text; other control bytes do.
bool isText(std::string_view head);

// code: a Unicode scalar value.
void appendUtf8(std::string& out, char32_t code);

// Without ANSI escapes (ECMA-48): CSI sequences, OSC strings and escapes of two or more bytes.
std::string withoutEscapes(std::string_view text);

} // namespace trainscope::importers
