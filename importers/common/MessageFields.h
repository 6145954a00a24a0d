#pragma once
// The fields of a message in the wire format of protocol buffers that lies in memory.

#include "importers/common/Source.h"

#include <bit>
#include <initializer_list>
#include <protozero/pbf_reader.hpp>

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

// The fields of messages in the wire format of protocol buffers, one behind the other, from a
// stream: of long messages no more than one short field is held. One thread.

struct WireField {
    std::uint32_t number = 0;
    bool isBytes = false; // a text or message, of `value` bytes
    std::uint64_t value = 0; // else the number
};

class WireStream {
public:
    static constexpr std::size_t kLongest = std::size_t{4} << 20;

    // Asked every few hundred KB with the bytes taken from the file; false ends the stream.
    using GoesOn = std::function<bool(std::uint64_t consumed)>;
    WireStream(ByteStream& stream, GoesOn goesOn)
        : m_stream(stream)
        , m_goesOn(std::move(goesOn)) { }

    // The next field of the message that was entered last, else of the file. False: it ends there,
    // or the file does. Bytes that were neither taken nor entered are passed over.
    bool next(WireField& field);
    // The fields of the message at hand follow, until leave().
    void enter();
    void leave();
    // The bytes at hand, valid until the next call; nothing where they are longer than `longest` or
    // the file ends in them.
    std::optional<std::string_view> bytes(std::size_t longest = kLongest);

    [[nodiscard]] std::uint64_t offset() const { return m_taken + m_at; }
    [[nodiscard]] bool isCut() const { return m_isCut; } // the file ends inside a message
    [[nodiscard]] std::int64_t damages() const { return m_damages; } // messages left half-read
    [[nodiscard]] const std::string& problem() const { return m_problem; } // the stream's
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }

private:
    [[nodiscard]] std::uint64_t end() const { return m_ends.empty() ? kNoEnd : m_ends.back(); }
    bool refill(std::size_t wanted);
    void skipTo(std::uint64_t offset);
    bool varint(std::uint64_t& value);
    bool fixed(std::size_t size, std::uint64_t& value);
    bool damaged();
    bool cut();

    static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

    ByteStream& m_stream;
    GoesOn m_goesOn;
    std::string m_buffer; // bytes [m_taken, m_taken + size) of the file
    std::size_t m_at = 0;
    std::uint64_t m_taken = 0;
    std::vector<std::uint64_t> m_ends; // those of the messages that were entered
    std::uint64_t m_pending = 0; // end of the bytes at hand; 0: none
    std::int64_t m_damages = 0;
    std::string m_problem;
    bool m_isCut = false;
    bool m_isCancelled = false;
};

} // namespace trainscope::importers
