#pragma once
// The fields of a message in the wire format of protocol buffers that lies in memory.

#include <protozero/pbf_reader.hpp>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trainscope::importers {

// A field as its wire type has it.
struct MessageField {
    std::uint32_t number = 0;
    std::uint64_t value = 0; // a number's
    std::string_view bytes; // a text's or a message's
    bool isWhole = false; // a varint
    bool isBytes = false;

    [[nodiscard]] std::int64_t whole() const { return std::bit_cast<std::int64_t>(value); }
    [[nodiscard]] double real() const { return std::bit_cast<double>(value); }
    [[nodiscard]] float single() const {
        return std::bit_cast<float>(static_cast<std::uint32_t>(value));
    }
};

// Calls visit(field) for each; false where the message is damaged.
template <typename Visit>
bool eachField(std::string_view message, const Visit& visit) {
    try {
        protozero::pbf_reader reader(protozero::data_view(message.data(), message.size()));
        while (reader.next()) {
            MessageField field;
            field.number = reader.tag();
            switch (reader.wire_type()) {
            case protozero::pbf_wire_type::varint:
                field.value = reader.get_uint64();
                field.isWhole = true;
                break;
            case protozero::pbf_wire_type::fixed64:
                field.value = reader.get_fixed64();
                break;
            case protozero::pbf_wire_type::fixed32:
                field.value = reader.get_fixed32();
                break;
            case protozero::pbf_wire_type::length_delimited: {
                const auto bytes = reader.get_view();
                field.bytes = {bytes.data(), bytes.size()};
                field.isBytes = true;
                break;
            }
            default:
                reader.skip();
                break;
            }
            visit(field);
        }
        return true;
    } catch (const protozero::exception&) {
        return false;
    }
}

// Targets of a field: the last of that number, or, for a list, all of them.
using FieldTarget = std::variant<std::uint64_t*, std::int64_t*, bool*, std::string_view*,
    std::optional<std::uint64_t>*, std::optional<std::int64_t>*, std::optional<double>*,
    std::optional<std::string_view>*, std::vector<std::uint64_t>*, std::vector<std::int64_t>*,
    std::vector<double>*, std::vector<std::string_view>*>;
// Fields by number; others are passed over. False where the message is damaged.
bool readFields(
    std::string_view message, std::initializer_list<std::pair<std::uint32_t, FieldTarget>> places);

} // namespace trainscope::importers
