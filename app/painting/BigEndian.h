#pragma once
// Numbers as font files hold them: most significant byte first.

#include <QByteArray>

#include <cstdint>

namespace trainscope::app {

inline void put8(QByteArray& out, int value) {
    out.append(static_cast<char>(value));
}
inline void put16(QByteArray& out, int value) {
    put8(out, (value >> 8) & 0xFF);
    put8(out, value & 0xFF);
}
inline void put32(QByteArray& out, std::uint32_t value) {
    put16(out, static_cast<int>(value >> 16U));
    put16(out, static_cast<int>(value & 0xFFFFU));
}
inline void pad4(QByteArray& out) {
    while (out.size() % 4 != 0)
        put8(out, 0);
}

} // namespace trainscope::app
