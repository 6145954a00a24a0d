#pragma once
// JSON as the pickle that Python's pickler writes of the same value with protocol 4: one frame, all
// texts, lists and dicts remembered.

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace trainscope::test {

using PickledValue = nlohmann::ordered_json;

inline std::string littleEndian(std::uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text.push_back(static_cast<char>(number >> (8 * i) & 0xFFU));
    return text;
}

inline std::string pickledNumber(std::int64_t number) {
    if (number >= 0 && number < 256)
        return "K" + littleEndian(static_cast<std::uint64_t>(number), 1);
    if (number >= 0 && number < 65536)
        return "M" + littleEndian(static_cast<std::uint64_t>(number), 2);
    if (number == static_cast<std::int32_t>(number))
        return "J" + littleEndian(static_cast<std::uint64_t>(number), 4);
    return "\x8a\x08" + littleEndian(static_cast<std::uint64_t>(number), 8);
}

inline std::string pickledText(const std::string& text) {
    return "X" + littleEndian(text.size(), 4) + text + "\x94";
}

inline std::string pickledPart(const PickledValue& value) {
    if (value.is_null())
        return "N";
    if (value.is_boolean())
        return value.get<bool>() ? "\x88" : "\x89";
    if (value.is_number_integer())
        return pickledNumber(value.get<std::int64_t>());
    if (value.is_number_float()) {
        const std::string bits = littleEndian(std::bit_cast<std::uint64_t>(value.get<double>()), 8);
        return "G" + std::string(bits.rbegin(), bits.rend());
    }
    if (value.is_string())
        return pickledText(value.get<std::string>());
    std::string text = value.is_object() ? "}\x94" : "]\x94";
    if (value.empty())
        return text;
    text += "(";
    for (const auto& [key, item] : value.items()) {
        if (value.is_object())
            text += pickledText(key);
        text += pickledPart(item);
    }
    return text + (value.is_object() ? "u" : "e");
}

inline std::string pickled(const PickledValue& value) {
    const std::string body = pickledPart(value) + ".";
    return "\x80\x04\x95" + littleEndian(body.size(), 8) + body;
}

} // namespace trainscope::test
