#pragma once
// Bytes as base64 (RFC 4648), padded. Pure; any thread.

#include <string>
#include <string_view>

namespace trainscope::cli {

inline std::string base64(std::string_view bytes) {
    static constexpr std::string_view kDigits
        = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        unsigned three = 0;
        for (std::size_t i = at; i < at + 3; ++i)
            three = three << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
        for (unsigned i = 0; i < 4; ++i)
            text += at + i > bytes.size() ? '=' : kDigits[three >> (18U - 6U * i) & 63U];
    }
    return text;
}

} // namespace trainscope::cli
