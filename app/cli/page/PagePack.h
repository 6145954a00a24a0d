#pragma once
// Parts of a page: compressed, and as elements of its file.

#include "core/model/Result.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::cli {

// Raw deflate, as browsers unpack it. Least: for bytes that are sent once.
enum class Effort { Most, Least };
std::string deflated(store::ByteView bytes, Effort effort = Effort::Most);

// The element of that name, as the page's script looks for it. Markup in names is harmless: what
// it holds is compressed, and base64.
std::string pageElement(std::string_view name, store::ByteView bytes);
std::string pageElement(std::string_view name, std::string_view text);

// Program, script and style of pages, built beside this program; NotFound without them.
Result<std::string> pageProgram();

// The program with these elements, and with a nonce of its own.
std::string filledPage(std::string program, std::string_view elements);

} // namespace trainscope::cli
